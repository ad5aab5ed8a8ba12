import { useSearch } from 'wouter';
import { addressVariables } from '../../data/address-variables.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKENS = graphql(`
  fragment AccountTokens on Account @_unmask {
    token { address symbol name } tokenBalances(nonZero: true) { token { address symbol name logo } balance { formatted value } }
  }
`);
const WIZARDS = graphql(`
  fragment AccountWizards on Account @_unmask { wizards(orderBy: POWER_DESC) { totalCount nodes { id affinity power status } }
  }
`);
const TRANSFERS = graphql(`
  fragment AccountTransfers on Query @_unmask {
    received: logsConnection(first: 12, last: $inLast, before: $inBefore, after: $inAfter, filter: { fromBlock: $fromBlock, topics: $in }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { id blockNumber blockHash transactionHash
        account { address label token { address symbol decimals logo } } decoded { signature arguments { name value account { address label } } } } }
    sent: logsConnection(first: 12, last: $outLast, before: $outBefore, after: $outAfter, filter: { fromBlock: $fromBlock, topics: $out }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { id blockNumber blockHash transactionHash
        account { address label token { address symbol decimals logo } } decoded { signature arguments { name value account { address label } } } } }
  }
`);
const ADDRESS = graphql(
  `query Address($address: Address!, $fromBlock: Long, $isContract: Boolean!, $txLast: Int, $txBefore: String, $txAfter: String,
    $in: [[Bytes32!]!]!, $inLast: Int, $inBefore: String, $inAfter: String, $out: [[Bytes32!]!]!, $outLast: Int, $outBefore: String, $outAfter: String, $logLast: Int, $logBefore: String, $logAfter: String) {
  account(address: $address) { address label balanceIn transactionCount isContract ...AccountTokens ...AccountWizards }
  transactionsConnection(first: 12, last: $txLast, before: $txBefore, after: $txAfter, from: $fromBlock, filter: { participant: $address }) {
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { hash blockHash valueIn status gasUsed effectiveGasPrice
      block { number timestamp } decoded { name } from { address label } to { address label } createdContract { address label } } }
  events: logsConnection(first: 12, last: $logLast, before: $logBefore, after: $logAfter, filter: { fromBlock: $fromBlock, addresses: [$address] })
    @include(if: $isContract) { pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { id blockNumber blockHash transactionHash topics decoded { name } } }
  ...AccountTransfers
}`,
  [TOKENS, WIZARDS, TRANSFERS],
);
export const useAddress = (address: string, isContract: boolean) =>
  useGraph(ADDRESS, { ...addressVariables(address, useSearch()), isContract }, { live: true });
