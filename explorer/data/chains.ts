import { toBigInt } from '@grimoire/client';
import { useQuery } from '@tanstack/react-query';
import { graphql } from '../graph/documents.ts';
import { fetchGraph } from '../graph/fetch-graph.ts';

const CHAINS = graphql(`
  query Chains {
    chains { chainID }
  }
`);

type ChainsData = NonNullable<ReturnType<NonNullable<(typeof CHAINS)['__apiType']>>>;

/** Time until the ids of the chains are requested again if a node did not return one, in milliseconds. */
const RETRY_MS = 8_000;

/** The ids of the served chains in decimal, the default one first; null for one whose node did not return it. None until they are known. */
export function useChains(): readonly (string | null)[] {
  const { data } = useQuery({
    queryKey: ['chains'],
    queryFn: ({ signal }) => fetchGraph<ChainsData>(String(CHAINS), {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) => data && (!data.data || data.data.chains.includes(null)) && RETRY_MS,
  });
  return data?.data?.chains.map((chain) => chain && String(toBigInt(chain.chainID))) ?? [];
}
