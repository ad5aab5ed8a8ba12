import type { Logger } from 'pino';
import { callFrames, internalTransfers } from '../../../ethereum/call-frames.ts';
import type { RpcBlock, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { finishYielding, OperationBudget } from '../../../lib/operation-budget.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import { callListsIn, callTreesIn } from '../../../snapshot/trace-methods.ts';
import type { InternalTransfers } from './block-facts.ts';

type BlockToTrace = Pick<RpcBlock, 'hash' | 'number'> & { readonly transactions: readonly RpcTransaction[] };

/** Whether a failed read may succeed later, as with a new quota. A result that does not fit its block may not, and must not stop the derivation. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof GraphError) ||
  (error.extensions.retryable === true && error.code !== 'UPSTREAM_BAD_RESPONSE') ||
  error.code === 'UPSTREAM_QUOTA_EXCEEDED';

/** Time of failed traces after which blocks are not traced, and then the time until the next trace. */
const MAX_FAILING_MS = 5 * 60_000;

/** Reads the transfers inside the transactions of a block. */
export type ReadInternal = (snapshot: Snapshot, block: BlockToTrace) => Promise<InternalTransfers>;

/**
 * Creates the reads of transfers inside transactions, with one trace of each block. A block that the node cannot trace has none: the first such block is logged.
 * Rejects with errors that may pass, such as a timeout, so that the block is read again. After five minutes of such errors without a traced block, it
 * logs that blocks have no such transfers for the next five minutes. Source: `debug_traceBlockByHash`, else `trace_block`.
 */
export function createInternalReads(log: Pick<Logger, 'warn'>): ReadInternal {
  let isReported = false;
  let failingSince: number | undefined;
  let pausedUntil = 0;
  return async ({ session, calls }, block) => {
    const transfers = new Map<string, ReturnType<typeof internalTransfers>>();
    if (block.transactions.length === 0 || performance.now() < pausedUntil) return transfers;
    const readLists = () => requireMethod(session, callListsIn.name, () => calls.call(callListsIn, block));
    try {
      const traces = await withFallback(session, callTreesIn.name, () => calls.call(callTreesIn, block), readLists);
      const budget = new OperationBudget();
      for (const [i, transaction] of block.transactions.entries()) {
        const frames = callFrames(traces[i]!, transaction, async () => null);
        transfers.set(transaction.hash.toLowerCase(), internalTransfers(await finishYielding(frames, budget)));
      }
      failingSince = undefined;
    } catch (err) {
      if (mayPass(err)) {
        failingSince ??= performance.now();
        if (performance.now() - failingSince < MAX_FAILING_MS) throw err;
        pausedUntil = performance.now() + MAX_FAILING_MS;
        isReported = false;
      }
      if (!isReported)
        log.warn({ err, height: Number(block.number) }, 'the node cannot trace blocks: webhooks lack internal transfers');
      isReported = true;
      return new Map();
    }
    return transfers;
  };
}
