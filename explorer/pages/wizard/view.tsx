import { Link } from 'wouter';
import { AffinityIcon, affinityName } from '../../components/affinity.tsx';
import { Time } from '../../components/age.tsx';
import { Facts, Section, Tiles } from '../../components/facts.tsx';
import { formatInteger, formatPower, shortDecimal } from '../../components/format.ts';
import { AccountLink, BlockLink, WizardLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { NotFound } from '../../components/problem.tsx';
import { RecordBar } from '../../components/record-bar.tsx';
import { Table } from '../../components/table.tsx';
import { Versus } from '../../components/versus.tsx';
import { outcomeWithoutWinner } from '../../data/duel-outcome.ts';
import { useDuelPeriod } from '../../data/embedded-network.ts';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useWizard } from './query.ts';

type WizardData = NonNullable<NonNullable<NonNullable<ReturnType<typeof useWizard>['response']>['data']>['wizard']>;
type DuelRow = NonNullable<NonNullable<WizardData['duels']>['nodes'][number]>;

/** `/explore/wizard/<id>`. */
export const WizardPage = ({ id }: { readonly id: string }) => (
  <Page kind="Wizard" title={`Wizard ${id}`} query={useWizard(id)}>
    {({ wizard }) =>
      wizard ? (
        <WizardContents wizard={wizard} />
      ) : (
        <NotFound subject={`wizard ${id}`}>
          Ids of wizards are numbers from 1 on. <Link href="/tournament">All wizards of the tournament</Link>
        </NotFound>
      )
    }
  </Page>
);

const WizardContents = ({ wizard }: { readonly wizard: WizardData }) => (
  <>
    <Tiles
      tiles={{
        Affinity: (
          <span className="with-icon">
            <AffinityIcon affinity={wizard.affinity} size={28} />
            {affinityName(wizard.affinity)}
          </span>
        ),
        Power: formatPower(wizard.power),
        'Since creation': <Change power={wizard.powerChange} />,
        Status: <span className={wizard.status === 'ALIVE' ? 'good' : 'bad'}>{wizard.status.toLowerCase()}</span>,
      }}
    />
    {wizard.record && <RecordBar record={wizard.record} />}
    <Facts
      facts={{
        Owner: wizard.owner && (
          <>
            <AccountLink account={wizard.owner} /> with {shortDecimal(wizard.owner.balanceIn)} ether
          </>
        ),
        'All wizards of the owner': wizard.owner?.wizards?.totalCount,
        Created: wizard.createdBlock && <Moment block={wizard.createdBlock} />,
        Eliminated: wizard.eliminatedBlock && <Moment block={wizard.eliminatedBlock} />,
        'In a duel now': wizard.activeDuel && <Versus duel={wizard.activeDuel} />,
      }}
    />
    <Duels wizard={wizard} />
  </>
);

const Moment = ({ block }: { readonly block: { readonly number: string; readonly timestamp: string } }) => (
  <>
    block <BlockLink number={block.number} />, <Time timestamp={block.timestamp} />
  </>
);

const Change = ({ power }: { readonly power: string | null }) =>
  power !== null && (
    <span className={power === '0' ? 'muted' : power.startsWith('-') ? 'bad' : 'good'}>
      {power === '0' || power.startsWith('-') ? '' : '+'}
      {formatPower(power)}
    </span>
  );

function Duels({ wizard: { id: wizardId, duels } }: { readonly wizard: WizardData }) {
  const period = useDuelPeriod();
  const rows = useRemovedRows(
    duels?.nodes.flatMap((duel) => duel ?? []) ?? [],
    ({ id }) => id,
    ({ startBlock }) => startBlock?.hash,
  );
  const resultOf = ({ status, winner, timedOut, powerChange1 }: DuelRow): string => {
    if (status === 'IN_PROGRESS') return 'in progress';
    const result = winner === null ? outcomeWithoutWinner({ powerChange1 }) : winner.id === wizardId ? 'won' : 'lost';
    return timedOut ? `${result}, timed out` : result;
  };
  return (
    <Section title="Duels" note={[duels?.totalCount, period].filter((part) => part !== undefined).join(', ')}>
      <Table
        path="wizard.duels"
        empty={period ? `No duel of the ${period}: the wizard service has no older ones.` : 'No duel.'}
        rows={rows}
        columns={[
          { title: 'Against', cell: (duel) => <Opponent wizardId={wizardId} duel={duel} /> },
          { title: 'Blocks', isWide: true, cell: blocksOf },
          { title: 'Result', cell: (duel) => <Link href={`/duel/${duel.id}`}>{resultOf(duel)}</Link> },
          {
            title: 'Power',
            isNumber: true,
            cell: (duel) => <Change power={duel.wizard1Id === wizardId ? duel.powerChange1 : duel.powerChange2} />,
          },
        ]}
      />
      <Pager name="duels" pageInfo={duels?.pageInfo} isForward />
    </Section>
  );
}

function Opponent({ wizardId, duel }: { readonly wizardId: string; readonly duel: DuelRow }) {
  const isFirst = duel.wizard1Id === wizardId;
  return (
    <span className="with-icon">
      <AffinityIcon affinity={isFirst ? duel.affinity2 : duel.affinity1} size={20} />
      <WizardLink id={isFirst ? duel.wizard2Id : duel.wizard1Id} />
    </span>
  );
}

const blocksOf = ({ startBlockNumber, endBlockNumber }: DuelRow): string => {
  const start = formatInteger(startBlockNumber);
  return endBlockNumber === null ? `since ${start}` : `${start} – ${formatInteger(endBlockNumber)}`;
};
