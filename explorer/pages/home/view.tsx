import { toBigInt } from '@grimoire/client';
import { Link } from 'wouter';
import { Age } from '../../components/age.tsx';
import { CallName, Value } from '../../components/call-name.tsx';
import { Section, Tiles } from '../../components/facts.tsx';
import { formatFee, formatInteger } from '../../components/format.ts';
import { GasChart } from '../../components/gas-chart.tsx';
import { AccountLink, BlockHashLink, BlockLink, TransactionLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Table } from '../../components/table.tsx';
import { Versus } from '../../components/versus.tsx';
import type { HeadRow } from '../../data/heads.ts';
import { useHeads } from '../../data/use-heads.ts';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useHome } from './query.ts';

/** Number of heads in the table; the chart has all. */
const TABLE_ROWS = 12;

type HomeData = NonNullable<NonNullable<ReturnType<typeof useHome>['response']>['data']>;

/** `/explore`: the head of the chain, gas, the last blocks and transactions, and the duels in progress. */
export const HomePage = () => (
  <Page title="The chain" query={useHome()}>
    {(data) => <Home data={data} />}
  </Page>
);

function Home({ data }: { readonly data: HomeData }) {
  const heads = useHeads(
    data.blocks.map(({ number, gasUsed, gasLimit, transactionCount, ...rest }) => ({
      ...rest,
      number: Number(number),
      gasUsed: Number(gasUsed),
      gasLimit: Number(gasLimit),
      transactionCount: transactionCount === null ? null : Number(transactionCount),
    })),
  );
  const head = heads.find(({ isRemoved }) => !isRemoved)?.block;
  return (
    <>
      <Tiles
        tiles={{
          Head: head && <BlockLink number={head.number} />,
          Finalized: data.finalized && <BlockLink number={data.finalized.number} />,
          'Next base fee': data.head?.nextBaseFeePerGas && formatFee(data.head.nextBaseFeePerGas),
          'Priority fee': formatFee(data.maxPriorityFeePerGas),
          Chain: String(toBigInt(data.chainID)),
        }}
      />
      <Section title="Gas" note="of the last blocks, with the base fee">
        <GasChart heads={heads} />
      </Section>
      <div className="columns">
        <Section title="Blocks" note={<Link href="/blocks">all blocks</Link>}>
          <Heads heads={heads} />
        </Section>
        <Section title="Transactions" note={<Link href="/transactions">all transactions</Link>}>
          <Transactions blocks={data.recent} />
        </Section>
      </div>
      {data.duels && <RunningDuels duels={data.duels} />}
    </>
  );
}

const Heads = ({ heads }: { readonly heads: readonly HeadRow[] }) => (
  <Table
    empty="No blocks."
    rows={heads.slice(0, TABLE_ROWS).map(({ block, isRemoved }) => ({ row: block, key: block.hash, isRemoved }))}
    columns={[
      { title: 'Block', cell: ({ number }) => <BlockLink number={number} /> },
      { title: 'Hash', isWide: true, cell: ({ hash }) => <BlockHashLink hash={hash} /> },
      { title: 'Txs', isNumber: true, cell: ({ transactionCount }) => transactionCount ?? '–' },
      { title: 'Gas used', isNumber: true, cell: ({ gasUsed }) => formatInteger(gasUsed) },
      { title: 'Age', isNumber: true, cell: ({ timestamp }) => <Age timestamp={timestamp} /> },
    ]}
  />
);

function Transactions({ blocks }: { readonly blocks: HomeData['recent'] }) {
  const newestFirst = blocks
    .flatMap((block) => (block.transactions ?? []).map((transaction) => ({ ...transaction, blockHash: block.hash })))
    .toReversed();
  const rows = useRemovedRows(
    newestFirst,
    ({ hash }) => hash,
    ({ blockHash }) => blockHash,
  );
  return (
    <Table
      path="recent"
      empty="No transactions in the last blocks."
      rows={rows.filter(({ isRemoved }, index) => !isRemoved || index < TABLE_ROWS / 2).slice(0, TABLE_ROWS)}
      columns={[
        { title: 'Hash', cell: ({ hash }) => <TransactionLink hash={hash} /> },
        { title: 'Call', cell: (transaction) => <CallName transaction={transaction} /> },
        { title: 'From', line: 2, cell: ({ from }) => <AccountLink account={from} /> },
        { title: 'To', line: 2, cell: ({ to }) => <AccountLink account={to} /> },
        { title: 'Ether', isNumber: true, cell: (transaction) => <Value {...transaction} /> },
      ]}
    />
  );
}

const RunningDuels = ({ duels: { nodes, totalCount } }: { readonly duels: NonNullable<HomeData['duels']> }) => (
  <Section title="Duels in progress" note={<Link href="/tournament">{totalCount} in the tournament</Link>}>
    {nodes.length === 0 && <p className="muted">No duel is in progress.</p>}
    <ul className="duels">
      {nodes.map(
        (duel) =>
          duel && (
            <li key={duel.id}>
              <Versus duel={duel} />
              <small>since block {formatInteger(duel.startBlockNumber)}</small>
            </li>
          ),
      )}
    </ul>
  </Section>
);
