import type { AbiRegistry } from '../../../ethereum/abi/registry.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { TokenLists } from '../../../token-lists.ts';
import { type RawTokenAmount, type TokenKey, type TokensAccountKey, toRawTokenAmount } from '../model.ts';
import { erc20, firstWordOf } from '../rpc-methods.ts';
import { allowanceLoader } from './allowances.ts';
import { balanceLoader } from './balances.ts';
import { contractReader } from './contracts.ts';
import type { EnhancedMethodsAt } from './enhanced-calls.ts';
import type { DetectEnhancedMethods } from './enhanced-methods.ts';
import { labelReader } from './labels.ts';
import { metadataLoader, type TokenMetadataCache } from './metadata.ts';

/** State that the loaders of all operations share. */
export interface TokenLoaderSources {
  readonly detectEnhancedMethods: DetectEnhancedMethods;
  readonly lists: TokenLists;
  readonly abis: Pick<AbiRegistry, 'contractName'>;
  readonly metadataCache: TokenMetadataCache;
}

export type TokenLoaders = ReturnType<typeof tokenLoaders>;

/** Creates the token loaders of one operation. */
export function tokenLoaders({ detectEnhancedMethods, lists, abis, metadataCache }: TokenLoaderSources, snapshot: Snapshot) {
  let detection: ReturnType<DetectEnhancedMethods> | undefined;
  const getEnhancedMethods = () => {
    detection ??= detectEnhancedMethods(snapshot);
    return detection;
  };
  const enhancedAt: EnhancedMethodsAt = async (at) =>
    at === 'latest' && !snapshot.pin.isPinnedByRequest && snapshot.operation.minBlock === undefined
      ? getEnhancedMethods()
      : undefined;
  const read = contractReader(snapshot);
  const metadata = metadataLoader(snapshot, getEnhancedMethods, read, lists, metadataCache);

  /** The total supply of a token; null if the contract returns none. Source: `totalSupply()`. */
  const totalSupply = async (contract: Data, at: TokensAccountKey['_at']): Promise<RawTokenAmount | null> =>
    toRawTokenAmount(contract, firstWordOf(await read({ to: contract, input: erc20.totalSupply, at: at ?? 'latest' })));

  return {
    metadata,
    totalSupply,
    balance: balanceLoader(snapshot, enhancedAt, read),
    label: labelReader(snapshot, lists, abis),
    allowance: allowanceLoader(snapshot, enhancedAt, read),

    /** The contracts of all tokens that the lists have on the chain of the node. */
    async knownContracts(): Promise<readonly Data[]> {
      // The operator may change the lists, so the response is not final.
      snapshot.operation.dependencies.addHead();
      return lists.contractsOn(await snapshot.node.chainId(snapshot.operation.signal));
    },

    /** The token at an address; null if it has neither metadata nor a total supply. */
    async token(contract: Data): Promise<TokenKey | null> {
      const found = (await metadata(contract)) ?? (await totalSupply(contract, null));
      return found && { address: contract };
    },
  };
}
