import { GraphError } from '../../../errors.ts';
import type { LogFilter } from '../../../evm/filters.ts';
import { type Data, isBlockHash, type Quantity, quantityOf, toBigInt } from '../../../evm/hex.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt } from '../../../evm/rpc.ts';
import { openCalls } from '../../../upstream/calls.ts';
import type { Node } from '../../../upstream/node.ts';
import { networkReads, priorityFee, queryReads, transactionAt } from '../methods.ts';
import { blockPart, type ChainBlock, isWhole, type TransactionPart } from '../model.ts';
import type { BlockPlan, TransactionPlan } from '../plan.ts';
import { blockLoader, heights } from './blocks.ts';
import { Contents } from './contents.ts';
import { checkTopics, logLoader } from './logs.ts';
import { either } from './node.ts';
import { stateReader } from './state.ts';
import { submit } from './submit.ts';
import { transactionLoader } from './transactions.ts';

/** Bounds on what one field may bring. */
export interface ChainLimits {
  readonly maxBlocks: number;
  readonly maxLogs: number;
}

export type ChainLoaders = ReturnType<typeof chainLoaders>;

/** Everything that one operation asks of the node. All calls of a tick travel together, and equal ones once. */
export function chainLoaders(node: Node, limits: ChainLimits, signal: AbortSignal) {
  const session = node.open();
  const calls = openCalls(session, signal);
  const blocks = blockLoader(calls, session);
  const contents = new Map<Data, Contents>();
  const contentsOf = (blockHash: Data | null | undefined) => (blockHash ? contents.get(blockHash.toLowerCase()) : undefined);
  const transactions = transactionLoader(calls, contentsOf);

  const block = async (ref: BlockRef, plan: BlockPlan): Promise<RpcBlock | null> => {
    const here = isBlockHash(ref) ? contentsOf(ref) : undefined;
    if (here?.covers(plan)) return here.block;
    Contents.sendFor(ref, plan, calls, session);
    const found = await blocks.load(ref, plan.full);
    if (found) await enter(found, plan).arrive(ref, plan);
    return found;
  };

  /** The contents of a block, anew when the block has come again with its transactions whole. */
  const enter = (found: RpcBlock, plan: BlockPlan): Contents => {
    const known = contentsOf(found.hash);
    if (known && (known.block === found || !plan.full)) return known;
    const entered = new Contents(found, calls, session, known);
    contents.set(String(found.hash).toLowerCase(), entered);
    return entered;
  };

  const within = (of: RpcBlock): Contents => contentsOf(of.hash) ?? new Contents(of, calls, session);

  const height = () => calls.call(networkReads.blockNumber);

  return {
    call: calls.call,
    ...stateReader(calls, session),
    block,
    counts: blocks.counts,
    ommer: blocks.ommer,
    nextBaseFee: blocks.nextBaseFee,
    findTransaction: transactions.find,
    completeTransaction: transactions.complete,
    findReceipt: transactions.findReceipt,
    receiptOf: transactions.receipt,
    logsOf: transactions.logs,
    logs: logLoader(calls, limits.maxLogs).find,
    submit: (bytes: Data) => submit(node, session, bytes, signal),

    /** The head of the chain by its height alone. */
    headPart: async (): Promise<ChainBlock> => blockPart({ number: await height() }),

    /** Blocks of an inclusive range, cut at the head. Only their heights are known when no plan is given. */
    async blocks(from: Quantity | null, to: Quantity | null, plan: BlockPlan | null): Promise<readonly ChainBlock[]> {
      if (from === null) throw new GraphError('BAD_USER_INPUT', 'blocks needs `from`, the first height of the range.');
      const first = toBigInt(from);
      const open = to === null || plan === null || toBigInt(to) - first >= limits.maxBlocks;
      const head = open ? toBigInt(await height()) : undefined;
      const asked = to === null ? head! : toBigInt(to);
      const range = heights(first, head !== undefined && head < asked ? head : asked, limits.maxBlocks);
      if (!plan) return range.map((number) => blockPart({ number }));
      return untilHead(await Promise.all(range.map((number) => block(number, plan))));
    },

    /** The header of a block by hash. */
    header: (hash: Data): Promise<RpcBlock | null> => blocks.load(hash, false),

    /** The transactions of a block, whole or by position; null for an ommer. */
    transactionsIn: (of: RpcBlock): readonly TransactionPart[] | null => within(of).transactions,

    /** One transaction of a block; null when out of bounds. Source, beyond its position: `eth_getTransactionByBlockHashAndIndex`. */
    async transactionIn(of: RpcBlock, index: Quantity, { whole, receipt }: TransactionPlan): Promise<TransactionPart | null> {
      const part = within(of).transactions?.[Number(index)] ?? null;
      if (!part || !whole || isWhole(part)) return part;
      if (receipt) Promise.resolve(transactions.receipt(part)).catch(() => {});
      return calls.call(transactionAt, of.hash, index);
    },

    receiptsIn: async (of: RpcBlock): Promise<readonly RpcReceipt[] | null> => (of.transactions ? within(of).receipts : null),

    async logsIn(of: RpcBlock, filter: LogFilter): Promise<readonly RpcLog[]> {
      checkTopics(filter);
      return within(of).logs(filter);
    },

    /** Source: `eth_maxPriorityFeePerGas`, else the gas price less the base fee of the most recent block. */
    maxPriorityFeePerGas: () =>
      either(
        session,
        priorityFee.name,
        () => calls.call(priorityFee),
        async () => {
          const [price, latest] = await Promise.all([calls.call(queryReads.gasPrice), blocks.load('latest', false)]);
          const tip = toBigInt(price) - toBigInt(latest?.baseFeePerGas ?? '0x0');
          return quantityOf(tip > 0n ? tip : 0n);
        },
      ),
  };
}

/** Blocks up to the first that is not there, which must be past the head: a hole below it is a node's mistake. */
function untilHead(found: readonly (RpcBlock | null)[]): readonly RpcBlock[] {
  const end = found.indexOf(null);
  if (end !== -1 && found.slice(end).some((one) => one !== null)) {
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
  }
  return (end === -1 ? found : found.slice(0, end)) as readonly RpcBlock[];
}
