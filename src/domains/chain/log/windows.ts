import type { Data } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { WriteItems } from '../../../graphql/executor/list-writer.ts';
import { bytesOfBlock, MAX_WINDOW_BYTES, RECEIPT_BYTES, TRANSACTION_BYTES } from '../block/windows.ts';
import type { LogPlan } from './plan.ts';

/** Whether logs need data that is loaded in windows. */
export const needsWindows = ({ block, full, receipt }: LogPlan): boolean => block !== undefined || full || receipt;

/**
 * Cuts logs, in order, into windows whose blocks and transactions have an expected size of at most `maxBytes`. A log needs more if its block or
 * its transaction is another than the transaction of the log before it.
 */
export function cutIntoWindows(
  logs: readonly RpcLog[],
  { block, full, receipt }: LogPlan,
  maxBytes = MAX_WINDOW_BYTES,
): readonly (readonly RpcLog[])[] {
  const blockBytes = block ? bytesOfBlock(block) : 0;
  const transactionBytes = (full ? TRANSACTION_BYTES : 0) + (receipt ? RECEIPT_BYTES : 0);
  const windows: RpcLog[][] = [];
  let window: RpcLog[] = [];
  let bytes = 0;
  for (const log of logs) {
    const previous = window.at(-1);
    const logBytes =
      (log.blockHash === previous?.blockHash ? 0 : blockBytes) +
      (log.transactionHash === previous?.transactionHash ? 0 : transactionBytes);
    if (previous && bytes + logBytes > maxBytes) {
      windows.push(window);
      window = [];
      bytes = blockBytes + transactionBytes;
    } else bytes += logBytes;
    window.push(log);
  }
  if (window.length > 0) windows.push(window);
  return windows;
}

/**
 * Creates the writer of the lists of logs of one operation whose blocks and transactions are loaded in windows. The last list that needs a
 * block or a transaction releases it: `release` receives its hash, and a log of it. A list of one window releases nothing, because other
 * fields of a small operation may need the same. What a window needs is requested when the window before is written and released.
 */
export function createLogWindows(release: (hash: Data, log: RpcLog, plan: LogPlan) => void) {
  /** Number of windows that have not been written, by the hash of a block or a transaction in them. */
  const users = new Map<Data, number>();
  const addUsers = (hash: Data, change: number): number => {
    const count = (users.get(hash) ?? 0) + change;
    users.set(hash, count);
    return count;
  };

  return async (logs: readonly RpcLog[], plan: LogPlan, write: WriteItems<RpcLog>): Promise<void> => {
    const windows = cutIntoWindows(logs, plan).map((window) => ({ window, entities: entitiesOf(window) }));
    for (const { entities } of windows) for (const hash of entities.keys()) addUsers(hash, 1);
    for (const { window, entities } of windows) {
      await write(window);
      for (const [hash, log] of entities) if (addUsers(hash, -1) === 0 && windows.length > 1) release(hash, log, plan);
    }
  };
}

/** The blocks and transactions of logs by their hashes, each with one of its logs. */
function entitiesOf(logs: readonly RpcLog[]): ReadonlyMap<Data, RpcLog> {
  const entities = new Map<Data, RpcLog>();
  for (const log of logs) {
    entities.set(log.transactionHash, log);
    if (log.blockHash) entities.set(log.blockHash, log);
  }
  return entities;
}
