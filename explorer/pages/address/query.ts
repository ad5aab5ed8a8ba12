import { useSearch } from 'wouter';
import { addressVariables } from '../../data/address-variables.ts';
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
  query Address($address: Address!, $sent: [Bytes32!]!, $txFirst: Int, $txLast: Int, $txBefore: String, $txAfter: String,
      $logFirst: Int, $logLast: Int, $logBefore: String, $logAfter: String) {
    account(address: $address) { address label balanceIn transactionCount isContract
      ...AccountTokens
      ...AccountWizards
    }
    transactionsConnection(first: $txFirst, last: $txLast, before: $txBefore, after: $txAfter, filter: { participant: $address }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { hash blockHash valueIn status gasUsed effectiveGasPrice block { number timestamp }
        decoded { name } from { address label } to { address label } createdContract { address label } } }
    logsConnection(first: $logFirst, last: $logLast, before: $logBefore, after: $logAfter,
        filter: { fromBlock: 0, topics: [[], $sent] }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { id blockNumber blockHash transactionHash decoded { name } account { address label } } }
  }`,
  [TOKENS, WIZARDS],
);

/** An account with the transactions that it sent or received, and the events that name it first. */
export const useAddress = (address: string) => useGraph(ADDRESS, addressVariables(address, useSearch()), { live: true });
