import { toBigInt } from '@grimoire/client';
import { ChainLinks } from '../../components/chain-links.tsx';
import { ChainProblem } from '../../components/chain-problem.tsx';
import { Section } from '../../components/facts.tsx';
import { formatInteger } from '../../components/format.ts';
import { Leaderboard } from '../../components/leaderboard.tsx';
import { Page } from '../../components/page.tsx';
import { useChains } from '../../data/chains.ts';
import { useTournaments } from './query.ts';

type ChainData = NonNullable<NonNullable<ReturnType<typeof useTournaments>['response']>['data']>['chains'][number];

/** `/explore/tournaments`: the wizards of all chains. */
export function TournamentsPage() {
  const ids = useChains();
  return (
    <Page title="Tournaments of all chains" query={useTournaments()}>
      {({ chains }, { chainErrors }) => (
        <div className="columns">
          {chains.map((chain, index) => {
            const id = chain ? String(toBigInt(chain.chainID)) : (ids[index] ?? null);
            const error = chainErrors.find(({ path }) => path?.[1] === index);
            return (
              <Section
                key={id ?? `unknown ${index}`}
                title={id ? `Chain ${id}` : 'Unknown chain'}
                note={chain && describe(chain)}
              >
                {error && <ChainProblem error={error} />}
                {chain?.alive && (
                  <ChainLinks chain={id}>
                    <Leaderboard wizards={chain.alive.nodes.flatMap((wizard) => wizard ?? [])} />
                  </ChainLinks>
                )}
              </Section>
            );
          })}
        </div>
      )}
    </Page>
  );
}

const describe = ({ alive, duels }: NonNullable<ChainData>): string =>
  [
    alive && `wizards alive, by power: ${alive.nodes.length} of ${formatInteger(alive.totalCount)}`,
    duels && `duels in progress: ${formatInteger(duels.totalCount)}`,
  ]
    .filter(Boolean)
    .join('; ');
