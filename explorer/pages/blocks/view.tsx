import { Age } from '../../components/age.tsx';
import { Section } from '../../components/facts.tsx';
import { feeColumn, formatInteger } from '../../components/format.ts';
import { AccountLink, BlockHashLink, BlockLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Table } from '../../components/table.tsx';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useBlocks } from './query.ts';

type BlocksData = NonNullable<NonNullable<ReturnType<typeof useBlocks>['response']>['data']>;

/** `/explore/blocks`: all blocks, the newest first. */
export const BlocksPage = () => (
  <Page title="Blocks" query={useBlocks()}>
    {({ blocksConnection }, { fromBlock }) => blocksConnection && <Blocks connection={blocksConnection} fromBlock={fromBlock} />}
  </Page>
);

interface BlocksProps {
  readonly connection: NonNullable<BlocksData['blocksConnection']>;
  readonly fromBlock: number;
}

function Blocks({ connection, fromBlock }: BlocksProps) {
  const rows = useRemovedRows(
    connection.nodes.flatMap((block) => block ?? []).toReversed(),
    ({ hash }) => hash,
    ({ hash }) => hash,
  );
  const formatFee = feeColumn(rows.flatMap(({ row }) => row.baseFeePerGas ?? []));
  return (
    <Section title="Blocks" note="newest first">
      <Table
        empty="No blocks."
        rows={rows}
        columns={[
          { title: 'Block', cell: ({ number }) => <BlockLink number={number} /> },
          { title: 'Hash', isWide: true, cell: ({ hash }) => <BlockHashLink hash={hash} /> },
          { title: 'Age', cell: ({ timestamp }) => <Age timestamp={timestamp} /> },
          { title: 'Fee recipient', isWide: true, cell: ({ miner }) => <AccountLink account={miner} /> },
          { title: 'Txs', isNumber: true, cell: ({ transactionCount }) => transactionCount && Number(transactionCount) },
          { title: 'Gas used', isNumber: true, cell: ({ gasUsed }) => formatInteger(gasUsed) },
          {
            title: 'Base fee',
            isNumber: true,
            isWide: true,
            cell: ({ baseFeePerGas }) => baseFeePerGas && formatFee(baseFeePerGas),
          },
        ]}
      />
      <Pager name="blocks" pageInfo={connection.pageInfo} fromBlock={fromBlock} />
    </Section>
  );
}
