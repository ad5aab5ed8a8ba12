import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { firstNonEmptyFields, nullIfEmpty, type TokenMetadata } from '../../../ethereum/tokens.ts';
import type { QueryTokenAllowanceArgs } from '../../../generated/tokens.ts';
import { readEach } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import { decodeDecimals, decodeText } from '../metadata.ts';
import { type RawTokenAmount, type RawTokenBalance, stateBlockOf, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import { type EnhancedMethods, erc20, firstWordOf } from '../rpc-methods.ts';
import type { ContractReader } from './contracts.ts';

/**
 * The enhanced methods of the node, if their results are valid at a block: the block must be the operation's head, and
 * the request must neither pin a block nor require a minimum block. Undefined otherwise.
 */
type EnhancedMethodsAt = (at: BlockRef) => Promise<EnhancedMethods | undefined>;

/** Errors about this request, for which a call of the contract itself may succeed. */
const REJECTED_REQUEST_CODES = ['UPSTREAM_ERROR', 'UPSTREAM_INTERNAL', 'UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED'] as const;

/** Calls an enhanced method; undefined if the node lacks it or rejects the request. Rethrows other errors, such as timeouts. */
const callIfSupported = <T>({ session }: Snapshot, name: string, call: () => Promise<T>): Promise<T | undefined> =>
  withFallback<T | undefined>(session, name, call, async () => undefined, REJECTED_REQUEST_CODES);

/**
 * Calls an enhanced method, whose result is as of the node's latest block. Undefined if the operation's block is not the follower's head when
 * the response arrives, and as in `callIfSupported`.
 */
async function callAtHead<T>(snapshot: Snapshot, name: string, call: () => Promise<T>): Promise<T | undefined> {
  const { pin, follower } = snapshot;
  const [result, head] = await Promise.all([callIfSupported(snapshot, name, call), pin.head()]);
  return follower.head?.hash === head.hash ? result : undefined;
}

type AllowanceKey = QueryTokenAllowanceArgs & { readonly at: BlockRef };

/**
 * Loads allowances by block, contract, owner and spender; null if the contract returns none. Source: the enhanced method at the head if the
 * node has it, else `allowance(owner, spender)`.
 */
export function allowanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readAllowance = async ({ at, ...params }: AllowanceKey): Promise<Data | null> => {
    const allowance = (await enhancedAt(at))?.allowance;
    const word = allowance && (await callAtHead(snapshot, allowance.name, () => snapshot.calls.call(allowance, params)));
    return word ?? firstWordOf(await read({ to: params.contract, input: erc20.allowance(params), at }));
  };

  const loader = new DataLoader<AllowanceKey, Data | null, string>((keys) => readEach(keys, readAllowance), {
    cacheKeyFn: ({ at, contract, owner, spender }) => `${at} ${contract} ${owner} ${spender}`,
    // Dispatches in the current tick, so that contract reads share the batch of the operation's other contract reads.
    batchScheduleFn: queueMicrotask,
  });

  return async (contract: Data, owner: TokensAccountKey, spender: Data): Promise<RawTokenAmount | null> =>
    toRawTokenAmount(contract, await loader.load({ at: stateBlockOf(owner), contract, owner: owner.address, spender }));
}

/**
 * Loads token balances by block, owner and contract. At the head, a node with enhanced methods returns all balances of
 * one owner in one call; otherwise the balances at a block share the batch of the contract reader.
 */
export function balanceLoader(snapshot: Snapshot, enhancedAt: EnhancedMethodsAt, read: ContractReader) {
  const readOwner = async (owner: Data, at: BlockRef, contracts: readonly Data[]): Promise<(Data | null | Error)[]> => {
    const balances = (await enhancedAt(at))?.balances;
    const entries =
      balances && (await callAtHead(snapshot, balances.name, () => snapshot.calls.call(balances, owner, contracts)));
    const words = new Map(entries?.map(({ contract, word }) => [contract, word]));
    const input = erc20.balanceOf(owner);
    // Only the contract can show that it has no balance: an enhanced method may fail for a contract or omit it.
    return readEach(contracts, async (to) => words.get(to) ?? firstWordOf(await read({ to, input, at })));
  };

  /** By block and owner. */
  const loaders = new Map<string, DataLoader<Data, Data | null>>();
  return async (owner: TokensAccountKey, contract: Data): Promise<RawTokenBalance> => {
    const at = stateBlockOf(owner);
    const key = `${at} ${owner.address}`;
    const loader = loaders.get(key) ?? new DataLoader<Data, Data | null>((contracts) => readOwner(owner.address, at, contracts));
    loaders.set(key, loader);
    return { contract, owner, word: await loader.load(contract) };
  };
}

/** Metadata rarely changes, and its changes do not follow the blocks. */
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

/** Whether metadata has every field that a contract can have. */
const hasContractFields = ({ name, symbol, decimals }: TokenMetadata): boolean =>
  name !== null && symbol !== null && decimals !== null;

/**
 * Loads the metadata of tokens by contract, as of the operation's block; null if no source has any. The sources are
 * merged field by field: first the token lists, which are the operator's choice, then the curated database of the
 * service, then the contract. The lists and the database correct values of the contract.
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
    const known =
      methods && (await callIfSupported(snapshot, methods.metadata.name, () => snapshot.calls.call(methods.metadata, contract)));
    if (known && hasContractFields(known)) return addToCache(contract, known);
    const metadata = firstNonEmptyFields([known, await readFromContract(contract)]);
    // Not cached after a rejection, because the service's database may have more fields than the contract, and for a block that the request
    // pins, because the fields may be outdated.
    const isRejected = methods !== undefined && known === undefined;
    return isRejected || snapshot.pin.isPinnedByRequest ? metadata : addToCache(contract, metadata);
  };

  const readMerged = async (contract: Data): Promise<TokenMetadata | null> => {
    const listed = await findListed(contract);
    return isComplete(listed) ? listed! : firstNonEmptyFields([listed, await readFromNode(contract)]);
  };

  const loader = new DataLoader<Data, TokenMetadata | null>((contracts) => readEach(contracts, readMerged));
  return (contract: Data): Promise<TokenMetadata | null> => loader.load(contract);
}
