import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { View } from '../../../snapshot/index.ts';
import { decodeDecimals, decodeText, mergeMetadata, type TokenMetadata } from '../metadata.ts';
import { type Enhanced, erc20 } from '../rpc-methods.ts';
import type { TokenLists } from '../token-lists.ts';
import type { ContractReader } from './contracts.ts';
import { unlessRefused } from './enhanced-at-head.ts';

/** Names change with the people who give them, not with blocks. */
const KEPT_MS = 10 * 60_000;
/** Where nothing is known yet, a contract may be deployed in the next block. */
const NOTHING_KEPT_MS = 2_000;
const MOST_KEPT = 10_000;

/** What the node tells of tokens, kept for all operations for ten minutes. */
export type MetadataCache = LRUCache<Data, { readonly told: TokenMetadata | null }>;

export const openMetadataCache = (): MetadataCache => new LRUCache({ max: MOST_KEPT, ttl: KEPT_MS });

const decoded = <T>(told: Data | null, decode: (told: Data) => T): T | null => (told === null ? null : decode(told));

/** Whether no source beyond the lists could add anything. */
const isWhole = (listed: TokenMetadata | undefined): boolean =>
  listed !== undefined && Object.values(listed).every((value) => value !== null);

/** What is known of tokens, of all sources together; null when no source knows anything. Tokens of a tick are asked together. */
export function metadataLoader(
  view: View,
  enhanced: () => Promise<Enhanced | undefined>,
  read: ContractReader,
  lists: TokenLists,
  cache: MetadataCache,
) {
  const ofContract = async (contract: Data): Promise<TokenMetadata | null> => {
    const ask = (input: Data) => read({ to: contract, input, at: 'latest' });
    const [name, symbol, decimals] = await Promise.all([ask(erc20.name), ask(erc20.symbol), ask(erc20.decimals)]);
    return mergeMetadata({
      contract: {
        name: decoded(name, decodeText),
        symbol: decoded(symbol, decodeText),
        decimals: decoded(decimals, decodeDecimals),
        logo: null,
      },
    });
  };

  const keep = (contract: Data, found: TokenMetadata | null): TokenMetadata | null => {
    cache.set(contract, { told: found }, { ttl: found ? KEPT_MS : NOTHING_KEPT_MS });
    return found;
  };

  const told = async (contract: Data): Promise<TokenMetadata | null> => {
    const before = cache.get(contract);
    if (before) return before.told;
    const methods = await enhanced();
    if (methods) {
      const known = await unlessRefused(view, methods.metadata.name, () => view.calls.call(methods.metadata, contract));
      // What the contract says in place of a service that has just refused is less than the service knows.
      return known === undefined ? ofContract(contract) : keep(contract, known);
    }
    const found = await ofContract(contract);
    // Under a block of the request's own choice a contract may say what it said once.
    return view.pin.isNamed ? found : keep(contract, found);
  };

  const find = async (contract: Data): Promise<TokenMetadata | null> => {
    const listed = lists.listed(await view.node.chainId(view.operation.signal), contract);
    return isWhole(listed) ? listed! : mergeMetadata({ listed, service: await told(contract) });
  };

  const loader = new DataLoader<Data, TokenMetadata | null>((contracts) =>
    Promise.all(contracts.map((contract) => find(contract).catch((error: Error) => error))),
  );
  return (contract: Data): Promise<TokenMetadata | null> => loader.load(contract);
}
