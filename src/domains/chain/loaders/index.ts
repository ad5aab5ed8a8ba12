import { GraphError } from '../../../errors.ts';
import { type Data, isBlockHash, type Quantity, quantityOf, sameData, toBigInt } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { type ChainBlock, isFullTransaction, type PartialTransaction, partialBlock } from '../model.ts';
import type { BlockPlan, TransactionPlan } from '../plan.ts';
import { priorityFee, queryReads, syncState, transactionAt } from '../rpc-methods.ts';
import type { ChainSubscriptions } from '../subscriptions/index.ts';
import { accountLoader } from './accounts.ts';
import { BlockContents } from './block-contents.ts';
import { blockLoader, heightsInRange } from './blocks.ts';
import { type FinalityMarkers, type FinalityTag, finalityReader, nullIfTagUnsupported } from './finality.ts';
import { checkTopics, logLoader } from './logs.ts';
import { submitTransaction } from './submit-transaction.ts';
import { transactionLoader } from './transactions.ts';

/** Bounds on what one field may bring. */
export interface ChainLimits {
  readonly maxBlocks: number;
  readonly maxLogs: number;
}

export type ChainLoaders = ReturnType<typeof chainLoaders>;

/** What the loaders of all operations share. */
export interface ChainSources extends ChainLimits {
  readonly finalityMarkers: FinalityMarkers;
  readonly subscriptions: ChainSubscriptions;
}

/** Everything of the chain that one operation asks for. */
export function chainLoaders({ finalityMarkers, subscriptions, ...limits }: ChainSources, view: Snapshot) {
  const { operation, node, session, calls, pin, availability, stateReader, cache, eventReads } = view;
  const blocks = blockLoader(calls, session, pin, availability, cache);
  const contents = new Map<Data, BlockContents>();
  const contentsOf = (blockHash: Data | null | undefined) => (blockHash ? contents.get(blockHash.toLowerCase()) : undefined);
  const { abandoned } = operation.event ?? {};
  const isAbandoned = (hash: Data | null | undefined): boolean => !!hash && !!abandoned?.includes(hash.toLowerCase());
  const headerOf = (hash: Data): Head | undefined => pin.header(hash) ?? (operation.event && eventReads.header(hash));
  const transactions = transactionLoader(calls, contentsOf, pin, availability, { isAbandoned, headerOf });
  const finality = finalityReader(calls, pin, finalityMarkers);

  /** A block with what a plan wants of it. `given` names it on the chain of this operation, or by its hash. */
  const block = async (given: BlockRef, plan: BlockPlan): Promise<RpcBlock | null> => {
    if (pin.isUnresolved && !isBlockHash(given)) await pin.head();
    const ref = pin.resolveRef(given);
    const here = isBlockHash(ref) ? contentsOf(ref) : undefined;
    if (here?.covers(plan)) return here.block;
    BlockContents.prefetch(ref, plan, calls, session);
    const found = await blocks.load(ref, plan.full);
    if (found) await enter(found, plan).receivePrefetched(ref, plan);
    return found;
  };

  /** The most recent block as this operation sees it. */
  const latest = async (plan: BlockPlan): Promise<RpcBlock | null> => {
    if (pin.knownHead) return block(pin.knownHead.hash, plan);
    if (pin.isReading || operation.block !== undefined) return block((await pin.head()).hash, plan);
    const found = block('latest', plan);
    pin.adoptHead(blocks.load('latest', plan.full));
    return found;
  };

  /** The block of a mark as this operation sees it: never above its head. */
  const marked = async (mark: FinalityTag, plan: BlockPlan): Promise<RpcBlock | null> => {
    const head = pin.isUnresolved ? await pin.head() : pin.knownHead;
    if (!head) return block(mark, plan).catch(nullIfTagUnsupported);
    const found = await finality.marked(mark);
    if (!found) return null;
    if (Number(found.number) > head.height) return block(head.hash, plan);
    return plan.full || plan.receipts || plan.allLogs || plan.filters.length > 0 ? block(found.hash, plan) : found;
  };

  /** The contents of a block, anew when the block has come again with its transactions whole. */
  const enter = (found: RpcBlock, plan: BlockPlan): BlockContents => {
    const known = contentsOf(found.hash);
    if (known && (known.block === found || !plan.full)) return known;
    const entered = new BlockContents(found, calls, session, availability, known);
    contents.set(String(found.hash).toLowerCase(), entered);
    return entered;
  };

  const within = (of: RpcBlock): BlockContents => contentsOf(of.hash) ?? new BlockContents(of, calls, session, availability);

  /** A block whose header is known and tells all that is needed. */
  const fromHeader = (ref: BlockRef, needs: readonly string[] | undefined): ChainBlock | undefined => {
    const name = ref === 'latest' ? pin.knownHead?.hash : pin.resolveRef(ref);
    const head = needs && name !== undefined && isBlockHash(name) ? headerOf(name) : undefined;
    const header = head?.header as Readonly<Record<string, unknown>> | undefined;
    return header && needs!.every((key) => header[key] !== undefined) ? partialBlock(header) : undefined;
  };

  return {
    live: subscriptions,
    call: calls.call,
    state: stateReader.read,
    withState: accountLoader(stateReader),
    confirmations: finality.confirmations,
    finalized: finality.finalized,
    block,
    latest,
    marked,
    fromHeader,
    counts: blocks.counts,
    ommer: blocks.ommer,
    nextBaseFee: blocks.nextBaseFee,
    findTransaction: transactions.find,
    completeTransaction: transactions.complete,
    findReceipt: transactions.findReceipt,
    receiptOf: transactions.receipt,
    logsOf: transactions.logs,
    logs: logLoader(calls, session, pin, availability, finality.marked, limits.maxLogs).find,
    submit: (bytes: Data) => submitTransaction(node, session, bytes, operation.signal),

    /** The head of the chain by what is known of it when nothing more is asked. */
    headRef: async (): Promise<ChainBlock> => {
      const { number, hash, parentHash } = await pin.head();
      return partialBlock({ number, hash, parentHash });
    },

    /** Blocks of an inclusive range, cut at the head. `plan`: null when only their heights are wanted. */
    async blocks(
      from: Quantity | null,
      to: Quantity | null,
      plan: BlockPlan | null,
      needs: readonly string[] | undefined,
    ): Promise<readonly ChainBlock[]> {
      if (from === null) throw new GraphError('BAD_USER_INPUT', 'blocks needs `from`, the first height of the range.');
      const first = toBigInt(from);
      const open = to === null || plan === null || toBigInt(to) - first >= limits.maxBlocks;
      const head = pin.knownHead ?? (open || pin.isUnresolved ? await pin.head() : undefined);
      const asked = to === null ? BigInt(head!.height) : toBigInt(to);
      const range = heightsInRange(first, head && head.height < asked ? BigInt(head.height) : asked, limits.maxBlocks);
      if (!plan) return range.map((number) => partialBlock({ number }));
      const found = untilHead(await Promise.all(range.map((number) => fromHeader(number, needs) ?? block(number, plan))));
      if (!pin.canDetectReorgs) checkLinks(found);
      return found;
    },

    /** The header of a block by hash. */
    header: async (hash: Data): Promise<Pick<RpcBlock, 'baseFeePerGas'> | null> =>
      fromHeader(hash, ['baseFeePerGas']) ?? blocks.load(hash, false),

    /** The transactions of a block, whole or by position; null for an ommer. */
    transactionsIn: (of: RpcBlock): readonly PartialTransaction[] | null => within(of).transactions,

    /** One transaction of a block; null when out of bounds. Source, beyond its position: `eth_getTransactionByBlockHashAndIndex`. */
    async transactionIn(of: RpcBlock, index: Quantity, { full, receipt }: TransactionPlan): Promise<PartialTransaction | null> {
      const part = within(of).transactions?.[Number(index)] ?? null;
      if (!part || !full || isFullTransaction(part)) return part;
      if (receipt) Promise.resolve(transactions.receipt(part)).catch(() => {});
      const found = await availability.readAt(of.hash, transactionAt, of.hash, index, part.hash);
      if (found) return found;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not this transaction of it.');
    },

    receiptsIn: async (of: RpcBlock): Promise<readonly RpcReceipt[] | null> => (of.transactions ? within(of).receipts : null),

    async logsIn(of: RpcBlock, filter: LogFilter): Promise<readonly RpcLog[]> {
      checkTopics(filter);
      return within(of).logs(filter);
    },

    /** Null while the node is not synchronising, and where it does not tell. Source: `eth_syncing`. */
    syncing: () =>
      withFallback(
        session,
        syncState.name,
        () => calls.call(syncState),
        async () => null,
      ),

    /** Source: `eth_maxPriorityFeePerGas`, else the gas price less the base fee of the most recent block. */
    maxPriorityFeePerGas: () =>
      withFallback(
        session,
        priorityFee.name,
        () => calls.call(priorityFee),
        async () => {
          const [price, newest] = await Promise.all([calls.call(queryReads.gasPrice), latest(HEADER_ONLY_PLAN)]);
          const tip = toBigInt(price) - toBigInt(newest?.baseFeePerGas ?? '0x0');
          return quantityOf(tip > 0n ? tip : 0n);
        },
      ),
  };
}

const HEADER_ONLY_PLAN: BlockPlan = { full: false, receipts: false, allLogs: false, filters: [] };

/** Throws BLOCK_NOT_AVAILABLE when blocks that follow each other are of different branches. */
function checkLinks(blocks: readonly ChainBlock[]): void {
  for (let i = 1; i < blocks.length; i++) {
    if (sameData(blocks[i]!.parentHash, blocks[i - 1]!.hash)) continue;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The chain was reorganised while this was being answered; ask again.');
  }
}

/** Blocks up to the first that is not there, which must be past the head: a hole below it is a node's mistake. */
function untilHead(found: readonly (ChainBlock | null)[]): readonly ChainBlock[] {
  const end = found.indexOf(null);
  if (end !== -1 && found.slice(end).some((one) => one !== null)) {
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block in the middle of the range.');
  }
  return (end === -1 ? found : found.slice(0, end)) as readonly ChainBlock[];
}
