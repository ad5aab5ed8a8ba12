import { formatUnits, toDate, toNumber } from '@grimoire/client';
import { graphql, type ResultOf } from '@grimoire/client/tada';
import { request } from 'graphql-request';
import type { Page, PageTransfer } from './page.ts';

const query = graphql(`
  query Page($address: Address!) {
    account(address: $address) { balanceIn(unit: ETHER) }
    blocks(last: 10) {
      number
      timestamp
      transactions {
        hash
        status
        from { address balanceIn(unit: ETHER) }
        logs {
          account { token { symbol decimals } }
          decoded { name arguments { name value } }
        }
      }
    }
  }
`);

type Log = NonNullable<NonNullable<ResultOf<typeof query>['blocks'][number]['transactions']>[number]['logs']>[number];

function describeTransfer({ account: { token }, decoded }: Log): PageTransfer[] {
  const { from, to, value } = Object.fromEntries(decoded?.arguments.map((argument) => [argument.name, argument.value]) ?? []);
  if (decoded?.name !== 'Transfer' || !token?.symbol || !token.decimals || value === undefined) return [];
  return [{ symbol: token.symbol, amount: formatUnits(value, toNumber(token.decimals)), from, to }];
}

export async function loadPage(url: string, address: `0x${string}`): Promise<Page> {
  const { account, blocks } = await request(url, query, { address });
  return {
    balance: account!.balanceIn,
    blocks: blocks.map(({ number, timestamp, transactions }) => ({
      number: toNumber(number),
      time: toDate(timestamp).toISOString(),
      transactions: transactions!.map(({ hash, status, from, logs }) => ({
        hash,
        succeeded: status === '0x1',
        sender: from!.address,
        balance: from!.balanceIn,
        transfers: logs!.flatMap(describeTransfer),
      })),
    })),
  };
}
