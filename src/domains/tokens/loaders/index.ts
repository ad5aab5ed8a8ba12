import type { TokenLists } from '../../../config/token-lists.ts';
import type { AbiRegistry } from '../../../ethereum/abi/registry.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
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
import { contractReader } from './contracts.ts';
import { allowanceLoader, balanceLoader, createTokenMetadataCache, metadataLoader } from './token-reads.ts';

/** The setting NODE_METHODS: detect the enhanced methods, use no enhanced methods, or use the methods with a prefix. */
export type EnhancedMethodsSetting = 'auto' | 'plain' | EnhancedMethodPrefix;

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Creates a function that returns the enhanced methods of the node that serves an operation; undefined if the node has
 * no enhanced methods. The function probes each endpoint once, by requesting the metadata of the zero address. If the
 * probe fails, this operation uses no enhanced methods and the next operation probes again.
 */
function createEnhancedMethodsDetector(setting: EnhancedMethodsSetting) {
  const methodsByEndpoint = new WeakMap<object, EnhancedMethods | 'none'>();
  return async ({ session, operation }: Snapshot): Promise<EnhancedMethods | undefined> => {
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

export interface TokenLoaderOptions {
  readonly enhancedMethods: EnhancedMethodsSetting;
  readonly lists: TokenLists;
  /** The ABIs whose contract names label accounts. @default no ABIs */
  readonly abis?: Pick<AbiRegistry, 'contractName'>;
}

/** The part of an operation's context that token resolvers use. */
export interface TokensContext {
  readonly tokens: ReturnType<ReturnType<typeof createTokenLoaders>>;
}

/** Returns the factory of each operation's token loaders. */
export function createTokenLoaders({ enhancedMethods, lists, abis }: TokenLoaderOptions) {
  const detectEnhancedMethods = createEnhancedMethodsDetector(enhancedMethods);
  const metadataCache = createTokenMetadataCache();

  return (snapshot: Snapshot) => {
    const { node, operation, pin } = snapshot;
    let detection: Promise<EnhancedMethods | undefined> | undefined;
    const detect = () => {
      detection ??= detectEnhancedMethods(snapshot);
      return detection;
    };
    const enhancedAt = async (at: BlockRef) =>
      at === 'latest' && !pin.isPinnedByRequest && operation.minBlock === undefined ? detect() : undefined;
    const read = contractReader(snapshot);
    let chainId: Promise<Quantity | null> | undefined;
    /** The chain whose lists and ABIs are read. */
    const readChainId = () => {
      // The operator may change the lists and the ABIs, so the response is not final.
      operation.dependencies.addHead();
      // The chain id is known since the start of the server, or read once if the node was unavailable at the start.
      chainId ??= node.chainId(operation.signal);
      return chainId;
    };
    const findListed = async (contract: Data) => lists.find(await readChainId(), contract);
    const metadata = metadataLoader(snapshot, detect, read, findListed, metadataCache);
    const totalSupply = async (contract: Data, at: TokensAccountKey['_at']): Promise<RawTokenAmount | null> =>
      toRawTokenAmount(contract, firstWordOf(await read({ to: contract, input: erc20.totalSupply, at: at ?? 'latest' })));

    return {
      /** Loads the merged metadata of a token; null if no source has any. */
      metadata,

      /** Loads the balance of an account. */
      balance: balanceLoader(snapshot, enhancedAt, read),

      /** Loads an allowance. */
      allowance: allowanceLoader(snapshot, enhancedAt, read),

      /** The total supply of a token; null if the contract returns none. Source: `totalSupply()`. */
      totalSupply,

      /** The label of an account: its name in the token lists, else the contract name of its ABI; null without either. */
      label: async (address: Data) => lists.find(await readChainId(), address)?.name ?? abis?.contractName(address) ?? null,

      /** The contracts of all tokens that the lists have on the chain of the node. */
      knownContracts: async (): Promise<readonly Data[]> => lists.contractsOn(await readChainId()),

      /** The token at an address; null if it has neither metadata nor a total supply. */
      token: async (contract: Data): Promise<TokenKey | null> =>
        ((await metadata(contract)) ?? (await totalSupply(contract, null))) && { address: contract },
    };
  };
}
