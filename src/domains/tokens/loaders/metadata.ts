import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import { firstNonEmptyFields, nullIfEmpty, type TokenMetadata } from '../../../ethereum/tokens.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { decodeDecimals, decodeText } from '../metadata.ts';
import { type EnhancedMethods, erc20 } from '../rpc-methods.ts';
import type { ContractReader } from './contracts.ts';
import { callIfSupported } from './enhanced-calls.ts';

/** Metadata rarely changes, and not with blocks. */
const METADATA_TTL_MS = 10 * 60_000;
/** An address without metadata may get a contract in the next block. */
const UNKNOWN_TOKEN_TTL_MS = 2_000;
const MAX_CACHED_TOKENS = 10_000;

/** Metadata from the node, cached for all operations for ten minutes. */
export type TokenMetadataCache = LRUCache<Data, { readonly metadata: TokenMetadata | null }>;

export const createTokenMetadataCache = (): TokenMetadataCache => new LRUCache({ max: MAX_CACHED_TOKENS, ttl: METADATA_TTL_MS });

/** Whether the lists have every field, so that no other source is needed. */
const isComplete = (listed: TokenMetadata | undefined): boolean =>
  listed !== undefined && Object.values(listed).every((value) => value !== null);

/**
 * Loads the metadata of tokens by contract, as of the operation's block; null if no source has any. The sources are merged field by field: first the
 * token lists, which are the operator's choice, then the curated database of the service, both of which correct contracts, then the contract.
 */
export function metadataLoader(
  snapshot: Snapshot,
  getEnhancedMethods: () => Promise<EnhancedMethods | undefined>,
  read: ContractReader,
  findListed: (contract: Data) => Promise<TokenMetadata | undefined>,
  cache: TokenMetadataCache,
) {
  const readFromContract = async (contract: Data): Promise<TokenMetadata | null> => {
    const call = (input: Data) => read({ to: contract, input, at: 'latest' });
    const [name, symbol, decimals] = await Promise.all([call(erc20.name), call(erc20.symbol), call(erc20.decimals)]);
    return nullIfEmpty({
      name: decodeText(name ?? ''),
      symbol: decodeText(symbol ?? ''),
      decimals: decodeDecimals(decimals ?? ''),
      logo: null,
    });
  };

  const addToCache = (contract: Data, metadata: TokenMetadata | null): TokenMetadata | null => {
    cache.set(contract, { metadata }, { ttl: metadata ? METADATA_TTL_MS : UNKNOWN_TOKEN_TTL_MS });
    return metadata;
  };

  const readFromNode = async (contract: Data): Promise<TokenMetadata | null> => {
    const cached = cache.get(contract);
    if (cached) return cached.metadata;
    const methods = await getEnhancedMethods();
    if (methods) {
      const metadata = await callIfSupported(snapshot, methods.metadata.name, () =>
        snapshot.calls.call(methods.metadata, contract),
      );
      // Not cached after a rejection: the service's database may have more than the contract.
      return metadata === undefined ? readFromContract(contract) : addToCache(contract, metadata);
    }
    const metadata = await readFromContract(contract);
    // Not cached for a block that the request pins: the metadata may be outdated.
    return snapshot.pin.isPinnedByRequest ? metadata : addToCache(contract, metadata);
  };

  const readMerged = async (contract: Data): Promise<TokenMetadata | null> => {
    const listed = await findListed(contract);
    return isComplete(listed) ? listed! : firstNonEmptyFields([listed, await readFromNode(contract)]);
  };

  const loader = new DataLoader<Data, TokenMetadata | null>((contracts) =>
    Promise.all(contracts.map((contract) => readMerged(contract).catch((error: Error) => error))),
  );
  return (contract: Data): Promise<TokenMetadata | null> => loader.load(contract);
}
