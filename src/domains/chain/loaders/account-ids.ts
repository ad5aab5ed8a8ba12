import type { Data } from '../../../ethereum/hex.ts';
import { isBlockHash, isHeight } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/chain/rpc-header.ts';
import { accountId } from '../ids.ts';
import type { AccountAtBlock } from '../model.ts';

const GENESIS = '0x0';

/** Creates the reads of the ids of accounts, which name the block at which an operation reads their state. */
export function accountIdReader({ pin, operation }: Pick<Snapshot, 'pin' | 'operation'>) {
  const idAtHead = ({ address, at }: AccountAtBlock, { hash }: Head): string =>
    accountId(address, at === 'pending' ? `pending-${hash}` : hash);

  const idAtHeight = (address: Data, height: BlockRef): string => {
    const ref = pin.resolveRef(height);
    if (isBlockHash(ref)) operation.dependencies.addBlock(ref, Number(height));
    else operation.dependencies.addHeight(Number(height));
    return accountId(address, ref);
  };

  return {
    /**
     * The id of an account: its address and the block of its state. Sends no request unless the head of the operation is unknown and the account
     * is read at it.
     */
    accountId(account: AccountAtBlock): string | Promise<string> {
      const { address } = account;
      const at = account.at === 'earliest' ? GENESIS : account.at;
      if (isBlockHash(at)) return accountId(address, at);
      if (isHeight(at)) return pin.isUnresolved ? pin.head().then(() => idAtHeight(address, at)) : idAtHeight(address, at);
      pin.recordHeadRead();
      return pin.knownHead ? idAtHead(account, pin.knownHead) : pin.head().then((head) => idAtHead(account, head));
    },
  };
}
