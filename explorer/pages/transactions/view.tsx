import { Age } from '../../components/age.tsx';
import { CallName, Fee, Value } from '../../components/call-name.tsx';
import { Section } from '../../components/facts.tsx';
import { AccountLink, BlockLink, RecipientLink, TransactionLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Outcome } from '../../components/status.tsx';
import { Table } from '../../components/table.tsx';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useTransactions } from './query.ts';

type TransactionsData = NonNullable<NonNullable<ReturnType<typeof useTransactions>['response']>['data']>;

/** `/explore/transactions`: the transactions of all blocks, the newest first. */
export const TransactionsPage = () => (
  <Page title="Transactions" query={useTransactions()}>
    {({ transactionsConnection }, { fromBlock }) =>
      transactionsConnection && <Transactions connection={transactionsConnection} fromBlock={fromBlock} />
    }
  </Page>
);

interface TransactionsProps {
  readonly connection: NonNullable<TransactionsData['transactionsConnection']>;
  readonly fromBlock: number;
}

function Transactions({ connection, fromBlock }: TransactionsProps) {
  const rows = useRemovedRows(
    connection.nodes.flatMap((transaction) => transaction ?? []).toReversed(),
    ({ hash }) => hash,
    ({ blockHash }) => blockHash,
  );
  return (
    <Section title="Transactions" note="newest first">
      <Table
        empty={
          connection.pageInfo.hasPreviousPage ? 'None in the blocks that were searched. Continue with older blocks:' : 'None.'
        }
        rows={rows}
        columns={[
          { title: 'Hash', cell: ({ hash }) => <TransactionLink hash={hash} /> },
          { title: 'Block', isWide: true, cell: ({ block }) => block && <BlockLink number={block.number} /> },
          { title: 'Call', cell: (transaction) => <CallName transaction={transaction} /> },
          { title: 'From', line: 2, cell: ({ from }) => <AccountLink account={from} /> },
          { title: 'To', line: 2, cell: (transaction) => <RecipientLink {...transaction} /> },
          { title: 'Ether', isNumber: true, cell: (transaction) => <Value {...transaction} /> },
          { title: 'Fee', isNumber: true, isWide: true, cell: (transaction) => <Fee transaction={transaction} /> },
          { title: 'Age', isNumber: true, line: 2, cell: ({ block }) => block && <Age timestamp={block.timestamp} /> },
          { title: 'Result', isNumber: true, line: 3, cell: ({ status }) => <Outcome status={status} /> },
        ]}
      />
      <Pager name="transactions" pageInfo={connection.pageInfo} fromBlock={fromBlock} />
    </Section>
  );
}
