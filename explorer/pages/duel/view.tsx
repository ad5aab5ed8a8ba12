import { shortHex } from '@grimoire/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { AffinityIcon, affinityName } from '../../components/affinity.tsx';
import { Time } from '../../components/age.tsx';
import { DuelRounds } from '../../components/duel-rounds.tsx';
import { Facts } from '../../components/facts.tsx';
import { formatInteger, formatPower, shortDecimal } from '../../components/format.ts';
import { AccountLink, BlockLink, CopyableHex, WizardLink } from '../../components/links.tsx';
import { Notice, Page } from '../../components/page.tsx';
import { NotFound } from '../../components/problem.tsx';
import { outcomeWithoutWinner } from '../../data/duel-outcome.ts';
import { useLive } from '../../graph/live.tsx';
import { useDuel } from './query.ts';

type DuelData = NonNullable<NonNullable<NonNullable<ReturnType<typeof useDuel>['response']>['data']>['duel']>;

/** `/explore/duel/<id>`. */
export function DuelPage({ id }: { readonly id: string }) {
  const query = useDuel(id);
  const { wizard1Id, wizard2Id } = query.response?.data?.duel ?? {};
  const name = wizard1Id && `Wizard ${wizard1Id} vs Wizard ${wizard2Id}`;
  return (
    <Page kind="Duel" title={name ?? shortHex(id, 8)} name={name} query={query}>
      {({ duel }) =>
        duel ? (
          <DuelContents duel={duel} />
        ) : (
          <NotFound subject="duel with this id">
            The id of a duel is 0x and 64 hexadecimal digits. <Link href="/tournament">The duels of the tournament</Link>
          </NotFound>
        )
      }
    </Page>
  );
}

function DuelContents({ duel }: { readonly duel: DuelData }) {
  const { removed } = useLive();
  return (
    <div className={removed.has(duel.startBlock?.hash ?? '') ? 'undone' : undefined}>
      <div className="fighters">
        <Fighter
          id={duel.wizard1Id}
          wizard={duel.wizard1}
          affinity={duel.affinity1}
          isWinner={duel.winner !== null && duel.winner.id === duel.wizard1Id}
          power={<PowerChange start={duel.startPower1} end={duel.endPower1} change={duel.powerChange1} />}
        />
        <p className="result">{resultOf(duel)}</p>
        <Fighter
          id={duel.wizard2Id}
          wizard={duel.wizard2}
          affinity={duel.affinity2}
          isWinner={duel.winner !== null && duel.winner.id === duel.wizard2Id}
          power={<PowerChange start={duel.startPower2} end={duel.endPower2} change={duel.powerChange2} />}
        />
      </div>
      {duel.rounds.length > 0 ? (
        <DuelRounds rounds={duel.rounds} wizard1Id={duel.wizard1Id} wizard2Id={duel.wizard2Id} />
      ) : (
        <Notice>
          {duel.status === 'IN_PROGRESS'
            ? 'The moves are hidden until the duel ends. This page shows them then.'
            : duel.timedOut
              ? 'It timed out, so there were no rounds.'
              : 'The wizard service does not state the moves.'}
        </Notice>
      )}
      <Facts
        facts={{
          Started: duel.startBlock && (
            <>
              block <BlockLink number={duel.startBlock.number} />, <Time timestamp={duel.startBlock.timestamp} />
            </>
          ),
          Ended: duel.endBlock && (
            <>
              block <BlockLink number={duel.endBlock.number} />, <Time timestamp={duel.endBlock.timestamp} />
            </>
          ),
          'Times out': duel.endBlock ? null : duel.timeoutBlockNumber && `block ${formatInteger(duel.timeoutBlockNumber)}`,
          Kind: duel.isAscensionBattle ? 'ascension battle' : null,
          Id: <CopyableHex value={duel.id} name="id" />,
        }}
      />
    </div>
  );
}

function resultOf({ status, winner, timedOut, powerChange1 }: DuelData): string {
  if (status === 'IN_PROGRESS') return 'in progress';
  const result = winner ? `Wizard ${winner.id} won` : outcomeWithoutWinner({ powerChange1 });
  return timedOut ? `${result} by time-out` : result;
}

interface FighterProps {
  readonly id: string;
  readonly wizard: DuelData['wizard1'];
  readonly affinity: DuelData['affinity1'];
  readonly isWinner: boolean;
  readonly power: ReactNode;
}

const Fighter = ({ id, wizard, affinity, isWinner, power }: FighterProps) => (
  <div className={isWinner ? 'fighter winner' : 'fighter'}>
    <AffinityIcon affinity={affinity} size={56} />
    <h2>
      <WizardLink id={id} />
    </h2>
    <p className="muted">{affinityName(affinity)}</p>
    {power}
    {wizard?.owner && (
      <p>
        <small>
          <AccountLink account={wizard.owner} /> · {shortDecimal(wizard.owner.balanceIn)} ether
        </small>
      </p>
    )}
  </div>
);

interface PowerChangeProps {
  readonly start: string | null;
  readonly end: string | null;
  readonly change: string | null;
}

const PowerChange = ({ start, end, change }: PowerChangeProps) =>
  start !== null &&
  end !== null &&
  change !== null && (
    <p>
      {formatPower(start)} → <b>{formatPower(end)}</b>{' '}
      <span className={change.startsWith('-') ? 'bad' : 'good'}>
        {change.startsWith('-') ? '' : '+'}
        {formatPower(change)}
      </span>
    </p>
  );
