import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { decodeDecimals, decodeText, mergeMetadata, type TokenMetadata } from '../metadata.ts';
import { type EnhancedMethods, erc20 } from '../rpc-methods.ts';
import type { TokenLists } from '../token-lists.ts';
import type { ContractReader } from './contracts.ts';
import { callIfSupported } from './enhanced-calls.ts';

/** Names change with the people who give them, not with blocks. */
const METADATA_TTL_MS = 10 * 60_000;
/** Where nothing is known yet, a contract may be deployed in the next block. */
const UNKNOWN_TOKEN_TTL_MS = 2_000;
const MAX_CACHED_TOKENS = 10_000;

/** What the node tells of tokens, kept for all operations for ten minutes. */
export type TokenMetadataCache = LRUCache<Data, { readonly metadata: TokenMetadata | null }>;

export const createTokenMetadataCache = (): TokenMetadataCache => new LRUCache({ max: MAX_CACHED_TOKENS, ttl: METADATA_TTL_MS });

const decodeOrNull = <T>(told: Data | null, decode: (told: Data) => T): T | null => (told === null ? null : decode(told));

/** Whether no source beyond the lists could add anything. */
const isComplete = (listed: TokenMetadata | undefined): boolean =>
  listed !== undefined && Object.values(listed).every((value) => value !== null);

/** What is known of tokens, of all sources together; null when no source knows anything. Tokens of a tick are asked together. */
export function metadataLoader(
  view: Snapshot,
  enhanced: () => Promise<EnhancedMethods | undefined>,
  read: ContractReader,
  lists: TokenLists,
  cache: TokenMetadataCache,
) {
  const ofContract = async (contract: Data): Promise<TokenMetadata | null> => {
    const ask = (input: Data) => read({ to: contract, input, at: 'latest' });
    const [name, symbol, decimals] = await Promise.all([ask(erc20.name), ask(erc20.symbol), ask(erc20.decimals)]);
    return mergeMetadata({
      contract: {
        name: decodeOrNull(name, decodeText),
        symbol: decodeOrNull(symbol, decodeText),
        decimals: decodeOrNull(decimals, decodeDecimals),
        logo: null,
      },
    });
  };

  const keep = (contract: Data, found: TokenMetadata | null): TokenMetadata | null => {
    cache.set(contract, { metadata: found }, { ttl: found ? METADATA_TTL_MS : UNKNOWN_TOKEN_TTL_MS });
    return found;
  };

  const told = async (contract: Data): Promise<TokenMetadata | null> => {
    const before = cache.get(contract);
    if (before) return before.metadata;
    const methods = await enhanced();
    if (methods) {
      const known = await callIfSupported(view, methods.metadata.name, () => view.calls.call(methods.metadata, contract));
      // What the contract says in place of a service that has just refused is less than the service knows.
      return known === undefined ? ofContract(contract) : keep(contract, known);
    }
    const found = await ofContract(contract);
    // Under a block of the request's own choice a contract may say what it said once.
    return view.pin.isPinnedByRequest ? found : keep(contract, found);
  };

  const find = async (contract: Data): Promise<TokenMetadata | null> => {
    const listed = lists.find(await view.node.chainId(view.operation.signal), contract);
    return isComplete(listed) ? listed! : mergeMetadata({ listed, service: await told(contract) });
  };

  const loader = new DataLoader<Data, TokenMetadata | null>((contracts) =>
    Promise.all(contracts.map((contract) => find(contract).catch((error: Error) => error))),
  );
  return (contract: Data): Promise<TokenMetadata | null> => loader.load(contract);
}
