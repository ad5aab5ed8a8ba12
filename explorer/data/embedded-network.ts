import { toBigInt } from '@grimoire/client';
import { useQuery } from '@tanstack/react-query';
import type { DevnetDescription } from '../../devnet/src/description.ts';
import { keyHeaders } from '../../playground/caller-key.ts';
import { graphql } from '../graph/documents.ts';
import { devnetUrl } from '../graph/endpoint.ts';
import { fetchGraph } from '../graph/fetch-graph.ts';

const CHAIN = graphql(`
  query Chain {
    chainID
  }
`);

type ChainData = NonNullable<ReturnType<NonNullable<(typeof CHAIN)['__apiType']>>>;

/** The id of the embedded chain, and of other development chains. */
const DEVELOPMENT_CHAIN = 31337n;

/** Requests the description only on a development chain: elsewhere the browser would report a missing document. */
async function readDescription(signal: AbortSignal): Promise<DevnetDescription | null> {
  const { data } = await fetchGraph<ChainData>(String(CHAIN), {}, signal);
  if (!data) throw new Error('The id of the chain is not available');
  if (toBigInt(data.chainID) !== DEVELOPMENT_CHAIN) return null;
  const response = await fetch(devnetUrl, { headers: keyHeaders(), signal });
  // A proxy may return its own page for an unknown path.
  return response.ok ? ((await response.json().catch(() => null)) as DevnetDescription | null) : null;
}

/** The description of the embedded network; null over another node, undefined until it is known. */
export const useEmbeddedNetwork = (): DevnetDescription | null | undefined =>
  useQuery({
    queryKey: ['embedded network'],
    queryFn: ({ signal }) => readDescription(signal),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;

/** The name of an account of the embedded network; undefined for any other account. */
export const useAccountName = (address: string): string | undefined =>
  useEmbeddedNetwork()?.accounts.find((account) => account.address === address.toLowerCase())?.name;

/** Which duels the wizard service has: those of the embedded network's tournament are removed after two seasons. */
export const useDuelPeriod = (): string | undefined => (useEmbeddedNetwork() ? 'last two seasons' : undefined);
