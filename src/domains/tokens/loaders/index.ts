import type { TokenLists } from '../../../config/token-lists.ts';
import type { AbiRegistry } from '../../../ethereum/abi/registry.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { RpcOutcome } from '../../../upstream/rpc/rpc-call.ts';
import { type RawTokenAmount, type TokenKey, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import {
  ENHANCED_METHOD_PREFIXES,
  ENHANCED_METHODS,
  type EnhancedMethodPrefix,
  type EnhancedMethods,
  erc20,
  firstWordOf,
} from '../rpc-methods.ts';
import { allowanceLoader, balanceLoader } from './balances.ts';
import { type ContractReader, contractReader } from './contracts.ts';
import type { EnhancedMethodsAt } from './enhanced-calls.ts';
import { metadataLoader, type TokenMetadataCache } from './metadata.ts';

/** The setting NODE_METHODS: detect the enhanced methods, use none, or use the methods with a prefix. */
export type EnhancedMethodsSetting = 'auto' | 'plain' | EnhancedMethodPrefix;

/** Returns the enhanced methods of the node that serves an operation; undefined if it has none. */
type DetectEnhancedMethods = (snapshot: Snapshot) => Promise<EnhancedMethods | undefined>;

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Creates a detector that probes each endpoint once, by requesting the metadata of the zero address. If the probe fails, this operation uses no
 * enhanced methods and the next one probes again.
 */
export function createEnhancedMethodsDetector(setting: EnhancedMethodsSetting): DetectEnhancedMethods {
  const methodsByEndpoint = new WeakMap<object, EnhancedMethods | 'none'>();
  return async ({ session, operation }) => {
    if (setting === 'plain') return undefined;
    if (setting !== 'auto') return ENHANCED_METHODS[setting];
    const detected = methodsByEndpoint.get(session.capabilities);
    if (detected) return detected === 'none' ? undefined : detected;
    const calls = ENHANCED_METHOD_PREFIXES.map((prefix) => ({
      method: ENHANCED_METHODS[prefix].metadata.name,
      params: [ZERO_ADDRESS],
    }));
    const outcomes = await session.send(calls, operation.signal);
    const prefix = ENHANCED_METHOD_PREFIXES.find((_prefix, i) => isSupported(outcomes[i]!));
    const isConclusive = prefix !== undefined || outcomes.every(isUnsupported);
    if (isConclusive) methodsByEndpoint.set(session.capabilities, prefix ? ENHANCED_METHODS[prefix] : 'none');
    return prefix && ENHANCED_METHODS[prefix];
  };
}

const isUnsupported = (outcome: RpcOutcome): boolean => 'error' in outcome && hasCode(outcome.error, 'METHOD_NOT_SUPPORTED');

/** Whether the node executed the method, or rejected only its parameters. */
const isSupported = (outcome: RpcOutcome): boolean =>
  'result' in outcome || hasCode(outcome.error, 'EXECUTION_REVERTED') || hasCode(outcome.error, 'UPSTREAM_PROTOCOL_ERROR');

/** State that the loaders of all operations share. */
export interface TokenLoaderSources {
  readonly detectEnhancedMethods: DetectEnhancedMethods;
  readonly lists: TokenLists;
  readonly abis: Pick<AbiRegistry, 'contractName'>;
  readonly metadataCache: TokenMetadataCache;
}

/** The part of an operation's context that token resolvers use. */
export interface TokensContext {
  readonly tokens: TokenLoaders;
}

/** The token loaders of one operation. Each is created when it is first read, so that an operation pays only for what it selects. */
export class TokenLoaders {
  readonly #sources: TokenLoaderSources;
  readonly #snapshot: Snapshot;
  #contracts: ContractReader | undefined;
  #chainId: Promise<Quantity | null> | undefined;
  #detection: ReturnType<DetectEnhancedMethods> | undefined;
  #metadata: ReturnType<typeof metadataLoader> | undefined;
  #balance: ReturnType<typeof balanceLoader> | undefined;
  #allowance: ReturnType<typeof allowanceLoader> | undefined;

  constructor(sources: TokenLoaderSources, snapshot: Snapshot) {
    this.#sources = sources;
    this.#snapshot = snapshot;
  }

  readonly #enhancedMethods = (): ReturnType<DetectEnhancedMethods> => {
    this.#detection ??= this.#sources.detectEnhancedMethods(this.#snapshot);
    return this.#detection;
  };

  readonly #enhancedAt: EnhancedMethodsAt = async (at) => {
    const { pin, operation } = this.#snapshot;
    return at === 'latest' && !pin.isPinnedByRequest && operation.minBlock === undefined ? this.#enhancedMethods() : undefined;
  };

  /** Reads contracts of the operation's block. */
  get #read(): ContractReader {
    this.#contracts ??= contractReader(this.#snapshot);
    return this.#contracts;
  }

  /** Loads the merged metadata of a token; null if no source has any. */
  get metadata(): ReturnType<typeof metadataLoader> {
    const { lists, metadataCache } = this.#sources;
    this.#metadata ??= metadataLoader(this.#snapshot, this.#enhancedMethods, this.#read, lists, metadataCache);
    return this.#metadata;
  }

  /** Loads the balance of an account. */
  get balance(): ReturnType<typeof balanceLoader> {
    this.#balance ??= balanceLoader(this.#snapshot, this.#enhancedAt, this.#read);
    return this.#balance;
  }

  /** Loads an allowance. */
  get allowance(): ReturnType<typeof allowanceLoader> {
    this.#allowance ??= allowanceLoader(this.#snapshot, this.#enhancedAt, this.#read);
    return this.#allowance;
  }

  /** The label of an account: its name in the token lists, else the contract name of its ABI; null without either. */
  async label(address: Data): Promise<string | null> {
    const { node, operation } = this.#snapshot;
    // The operator may change the lists and the ABIs, so the response is not final.
    operation.dependencies.addHead();
    // Known since the start of the server; read once if the node was unavailable then.
    this.#chainId ??= node.chainId(operation.signal);
    const { lists, abis } = this.#sources;
    return lists.find(await this.#chainId, address)?.name ?? abis.contractName(address);
  }

  /** The total supply of a token; null if the contract returns none. Source: `totalSupply()`. */
  async totalSupply(contract: Data, at: TokensAccountKey['_at']): Promise<RawTokenAmount | null> {
    return toRawTokenAmount(
      contract,
      firstWordOf(await this.#read({ to: contract, input: erc20.totalSupply, at: at ?? 'latest' })),
    );
  }

  /** The contracts of all tokens that the lists have on the chain of the node. */
  async knownContracts(): Promise<readonly Data[]> {
    const { node, operation } = this.#snapshot;
    // The operator may change the lists, so the response is not final.
    operation.dependencies.addHead();
    return this.#sources.lists.contractsOn(await node.chainId(operation.signal));
  }

  /** The token at an address; null if it has neither metadata nor a total supply. */
  async token(contract: Data): Promise<TokenKey | null> {
    const found = (await this.metadata(contract)) ?? (await this.totalSupply(contract, null));
    return found && { address: contract };
  }
}
