import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKEN = graphql(`
  query Token($address: Address!) {
    token(address: $address) {
      address name symbol decimals logo
      totalSupply { formatted value }
      account { balanceIn }
      transfers(last: 20) {
        nodes {
          amount
          from { address label tokenBalance(contract: $address) { balance { formatted value } } }
          to { address label tokenBalance(contract: $address) { balance { formatted value } } }
          log { id blockNumber blockHash transactionHash }
        }
      }
    }
  }
`);

type Balance = { readonly formatted: string | null; readonly value: string };
type Party = {
  readonly address: string;
  readonly label: string | null;
  readonly tokenBalance: { readonly balance: Balance | null } | null;
};

/** A token, its last transfers, and the present balances of their senders and recipients. */
export const useToken = (address: string) => useGraph(TOKEN, { address: address.toLowerCase() as `0x${string}` }, { live: true });

/** The distinct accounts of the transfers, the largest balance first. */
export const holdersOf = (transfers: readonly { readonly from: Party; readonly to: Party }[]): Party[] => {
  const accounts = new Map(transfers.flatMap(({ from, to }) => [from, to]).map((account) => [account.address, account]));
  const balanceOf = ({ tokenBalance }: Party) => BigInt(tokenBalance?.balance?.value ?? 0);
  return [...accounts.values()].sort((a, b) => (balanceOf(a) < balanceOf(b) ? 1 : -1));
};
