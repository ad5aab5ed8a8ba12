import type { AbiRegistry } from '../../../ethereum/abi/registry.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { TokenLists } from '../../../token-lists.ts';

/** Reads the labels of accounts: the name in the token lists, else the contract name of the account's ABI; null without either. */
export function labelReader({ node, operation }: Snapshot, lists: TokenLists, abis: Pick<AbiRegistry, 'contractName'>) {
  // Known since the start of the server; read once if the node was unavailable then.
  let chainId: Promise<Quantity | null> | undefined;
  return async (address: Data): Promise<string | null> => {
    // The operator may change the lists and the ABIs, so the response is not final.
    operation.dependencies.addHead();
    chainId ??= node.chainId(operation.signal);
    return lists.find(await chainId, address)?.name ?? abis.contractName(address);
  };
}
