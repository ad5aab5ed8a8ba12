import { Link } from 'wouter';
import { AffinityIcon } from '../../components/affinity.tsx';
import { AffinityChart } from '../../components/affinity-chart.tsx';
import { Empty } from '../../components/empty.tsx';
import { Section, Tiles } from '../../components/facts.tsx';
import { formatInteger } from '../../components/format.ts';
import { Leaderboard } from '../../components/leaderboard.tsx';
import { WizardLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Versus } from '../../components/versus.tsx';
import { byAffinity } from '../../data/affinities.ts';
import { useChains } from '../../data/chains.ts';
import { useDuelEvents } from '../../data/duel-events.ts';
import { outcomeWithoutWinner } from '../../data/duel-outcome.ts';
import { useDuelPeriod } from '../../data/embedded-network.ts';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useTournament } from './query.ts';

type TournamentData = NonNullable<NonNullable<ReturnType<typeof useTournament>['response']>['data']>;

/** `/explore/tournament`. */
export const TournamentPage = () => (
  <Page title="Tournament" query={useTournament()}>
    {(data) => <Tournament data={data} />}
  </Page>
);

function Tournament({ data }: { readonly data: TournamentData }) {
  const period = useDuelPeriod();
  const hasOthers = useChains().length > 1;
  const alive = data.alive?.nodes.flatMap((wizard) => wizard ?? []) ?? [];
  if (!data.alive) return null;
  const part = data.alive.totalCount > alive.length ? ` of the ${alive.length} strongest` : '';
  return (
    <>
      <Tiles
        tiles={{
          'Wizards alive': formatInteger(data.alive.totalCount),
          Eliminated: data.eliminated && formatInteger(data.eliminated.totalCount),
          'Duels in progress': data.duels && formatInteger(data.duels.totalCount),
          [period ? `Duels finished, ${period}` : 'Duels finished']: data.finished && formatInteger(data.finished.totalCount),
        }}
      />
      <div className="columns">
        <Section
          title="Leaderboard"
          note={
            <>
              wizards alive, by power{period && `; duels of the ${period}`}
              {hasOthers && (
                <>
                  ; <Link href="/tournaments">all chains</Link>
                </>
              )}
            </>
          }
        >
          <Leaderboard wizards={alive} />
          {data.eliminated && <Eliminated wizards={data.eliminated} />}
        </Section>
        <div>
          <Section title="Running duels">
            <RunningDuels data={data} />
          </Section>
          <Section title="Affinities" note={`sum of the powers${part}`}>
            <AffinityChart groups={byAffinity(alive)} />
          </Section>
          <Section title="Finished duels" note="latest start first">
            <FinishedDuels data={data} />
            <Pager name="finished" pageInfo={data.finished?.pageInfo} isForward />
          </Section>
          <LiveEvents />
        </div>
      </div>
    </>
  );
}

/** The eliminated wizards, folded: most wizards of a tournament are eliminated. */
const Eliminated = ({ wizards: { nodes, totalCount } }: { readonly wizards: NonNullable<TournamentData['eliminated']> }) =>
  totalCount > 0 && (
    <details className="eliminated">
      <summary>{formatInteger(totalCount)} eliminated</summary>
      <ul>
        {nodes.map(
          (wizard) =>
            wizard && (
              <li key={wizard.id} className="with-icon">
                <AffinityIcon affinity={wizard.affinity} size={18} />
                <WizardLink id={wizard.id} />
              </li>
            ),
        )}
      </ul>
      {totalCount > nodes.length && <p className="muted">The last {nodes.length}.</p>}
    </details>
  );

function RunningDuels({ data }: { readonly data: TournamentData }) {
  const rows = useRemovedRows(
    data.duels?.nodes.flatMap((duel) => duel ?? []) ?? [],
    ({ id }) => id,
    ({ startBlock }) => startBlock?.hash,
  );
  if (rows.length === 0) return <Empty path="duels">No duel is in progress.</Empty>;
  return (
    <ul className="duels">
      {rows.map(({ row: duel, key, isRemoved }) => (
        <li key={key} className={isRemoved ? 'removed' : undefined}>
          <Versus duel={duel} />
          <small>
            since block {formatInteger(duel.startBlockNumber)}
            {duel.timeoutBlockNumber && `, until ${formatInteger(duel.timeoutBlockNumber)}`}
          </small>
        </li>
      ))}
    </ul>
  );
}

function FinishedDuels({ data }: { readonly data: TournamentData }) {
  const rows = useRemovedRows(
    data.finished?.nodes.flatMap((duel) => duel ?? []) ?? [],
    ({ id }) => id,
    ({ endBlock }) => endBlock?.hash,
  );
  if (rows.length === 0) return <Empty path="finished">No duel has ended yet.</Empty>;
  return (
    <ul className="duels">
      {rows.map(({ row: duel, key, isRemoved }) => (
        <li key={key} className={isRemoved ? 'removed' : undefined}>
          <Versus duel={duel} />
          <small>{describeResult(duel)}</small>
        </li>
      ))}
    </ul>
  );
}

/** What the subscription has announced since the page was opened: the last section, so that no other one moves. */
function LiveEvents() {
  const events = useDuelEvents();
  return (
    <Section title="Just now" note="by subscription">
      {events.length === 0 && <p className="muted">Duels that start or end appear here.</p>}
      <ul className="duels live">
        {events.map(({ key, duel }) => (
          <li key={key}>
            <Versus duel={duel} />
            <small>
              {duel.status === 'IN_PROGRESS' ? `started in block ${formatInteger(duel.startBlockNumber)}` : describeResult(duel)}
            </small>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface FinishedDuel {
  readonly powerChange1: string | null;
  readonly winner: { readonly id: string } | null;
  readonly timedOut: boolean | null;
  readonly startBlockNumber: string;
  readonly endBlockNumber: string | null;
}

function describeResult({ powerChange1, winner, timedOut, startBlockNumber, endBlockNumber }: FinishedDuel): string {
  const result = `${winner ? `wizard ${winner.id} won` : outcomeWithoutWinner({ powerChange1 })}${timedOut ? ' by time-out' : ''}`;
  return `${result} in blocks ${formatInteger(startBlockNumber)}–${formatInteger(endBlockNumber ?? 0)}`;
}
