import { useQuery } from '@tanstack/react-query';
import { graphql } from '../graph/documents.ts';
import { fetchHistory } from '../graph/fetch-history.ts';

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
