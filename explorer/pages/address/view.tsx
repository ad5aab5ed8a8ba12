import { shortHex } from '@grimoire/client';
import { Link, useSearch } from 'wouter';
import { AffinityIcon } from '../../components/affinity.tsx';
import { Age } from '../../components/age.tsx';
import { CallName, Fee, Value } from '../../components/call-name.tsx';
import { Section, Tiles } from '../../components/facts.tsx';
import { formatInteger, formatPower, shortDecimal } from '../../components/format.ts';
import { AccountLink, BlockLink, CopyableHex, TokenLink, TransactionLink, WizardLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Redirect } from '../../components/redirect.tsx';
import { Outcome } from '../../components/status.tsx';
import { stableRows, Table } from '../../components/table.tsx';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useAddress } from './query.ts';

type AddressData = NonNullable<NonNullable<ReturnType<typeof useAddress>['response']>['data']>;
type AccountData = NonNullable<AddressData['account']>;

/** `/explore/address/<address>`. The address of a token opens the token, except with the parameter `contract`. */
export function AddressPage({ address }: { readonly address: string }) {
  const query = useAddress(address);
  const search = useSearch();
  const account = query.response?.data?.account;
  if (account?.token && !new URLSearchParams(search).has('contract')) return <Redirect to={`/token/${account.address}`} />;
  return (
    <Page kind={account?.isContract ? 'Contract' : 'Account'} title={account?.label ?? shortHex(address, 6)} query={query}>
      {(data) => (
        <>
          <p className="subject">
            <CopyableHex value={data.account?.address ?? address} name="address" />
          </p>
          {data.account && <Holdings account={data.account} />}
          <Transactions data={data} address={address.toLowerCase()} />
          <Events data={data} />
        </>
      )}
    </Page>
  );
}

const Holdings = ({ account }: { readonly account: AccountData }) => (
  <>
    <Tiles
      tiles={{
        Ether: <span title={account.balanceIn}>{shortDecimal(account.balanceIn, 9)}</span>,
        [account.isContract ? 'Contracts created' : 'Transactions sent']: formatInteger(account.transactionCount),
        ...(account.token && { Token: <TokenLink token={account.token} /> }),
        ...(account.wizards && { Wizards: formatInteger(account.wizards.totalCount) }),
      }}
    />
    <div className="columns">
      {account.tokenBalances && (
        <Section title="Tokens" note="of the known lists">
          <Table
            empty="No balance in a known token."
            rows={stableRows(account.tokenBalances, ({ token }) => token.address)}
            columns={[
              { title: 'Token', cell: ({ token }) => <TokenLink token={token} /> },
              { title: 'Name', isWide: true, cell: ({ token }) => token.name },
              {
                title: 'Balance',
                isNumber: true,
                cell: ({ balance }) => balance && shortDecimal(balance.formatted ?? balance.value, 9),
              },
            ]}
          />
        </Section>
      )}
      {account.wizards && (
        <Section title="Wizards" note={<Link href="/tournament">tournament</Link>}>
          <Table
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

function Transactions({ data, address }: { readonly data: AddressData; readonly address: string }) {
  const nodes = data.transactionsConnection?.nodes.flatMap((node) => node ?? []).toReversed() ?? [];
  const rows = useRemovedRows(
    nodes,
    ({ hash }) => hash,
    ({ blockHash }) => blockHash,
  );
  return (
    <Section title="Transactions" note="sent or received">
      <Table
        empty="None in the blocks that were searched."
        rows={rows}
        columns={[
          { title: 'Hash', cell: ({ hash }) => <TransactionLink hash={hash} /> },
          { title: 'Block', isWide: true, cell: ({ block }) => block && <BlockLink number={block.number} /> },
          { title: 'Age', line: 2, cell: ({ block }) => block && <Age timestamp={block.timestamp} /> },
          { title: 'Call', cell: (transaction) => <CallName transaction={transaction} /> },
          {
            title: 'With',
            line: 2,
            cell: ({ from, to, createdContract }) =>
              from.address === address ? (
                <>
                  to <AccountLink account={to ?? createdContract} />
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
      <Pager name="transactions" pageInfo={data.transactionsConnection?.pageInfo} />
    </Section>
  );
}

function Events({ data }: { readonly data: AddressData }) {
  const nodes = data.logsConnection?.nodes.flatMap((node) => node ?? []).toReversed() ?? [];
  const rows = useRemovedRows(
    nodes,
    ({ id }) => id,
    ({ blockHash }) => blockHash,
  );
  return (
    <Section title="Events" note="that name the address first">
      <Table
        empty="None."
        rows={rows}
        columns={[
          { title: 'Block', cell: ({ blockNumber }) => blockNumber && <BlockLink number={blockNumber} /> },
          { title: 'Event', cell: ({ decoded }) => <span className="call">{decoded?.name ?? 'unknown'}</span> },
          { title: 'Contract', line: 2, cell: ({ account }) => <AccountLink account={account} /> },
          { title: 'Transaction', line: 2, cell: ({ transactionHash }) => <TransactionLink hash={transactionHash} /> },
        ]}
      />
      <Pager name="events" pageInfo={data.logsConnection?.pageInfo} />
    </Section>
  );
}
