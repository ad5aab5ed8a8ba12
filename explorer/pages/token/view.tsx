import { shortHex } from '@grimoire/client';
import { Link } from 'wouter';
import { Amount } from '../../components/amount.tsx';
import { Section, Tiles } from '../../components/facts.tsx';
import { amountOf, columnFormat, shortDecimal } from '../../components/format.ts';
import { AccountLink, BlockLink, CopyableHex, TransactionLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { NotFound } from '../../components/problem.tsx';
import { stableRows, Table } from '../../components/table.tsx';
import { holdersOf } from '../../data/holders.ts';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useToken } from './query.ts';

type TokenData = NonNullable<NonNullable<NonNullable<ReturnType<typeof useToken>['response']>['data']>['token']>;

/** Number of accounts whose balances are shown. */
const MAX_HOLDERS = 20;

const balanceOf = ({ tokenBalance }: ReturnType<typeof holdersOf>[number]): string =>
  tokenBalance?.balance?.formatted ?? tokenBalance?.balance?.value ?? '0';

/** `/explore/token/<address>`. */
export function TokenPage({ address }: { readonly address: string }) {
  const query = useToken(address);
  const token = query.response?.data?.token;
  return (
    <Page kind="Token" title={token?.name ?? token?.symbol ?? shortHex(address, 6)} query={query}>
      {(data, { fromBlock }) =>
        data.token ? (
          <TokenContents token={data.token} fromBlock={fromBlock} />
        ) : (
          <NotFound subject="token at this address">
            No token list and no contract names it. <Link href={`/address/${address}`}>The account at this address</Link> or{' '}
            <Link href="/tokens">all tokens</Link>
          </NotFound>
        )
      }
    </Page>
  );
}

function TokenContents({ token, fromBlock }: { readonly token: TokenData; readonly fromBlock: number }) {
  const transfers = token.transfers?.nodes.toReversed() ?? [];
  const rows = useRemovedRows(
    transfers,
    ({ log }) => log.id,
    ({ log }) => log.blockHash,
  );
  const holders = holdersOf(transfers).slice(0, MAX_HOLDERS);
  const formatTransfer = columnFormat(
    transfers.map(({ amount }) => amountOf(amount, token.decimals)),
    6,
  );
  const formatBalance = columnFormat(holders.map(balanceOf), 9);
  return (
    <>
      <p className="subject">
        {token.logo?.startsWith('data:image/') && <img src={token.logo} alt="" width="32" height="32" />}
        <CopyableHex value={token.address} name="address" href={`/address/${token.address}?contract`} />
      </p>
      <Tiles
        tiles={{
          Symbol: token.symbol,
          Supply: token.totalSupply && shortDecimal(token.totalSupply.formatted ?? token.totalSupply.value, 9),
          Decimals: token.decimals,
          'Ether of the contract': token.account && shortDecimal(token.account.balanceIn),
        }}
      />
      <div className="columns">
        <Section title="Transfers" note="newest first">
          <Table
            path="token.transfers"
            empty={
              token.transfers?.pageInfo.hasPreviousPage
                ? 'None in the blocks that were searched. Continue with older blocks:'
                : 'None.'
            }
            rows={rows}
            columns={[
              { title: 'Block', line: 2, cell: ({ log }) => log.blockNumber && <BlockLink number={log.blockNumber} /> },
              { title: 'Transaction', line: 2, cell: ({ log }) => <TransactionLink hash={log.transactionHash} /> },
              { title: 'From', cell: ({ from }) => <AccountLink account={from} /> },
              { title: 'To', cell: ({ to }) => <AccountLink account={to} /> },
              {
                title: 'Amount',
                isNumber: true,
                cell: ({ amount }) => <Amount text={amountOf(amount, token.decimals)} format={formatTransfer} />,
              },
            ]}
          />
          <Pager name="transfers" pageInfo={token.transfers?.pageInfo} fromBlock={fromBlock} />
        </Section>
        <Section title="Balances now" note="of the accounts in these transfers">
          <Table
            path="token.transfers"
            empty="None of these accounts has a balance."
            rows={stableRows(holders, (account) => account.address)}
            columns={[
              { title: 'Account', cell: (account) => <AccountLink account={account} /> },
              {
                title: 'Balance',
                isNumber: true,
                cell: (account) => <Amount text={balanceOf(account)} format={formatBalance} />,
              },
            ]}
          />
        </Section>
      </div>
    </>
  );
}
