import { shortHex } from '@grimoire/client';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { AffinityIcon } from '../../components/affinity.tsx';
import { Age } from '../../components/age.tsx';
import { Amount } from '../../components/amount.tsx';
import { CallName, Fee, Value } from '../../components/call-name.tsx';
import { Section, Tiles } from '../../components/facts.tsx';
import { columnFormat, formatInteger, formatPower, shortDecimal } from '../../components/format.ts';
import {
  AccountLink,
  BlockLink,
  CopyableHex,
  Hex,
  RecipientLink,
  TokenLink,
  TransactionLink,
  WizardLink,
} from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Redirect } from '../../components/redirect.tsx';
import { Outcome } from '../../components/status.tsx';
import { stableRows, Table } from '../../components/table.tsx';
import { TransferAmount } from '../../components/transfer-amount.tsx';
import { useAccountName } from '../../data/embedded-network.ts';
import { useOlderTransactions } from '../../data/older-transactions.ts';
import { tokenTransferOf } from '../../data/transfers.ts';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useAddress } from './query.ts';

type AddressData = NonNullable<NonNullable<ReturnType<typeof useAddress>['response']>['data']>;
type EventRow = NonNullable<NonNullable<AddressData['events']>['nodes'][number]>;
type AccountData = NonNullable<AddressData['account']>;

/** `/explore/address/<address>`. The address of a token opens the token, except with the parameter `contract`. */
export function AddressPage({ address }: { readonly address: string }) {
  const [isContract, setContract] = useState(false);
  const query = useAddress(address, isContract);
  const search = useSearch();
  const account = query.response?.data?.account;
  const name = useAccountName(address);
  // Only a contract has events: the search for those of another account would read all blocks.
  if (account?.isContract && !isContract) setContract(true);
  if (account?.token && !new URLSearchParams(search).has('contract')) return <Redirect to={`/token/${account.address}`} />;
  return (
    <Page
      kind={account?.isContract ? 'Contract' : 'Account'}
      title={account?.label ?? name ?? shortHex(account?.address ?? address, 6)}
      query={query}
    >
      {(data, { fromBlock, variables }) => (
        <>
          <p className="subject">
            <CopyableHex value={data.account?.address ?? address} name="address" />
          </p>
          {data.account && <Holdings account={data.account} />}
          <Transactions data={data} address={address.toLowerCase()} before={variables.txBefore} fromBlock={fromBlock} />
          {data.received !== undefined && (
            <div className="columns">
              <Transfers title="Tokens received" name="received" list={data.received} fromBlock={fromBlock} />
              <Transfers title="Tokens sent" name="sent" list={data.sent} fromBlock={fromBlock} />
            </div>
          )}
          {data.account?.isContract && <Events list={data.events} fromBlock={fromBlock} />}
        </>
      )}
    </Page>
  );
}

const textOf = ({ formatted, value }: { readonly formatted: string | null; readonly value: string }): string =>
  formatted ?? value;

function Holdings({ account }: { readonly account: AccountData }) {
  const formatBalance = columnFormat(account.tokenBalances?.flatMap(({ balance }) => (balance ? textOf(balance) : [])) ?? [], 9);
  return (
    <>
      <Tiles
        tiles={{
          Ether: <span title={account.balanceIn}>{shortDecimal(account.balanceIn, 9)}</span>,
          [account.isContract ? 'Nonce' : 'Transactions sent']: formatInteger(account.transactionCount),
          ...(account.token && { Token: <TokenLink token={account.token} /> }),
          ...(account.wizards && { Wizards: formatInteger(account.wizards.totalCount) }),
        }}
      />
      <div className="columns">
        {account.tokenBalances && (
          <Section title="Tokens" note="of the known lists">
            <Table
              path="account.tokenBalances"
              empty="No balance in a known token."
              rows={stableRows(account.tokenBalances, ({ token }) => token.address)}
              columns={[
                { title: 'Token', cell: ({ token }) => <TokenLink token={token} /> },
                { title: 'Name', isWide: true, cell: ({ token }) => token.name },
                {
                  title: 'Balance',
                  isNumber: true,
                  cell: ({ balance }) => balance && <Amount text={textOf(balance)} format={formatBalance} />,
                },
              ]}
            />
          </Section>
        )}
        {account.wizards && (
          <Section title="Wizards" note={<Link href="/tournament">tournament</Link>}>
            <Table
              path="account.wizards"
              empty="It owns no wizard."
              rows={stableRows(
                account.wizards.nodes.flatMap((wizard) => wizard ?? []),
                ({ id }) => id,
              )}
              columns={[
                { title: 'Affinity', cell: ({ affinity }) => <AffinityIcon affinity={affinity} size={20} /> },
                { title: 'Wizard', cell: ({ id }) => <WizardLink id={id} /> },
                { title: 'Status', cell: ({ status }) => status.toLowerCase() },
                { title: 'Power', isNumber: true, cell: ({ power }) => formatPower(power) },
              ]}
            />
          </Section>
        )}
      </div>
    </>
  );
}

interface ListProps {
  readonly fromBlock: number;
}

interface TransactionsProps extends ListProps {
  readonly data: AddressData;
  readonly address: string;
  /** Cursor of the page; undefined for the newest one. */
  readonly before: unknown;
}

function Transactions({ data: { transactionsConnection: newest }, address, before, fromBlock }: TransactionsProps) {
  const older = useOlderTransactions(address, useSearchStart(newest, before));
  const found = newest?.nodes.length === 0 ? (older ?? newest) : newest;
  const rows = useRemovedRows(
    found?.nodes.flatMap((node) => node ?? []).toReversed() ?? [],
    ({ hash }) => hash,
    ({ blockHash }) => blockHash,
  );
  const isSearching = found?.nodes.length === 0 && found.pageInfo.hasPreviousPage && older === undefined;
  return (
    <Section title="Transactions" note="sent or received">
      <Table
        path="transactionsConnection"
        empty={
          isSearching ? 'None in the newest blocks. Searching older blocks …' : <NoEntry page={found} fromBlock={fromBlock} />
        }
        rows={rows}
        columns={[
          { title: 'Hash', cell: ({ hash }) => <TransactionLink hash={hash} /> },
          { title: 'Block', isWide: true, cell: ({ block }) => block && <BlockLink number={block.number} /> },
          { title: 'Age', line: 2, cell: ({ block }) => block && <Age timestamp={block.timestamp} /> },
          { title: 'Call', cell: (transaction) => <CallName transaction={transaction} /> },
          {
            title: 'With',
            line: 2,
            cell: ({ from, to, createdContract, status }) =>
              from.address === address ? (
                <>
                  to <RecipientLink to={to} createdContract={createdContract} status={status} />
                </>
              ) : (
                <>
                  from <AccountLink account={from} />
                </>
              ),
          },
          { title: 'Ether', isNumber: true, cell: (transaction) => <Value {...transaction} /> },
          { title: 'Fee', isNumber: true, line: 2, cell: (transaction) => <Fee transaction={transaction} /> },
          { title: 'Result', isNumber: true, line: 3, cell: ({ status }) => <Outcome status={status} /> },
        ]}
      />
      {!isSearching && <Pager name="transactions" pageInfo={found?.pageInfo} fromBlock={rows.length && fromBlock} />}
    </Section>
  );
}

/**
 * Where the search of older blocks starts: the cursor of the first response of a page without an entry, because the cursor of the newest page changes
 * with every head. Null while the page has entries, or the end of the history.
 */
function useSearchStart(newest: AddressData['transactionsConnection'], before: unknown): string | null {
  const [start, setStart] = useState<{ readonly before: unknown; readonly cursor: string } | null>(null);
  const cursor = newest?.nodes.length === 0 && newest.pageInfo.hasPreviousPage ? newest.pageInfo.startCursor : null;
  if (cursor !== null && (start === null || start.before !== before)) setStart({ before, cursor });
  if (cursor === null && newest && start !== null) setStart(null);
  return start?.cursor ?? null;
}

interface NoEntryProps extends ListProps {
  readonly page: { readonly pageInfo: { readonly hasPreviousPage: boolean } } | null | undefined;
}

/** Which blocks have no entry of a list. */
const NoEntry = ({ page, fromBlock }: NoEntryProps) => {
  if (page?.pageInfo.hasPreviousPage) return 'None in the blocks that were searched. Continue with older blocks:';
  return fromBlock === 0 ? 'None.' : `None since block ${formatInteger(fromBlock)}: the node has pruned older ones.`;
};

interface TransfersProps extends ListProps {
  readonly title: string;
  /** The alias of the list, and its parameter of the URL. */
  readonly name: 'received' | 'sent';
  readonly list: AddressData['received'];
}

function Transfers({ title, name, list, fromBlock }: TransfersProps) {
  const rows = useRemovedRows(
    list?.nodes
      .flatMap((log) => {
        const transfer = log && tokenTransferOf(log);
        return transfer ? { ...log, transfer } : [];
      })
      .toReversed() ?? [],
    ({ id }) => id,
    ({ blockHash }) => blockHash,
  );
  const isReceived = name === 'received';
  return (
    <Section title={title}>
      <Table
        path={name}
        empty={<NoEntry page={list} fromBlock={fromBlock} />}
        rows={rows}
        columns={[
          { title: 'Block', line: 2, cell: ({ blockNumber }) => blockNumber && <BlockLink number={blockNumber} /> },
          {
            title: isReceived ? 'From' : 'To',
            cell: ({ transfer: { from, to } }) => <AccountLink account={isReceived ? from : to} />,
          },
          { title: 'Amount', isNumber: true, cell: ({ transfer }) => <TransferAmount transfer={transfer} /> },
          {
            title: 'Transaction',
            isNumber: true,
            line: 2,
            cell: ({ transactionHash }) => <TransactionLink hash={transactionHash} />,
          },
        ]}
      />
      <Pager name={name} pageInfo={list?.pageInfo} fromBlock={rows.length && fromBlock} />
    </Section>
  );
}

/** A link to the transaction of an event with its name, or else its first topic. */
const EventName = ({ log: { decoded, topics, transactionHash } }: { readonly log: EventRow }) => (
  <Link href={`/tx/${transactionHash}`} className="call">
    {decoded?.name ?? (topics[0] ? <Hex value={topics[0]} /> : 'anonymous')}
  </Link>
);

/** What a contract itself has logged. */
function Events({ list, fromBlock }: ListProps & { readonly list: AddressData['events'] }) {
  const rows = useRemovedRows(
    list?.nodes.flatMap((log) => log ?? []).toReversed() ?? [],
    ({ id }) => id,
    ({ blockHash }) => blockHash,
  );
  return (
    <Section title="Events of the contract">
      <Table
        path="events"
        empty={list ? <NoEntry page={list} fromBlock={fromBlock} /> : 'Loading'}
        rows={rows}
        columns={[
          { title: 'Block', cell: ({ blockNumber }) => blockNumber && <BlockLink number={blockNumber} /> },
          { title: 'Event', cell: (log) => <EventName log={log} /> },
          { title: 'Transaction', isWide: true, cell: ({ transactionHash }) => <TransactionLink hash={transactionHash} /> },
        ]}
      />
      <Pager name="events" pageInfo={list?.pageInfo} fromBlock={rows.length && fromBlock} />
    </Section>
  );
}
