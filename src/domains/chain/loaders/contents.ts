import { GraphError } from '../../../errors.ts';
import { bloomMayMatch, type LogFilter, type LogRange, matchesFilter, wireFilter } from '../../../evm/filters.ts';
import { isBlockHash } from '../../../evm/hex.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../evm/rpc.ts';
import type { Calls } from '../../../upstream/calls.ts';
import { logsBy, receiptBy, receiptsOf } from '../methods.ts';
import { either, type NodeFacts } from './node.ts';

const rangeOf = (ref: BlockRef): LogRange => (isBlockHash(ref) ? { blockHash: ref } : { fromBlock: ref, toBlock: ref });

const hashOf = (transaction: string | RpcTransaction): string =>
  typeof transaction === 'string' ? transaction : transaction.hash;

/**
 * Receipts and logs of blocks. They are asked by the name under which the block itself is asked, in the same request, before
 * the block's hash is known; so what comes must prove that it belongs to the block, or is asked again by hash.
 */
export function contentsLoader(calls: Calls, facts: NodeFacts) {
  /** The name under which each block's contents were asked for. */
  const askedAs = new WeakMap<RpcBlock, BlockRef>();

  const receiptsByTransaction = async (block: RpcBlock): Promise<readonly RpcReceipt[]> => {
    const receipts = await Promise.all((block.transactions ?? []).map((one) => calls.call(receiptBy, hashOf(one))));
    return ownReceipts(block, receipts) ?? gone();
  };

  const receiptsByBlock = async (block: RpcBlock): Promise<readonly RpcReceipt[]> => {
    const early = ownReceipts(block, await calls.call(receiptsOf, askedAs.get(block) ?? block.hash));
    return early ?? ownReceipts(block, await calls.call(receiptsOf, block.hash)) ?? gone();
  };

  return {
    /** Sends for the contents of a block that is being asked for under this name; a failure shows when they are needed. */
    sendFor(ref: BlockRef, receipts: boolean, logs: readonly LogFilter[]): void {
      if (receipts && !facts.missing.has(receiptsOf.name)) calls.call(receiptsOf, ref).catch(() => {});
      for (const filter of logs) calls.call(logsBy, wireFilter(rangeOf(ref), filter)).catch(() => {});
    },

    arrived: (block: RpcBlock, ref: BlockRef): void => void (askedAs.has(block) || askedAs.set(block, ref)),

    /** All receipts of a block, in order. Source: `eth_getBlockReceipts`, else one `eth_getTransactionReceipt` each. */
    receipts: (block: RpcBlock): Promise<readonly RpcReceipt[]> =>
      either(
        facts,
        receiptsOf.name,
        () => receiptsByBlock(block),
        () => receiptsByTransaction(block),
      ),

    /** Logs of a block that pass a filter, in order. Source: `eth_getLogs`. */
    async logs(block: RpcBlock, filter: LogFilter): Promise<readonly RpcLog[]> {
      const ref = askedAs.get(block) ?? block.hash;
      if (!isBlockHash(ref)) {
        const early = await calls.call(logsBy, wireFilter(rangeOf(ref), filter));
        if (areOwnLogs(block, early, filter)) return early;
      }
      return calls.call(logsBy, wireFilter({ blockHash: block.hash }, filter));
    },
  };
}

/** The receipts when they are this block's, one a transaction in order; undefined when they are not. */
function ownReceipts({ hash, transactions }: RpcBlock, receipts: readonly (RpcReceipt | null)[] | null) {
  if (!receipts || receipts.length !== transactions?.length) return undefined;
  const own = receipts.every((receipt, i) => receipt?.blockHash === hash && receipt.transactionHash === hashOf(transactions[i]!));
  return own ? (receipts as readonly RpcReceipt[]) : undefined;
}

/** Logs name their block. None at all is believed unless the block's bloom contradicts it. */
const areOwnLogs = ({ hash, logsBloom }: RpcBlock, logs: readonly RpcLog[], filter: LogFilter): boolean =>
  logs.length > 0 ? logs.every(({ blockHash }) => blockHash === hash) : !bloomMayMatch(logsBloom, filter);

function gone(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not the receipts that belong to it.');
}

/** Those of a block's logs that pass a filter, without asking. */
export const logsAmong = (receipts: readonly Pick<RpcReceipt, 'logs'>[], filter: LogFilter): RpcLog[] =>
  receipts.flatMap(({ logs }) => logs.filter((log) => matchesFilter(log, filter)));
