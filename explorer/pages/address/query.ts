import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKENS = graphql(`
  fragment AccountTokens on Account @_unmask {
    token { address symbol name }
    tokenBalances(nonZero: true) { token { address symbol name logo } balance { formatted value } }
  }
`);
const WIZARDS = graphql(`
  fragment AccountWizards on Account @_unmask {
    wizards(orderBy: POWER_DESC) { totalCount nodes { id affinity power status } }
  }
`);
const ADDRESS = graphql(
  `
  query Address($address: Address!, $sent: [Bytes32!]!) {
    account(address: $address) {
      address label balanceIn transactionCount isContract
      ...AccountTokens
      ...AccountWizards
    }
    transactionsConnection(last: 12, filter: { participant: $address }) {
      nodes { hash blockNumber blockHash valueIn status decoded { name } from { address label } to { address label } }
    }
    logsConnection(last: 12, filter: { fromBlock: 0, topics: [[], $sent] }) {
      nodes { id blockNumber blockHash transactionHash decoded { name } account { address label } }
    }
  }
`,
  [TOKENS, WIZARDS],
);

/** An account with its activity: the transactions of recent blocks, and the events that name it first. */
export const useAddress = (address: string) => {
  const topic = `0x${address.slice(2).toLowerCase().padStart(64, '0')}` as const;
  return useGraph(ADDRESS, { address: address.toLowerCase() as `0x${string}`, sent: [topic] }, { live: true });
};
