import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { addressVariables } from '../../data/address-variables.ts';
import { graphql } from '../../graph/documents.ts';
import { fetchHistory } from '../../graph/fetch-history.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKENS = graphql(`
  fragment AccountTokens on Account @_unmask {
    token { address symbol name }
    tokenBalances(nonZero: true) { token { address symbol name logo } balance { formatted value } }
  }
`);
const TRANSFER_TOKEN = graphql(`
  fragment TransferToken on Account @_unmask {
    token { address symbol decimals logo }
  }
`);
const WIZARDS = graphql(`
  fragment AccountWizards on Account @_unmask {
    wizards(orderBy: POWER_DESC) { totalCount nodes { id affinity power status } }
  }
`);
const ADDRESS = graphql(
  `
  query Address($address: Address!, $fromBlock: Long, $isContract: Boolean!, $sentTopics: [[Bytes32!]!]!, $receivedTopics: [[Bytes32!]!]!,
      $txFirst: Int, $txLast: Int, $txBefore: String, $txAfter: String,
      $receivedFirst: Int, $receivedLast: Int, $receivedBefore: String, $receivedAfter: String,
      $sentFirst: Int, $sentLast: Int, $sentBefore: String, $sentAfter: String,
      $logFirst: Int, $logLast: Int, $logBefore: String, $logAfter: String) {
    account(address: $address) { address label balanceIn transactionCount isContract
      ...AccountTokens
      ...AccountWizards
    }
    transactionsConnection(first: $txFirst, last: $txLast, before: $txBefore, after: $txAfter, from: $fromBlock,
        filter: { participant: $address }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { hash blockHash valueIn status gasUsed effectiveGasPrice block { number timestamp }
        decoded { name } from { address label } to { address label } createdContract { address label } }
    }
    received: logsConnection(first: $receivedFirst, last: $receivedLast, before: $receivedBefore, after: $receivedAfter,
        filter: { fromBlock: $fromBlock, topics: $receivedTopics }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { id blockNumber blockHash transactionHash
        decoded { signature arguments { name value account { address label } } }
        account { address label
          ...TransferToken
        }
      }
    }
    sent: logsConnection(first: $sentFirst, last: $sentLast, before: $sentBefore, after: $sentAfter,
        filter: { fromBlock: $fromBlock, topics: $sentTopics }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { id blockNumber blockHash transactionHash
        decoded { signature arguments { name value account { address label } } }
        account { address label
          ...TransferToken
        }
      }
    }
    events: logsConnection(first: $logFirst, last: $logLast, before: $logBefore, after: $logAfter,
        filter: { fromBlock: $fromBlock, addresses: [$address] }) @include(if: $isContract) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { id blockNumber blockHash transactionHash decoded { name } }
    }
  }`,
  [TOKENS, WIZARDS, TRANSFER_TOKEN],
);

/**
 * An account with the transactions that it sent or received and its token transfers; a contract with its events, too, which a search of all blocks
 * would not find for any other account.
 */
export const useAddress = (address: string, isContract: boolean) =>
  useGraph(ADDRESS, { ...addressVariables(address, useSearch()), isContract }, { live: true });

const OLDER = graphql(`
  query OlderTransactions($address: Address!, $fromBlock: Long, $before: String) {
    transactionsConnection(last: 12, before: $before, from: $fromBlock, filter: { participant: $address }) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { hash blockHash valueIn status gasUsed effectiveGasPrice block { number timestamp }
        decoded { name } from { address label } to { address label } createdContract { address label } }
    }
  }
`);

type OlderData = NonNullable<ReturnType<NonNullable<(typeof OLDER)['__apiType']>>>;

/** Maximum number of requests that search older blocks. */
const MAX_SEARCHES = 10;

/**
 * The newest transactions of an account before a cursor: a request searches a limited number of blocks, so that this one continues until it has found
 * some, or has reached the end of the history. Null does not search.
 */
export function useOlderTransactions(address: string, cursor: string | null) {
  const { data } = useQuery({
    queryKey: ['older transactions', address, cursor],
    enabled: cursor !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      let before = cursor;
      for (let searches = 1; ; searches++) {
        const { data, errors } = await fetchHistory<OlderData>(String(OLDER), { address, before }, signal);
        const page = data?.transactionsConnection;
        if (!page) throw new Error(errors[0]?.message);
        before = page.pageInfo.startCursor;
        if (page.nodes.length > 0 || !page.pageInfo.hasPreviousPage || searches === MAX_SEARCHES) return page;
      }
    },
  });
  return data;
}
