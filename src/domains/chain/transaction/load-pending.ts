import { isNullish } from '../../../ethereum/block-results.ts';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { logsIn } from '../../../ethereum/header-checks.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { type LogFilter, matchesFilter, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcBlock, RpcLog, RpcPendingBlock, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { asPending, NO_LOCATION } from '../../../ethereum/transaction-values.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { nullIfBlockMissing } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported, withFallback } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import { RETEST_MS } from '../../../upstream/rpc/endpoint-capabilities.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-call.ts';
import { checkTopics } from '../log/criteria.ts';
import { type BlockLocation, lengthOrNull, type PartialTransaction } from '../model.ts';
import {
  PENDING,
  pendingBlockBy,
  pendingLogsBy,
  pendingOmmerAt,
  pendingOmmerCount,
  pendingReceipts,
  pendingTransactionAt,
  pendingTransactionCount,
} from './methods.ts';
import type { PendingPlan } from './plan.ts';

/**
 * The capability key of a method for the pending block. It is separate from the key of the method, because geth has
 * `eth_getLogs` but rejects this tag.
 */
const capabilityOf = ({ name }: { readonly name: unknown }): string => `${name} of the pending block`;

const PENDING_RANGE = { fromBlock: PENDING, toBlock: PENDING };

/** A transaction, or the hash, in a pending block. */
const pendingOf = (transaction: Data | RpcTransaction): PartialTransaction =>
  typeof transaction === 'string' ? { hash: transaction, ...NO_LOCATION } : asPending(transaction);

/** Creates the reads of the pending block of one operation. */
export function pendingReader(snapshot: Snapshot) {
  const { calls, session, pin, follower } = snapshot;

  /**
   * Whether an object is in a mined block: nodes without a pending block return their most recent block, which can be
   * newer than the head that the follower knows. The node finds a mined block by its hash, but not an unfinished block.
   * After a node has returned an unfinished block with a hash, this check sends no request to that node for a minute.
   */
  const isMined = async ({ blockHash, blockNumber }: BlockLocation): Promise<boolean> => {
    if (isNullish(blockHash) || isNullish(blockNumber)) return false;
    if (Number(blockNumber) <= (follower.head ?? (await pin.head())).height) return true;
    const { capabilities } = session;
    if (capabilities.hasUnminedHashes.current) return false;
    const found = await calls.call(blockBy, blockHash, false).catch(nullIfBlockMissing);
    if (found === null) capabilities.hasUnminedHashes.set(true, RETEST_MS);
    return found !== null;
  };

  /** Sends a call; null when the node has no pending block, or lacks the tag or the method. */
  const callOrNull = <P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<R | null> =>
    nullIfUnsupported<R | null>(snapshot, capabilityOf(method), () => calls.call(method, ...args).catch(nullIfBlockMissing));

  const blocks = createEntityLoader(async (full: boolean) => {
    const block = await callOrNull(pendingBlockBy, full);
    return block && (await isMined({ blockHash: block.hash, blockNumber: block.number })) ? null : block;
  }, String);

  const transactionsOf = async ({ full }: PendingPlan): Promise<readonly PartialTransaction[] | null> => {
    const transactions = listOrNull<Data | RpcTransaction>((await blocks.load(full))?.transactions);
    return transactions?.map(pendingOf) ?? null;
  };

  const logsInReceipts = async (filter: LogFilter): Promise<readonly RpcLog[]> => {
    const receipts: readonly RpcReceipt[] = (await calls.call(pendingReceipts)) ?? [];
    return logsIn(receipts).filter((log) => matchesFilter(log, filter));
  };

  return {
    /** The pending block; null when the node has none. */
    block: ({ full }: PendingPlan): Promise<RpcPendingBlock | null> => blocks.load(full),

    /** The transactions of the pending block, full or by hash; null when the node has none. */
    transactions: transactionsOf,

    /** The number of transactions in the pending block; 0 when the node has none. */
    async transactionCount({ block, full }: PendingPlan): Promise<Quantity> {
      const counted = block ? null : await callOrNull(pendingTransactionCount);
      return counted ?? lengthOrNull((await blocks.load(full))?.transactions) ?? '0x0';
    },

    async transactionAt(index: Quantity, plan: PendingPlan): Promise<PartialTransaction | null> {
      if (plan.block && plan.full) return (await transactionsOf(plan))?.[Number(index)] ?? null;
      const found = await callOrNull(pendingTransactionAt, index);
      return found && !(await isMined(found)) ? asPending(found) : null;
    },

    ommerCount: async ({ block, full }: PendingPlan): Promise<Quantity | null> =>
      block ? lengthOrNull((await blocks.load(full))?.uncles) : callOrNull(pendingOmmerCount),

    async ommerAt(index: Quantity): Promise<RpcBlock | null> {
      const ommer = await callOrNull(pendingOmmerAt, index);
      return ommer && { ...ommer, transactions: null };
    },

    /** The logs of the pending block that match; none when the node has no pending block. */
    async logs(filter: LogFilter): Promise<readonly RpcLog[]> {
      checkTopics(filter);
      const search = () => calls.call(pendingLogsBy, toRpcLogFilter(PENDING_RANGE, filter));
      const found = await withFallback(session, capabilityOf(pendingLogsBy), search, () => logsInReceipts(filter));
      const mined = await Promise.all(found.map(isMined));
      return found.filter((_log, i) => !mined[i]).map((log) => ({ ...log, ...NO_LOCATION }));
    },
  };
}
