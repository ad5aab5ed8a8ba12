import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Data } from '../../../evm/hex.ts';
import type { View } from '../../../view/index.ts';
import { decodeDecimals, decodeText, mergeMetadata, type TokenMetadata } from '../metadata.ts';
import { type Enhanced, erc20 } from '../methods.ts';
import type { TokenLists } from '../token-lists.ts';
import type { ContractReader } from './contracts.ts';
import { asOfHead } from './head.ts';

/** Names change with the people who give them, not with blocks. */
const KEPT_MS = 10 * 60_000;
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

  const ofNode = async (contract: Data): Promise<TokenMetadata | null> => {
    const methods = await enhanced();
    if (!methods) return ofContract(contract);
    const { metadata } = methods;
    return asOfHead(
      view,
      metadata.name,
      () => view.calls.call(metadata, contract),
      () => ofContract(contract),
    );
  };

  const told = async (contract: Data): Promise<TokenMetadata | null> => {
    const before = cache.get(contract);
    if (before) return before.told;
    const found = await ofNode(contract);
    if (!view.pin.isNamed) cache.set(contract, { told: found });
    return found;
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
