import type { DomainServices } from '../../../domain.ts';
import { GraphError } from '../../../errors.ts';
import type { AbiRegistry } from '../../../ethereum/abi/registry.ts';
import { type Data, isBlockHash, type Quantity } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { WindowedList } from '../../../graphql/windowed-list.ts';
import { availableRangeLoader } from '../../../snapshot/history/available-range.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { checkTopics } from '../log-filter-checks.ts';
import { type ChainBlock, isFullTransaction, type PartialTransaction, partialBlock } from '../model.ts';
import type { BlockPlan, LogPlan, TransactionPlan } from '../plan.ts';
import { accountIdReader } from './account-ids.ts';
import { accountLoader } from './accounts.ts';
import { nextBaseFeeLoader } from './block/base-fee.ts';
import { blockLoader } from './block/blocks.ts';
import { BlockContents, type BlockKey, prefetchBlockContents, releaseBlockContents } from './block/contents.ts';
import { encodingLoader } from './block/encodings.ts';
import { blockLogsLoader } from './block/logs.ts';
import { blockReceiptsLoader } from './block/receipts.ts';
import { BlockWindows } from './block/windows.ts';
import { callLoader } from './calls.ts';
import { canonicalCheck } from './canonical-check.ts';
import { abiDecoder } from './decoding.ts';
import { feeHistoryLoader } from './fee-history.ts';
import { type FinalityMarkers, type FinalityTag, finalityReader, nullIfTagUnsupported } from './finality.ts';
import type { LogCriteria } from './log-criteria.ts';
import { logConnectionReads } from './log-search/log-connection.ts';
import type { LogDensities } from './log-search/log-densities.ts';
import { createLogReads } from './log-search/log-reads.ts';
import { LogWindows, needsWindows } from './log-windows.ts';
import { logLoader } from './logs.ts';
import { minedTransactionCheck } from './mined-check.ts';
import { nodeReads } from './node-reads.ts';
import { pendingReader } from './pending.ts';
import { proofLoader } from './proofs.ts';
import { rangeLoaders } from './ranges/index.ts';
import { HEADER_ONLY_PLAN } from './ranges/range-reads.ts';
import { revertPayloadLoader } from './revert-payload.ts';
import { simulationLoader } from './simulation.ts';
import { submitTransaction } from './submit-transaction.ts';
import { transactionLoader } from './transactions.ts';

/** Limits on the results of one field, and the mode of the server. */
export interface ChainLimits {
  readonly maxBlocks: number;
  readonly maxLogs: number;
  /** Whether unknown block hashes and mined transactions are errors, as in the GraphQL servers of execution clients. */
  readonly isDropIn?: boolean | undefined;
  readonly service: DomainServices['service'];
}

export type ChainLoaders = ReturnType<typeof chainLoaders>;

/** Sources that the loaders of all operations share. */
export interface ChainSources extends ChainLimits {
  readonly finalityMarkers: FinalityMarkers;
  readonly abis: AbiRegistry;
  readonly logDensities: LogDensities;
}

/** Creates the chain loaders of one operation. Entities are loaded through DataLoaders (docs/decisions/0021). */
export function chainLoaders({ finalityMarkers, abis, logDensities, ...limits }: ChainSources, snapshot: Snapshot) {
  const { operation, node, session, calls, pin, eventReads } = snapshot;
  const { abandoned } = operation.event ?? {};
  const isAbandoned = (hash: Data | null | undefined): boolean => !!hash && !!abandoned?.includes(hash.toLowerCase());
  const headerOf = (hash: Data): Head | undefined => pin.header(hash) ?? (operation.event && eventReads.header(hash));

  const contents = new Map<Data, BlockContents>();
  const contentsOf = (blockHash: Data | null | undefined) => (blockHash ? contents.get(blockHash.toLowerCase()) : undefined);
  const contentLoaders = {
    receipts: blockReceiptsLoader(snapshot),
    logs: blockLogsLoader(snapshot),
    budget: snapshot.operation.budget,
  };

  const decoder = abiDecoder(abis, operation);
  const blocks = blockLoader(snapshot);
  const nextBaseFees = nextBaseFeeLoader(snapshot, blocks);
  const transactions = transactionLoader(snapshot, contentsOf, { isAbandoned, headerOf });
  const checkCanonical = canonicalCheck(snapshot);
  const finality = finalityReader(snapshot, finalityMarkers, checkCanonical);
  const logReads = createLogReads(snapshot);
  const logs = logLoader(snapshot, logReads, finality.blockOfTag, limits.maxLogs);

  /** Loads a block with the contents that a plan needs. A height or a tag is resolved on this operation's chain. */
  const block = async (requestedRef: BlockRef, plan: BlockPlan): Promise<RpcBlock | null> => {
    if (pin.isUnresolved && !isBlockHash(requestedRef)) await pin.head();
    const ref = pin.resolveRef(requestedRef);
    const loaded = isBlockHash(ref) ? contentsOf(ref) : undefined;
    if (loaded?.covers(plan)) return loaded.block;
    void prefetchBlockContents(ref, plan, snapshot);
    const found = await blocks.load(ref, plan.full);
    if (found) await storeContents(found, plan).receivePrefetched(ref, plan);
    return found;
  };

  /**
   * Requests a block at a height with the contents that a plan needs; resolves when `block` needs no further call. With full transactions, no
   * promise resolves with the block, because one that waits for long is in the old generation, where it would retain the block when both are
   * garbage.
   */
  const prefetchBlock = async (height: Quantity, plan: BlockPlan): Promise<void> => {
    const ref = pin.resolveRef(height);
    if (plan.full && !contentsOf(ref)?.covers(plan)) {
      await Promise.all([prefetchBlockContents(ref, plan, snapshot), blocks.prefetch(ref)]);
    } else await block(height, plan);
  };

  /** Loads the head of this operation. */
  const latest = async (plan: BlockPlan): Promise<RpcBlock | null> => {
    if (pin.knownHead) return block(pin.knownHead.hash, plan);
    if (pin.isReading || operation.block !== undefined) return block((await pin.head()).hash, plan);
    const found = block('latest', plan);
    pin.adoptHead(blocks.load('latest', plan.full));
    return found;
  };

  /** Loads the safe or the final block, or the head of this operation when that is lower. */
  const finalityBlock = async (tag: FinalityTag, plan: BlockPlan): Promise<RpcBlock | null> => {
    const head = pin.isUnresolved ? await pin.head() : pin.knownHead;
    if (!head) return block(tag, plan).catch(nullIfTagUnsupported);
    const found = await finality.blockOfTag(tag);
    if (!found) return null;
    if (Number(found.number) > head.height) return block(head.hash, plan);
    return plan.full || plan.receipts || plan.allLogs || plan.filters.length > 0 ? block(found.hash, plan) : found;
  };

  /** Stores the contents of a loaded block. Replaces stored contents only if the block is loaded again with full transactions. */
  const storeContents = (found: RpcBlock, plan: BlockPlan): BlockContents => {
    const previous = contentsOf(found.hash);
    if (previous && (previous.block === found || !plan.full)) return previous;
    const stored = new BlockContents(found, contentLoaders, previous);
    contents.set(String(found.hash).toLowerCase(), stored);
    return stored;
  };

  /** Releases a block and its contents, so that they can be freed. */
  const releaseBlock = (key: BlockKey, plan: BlockPlan): void => {
    const transactions = contentsOf(key.hash)?.block.transactions;
    contents.delete(String(key.hash).toLowerCase());
    contentLoaders.receipts.clearAll();
    contentLoaders.logs.clearAll();
    blocks.release(key);
    releaseBlockContents(key, plan, snapshot, transactions);
  };

  const blockWindows = new BlockWindows({
    checksParentHashes: () => !pin.canDetectReorgs,
    upstreamBytes: () => operation.budget?.upstreamBytes ?? 0,
    release: releaseBlock,
  });
  const logWindows = new LogWindows({ releaseBlock, releaseTransaction: transactions.release });

  const contentsIn = (parent: RpcBlock): BlockContents => contentsOf(parent.hash) ?? new BlockContents(parent, contentLoaders);

  /** Returns a block from its header, without a request, if the header is known and has the properties `needs`. */
  const fromHeader = (ref: BlockRef, needs: readonly string[] | undefined): ChainBlock | undefined => {
    const hash = ref === 'latest' ? pin.knownHead?.hash : pin.resolveRef(ref);
    const head = needs && hash !== undefined && isBlockHash(hash) ? headerOf(hash) : undefined;
    const header = head?.header as Readonly<Record<string, unknown>> | undefined;
    if (!header || !needs!.every((key) => header[key] !== undefined)) return undefined;
    operation.dependencies.addBlock(head!.hash, head!.height);
    return partialBlock(header);
  };

  /** The transactions of a block, full or by position; null for an ommer. */
  const transactionsIn = (parent: RpcBlock): readonly PartialTransaction[] | null => contentsIn(parent).transactions;

  const ranges = { blocks, checkCanonical, block, prefetchBlock, fromHeader, releaseBlock, transactionsIn };

  return {
    /** Sends a call that reads no entity, such as the gas price. */
    call: calls.call,
    ...nodeReads(snapshot, () => latest(HEADER_ONLY_PLAN)),
    ...accountLoader(snapshot.stateReader),
    ...accountIdReader(snapshot),
    /** What the graph states about itself. A new release may change it, so that a response with it is never immutable. */
    service(): DomainServices['service'] {
      operation.dependencies.addHead();
      return limits.service;
    },
    availableRange: availableRangeLoader(snapshot),
    contractCalls: callLoader(snapshot, decoder.revertReason),
    pending: pendingReader(snapshot),
    ...proofLoader(snapshot),
    ...encodingLoader(snapshot, {
      block,
      receiptsIn: (parent) => contentsIn(parent).receipts,
      transactionsIn,
      ommer: blocks.ommer,
    }),
    ...decoder,
    ...feeHistoryLoader(snapshot, blocks),
    ...revertPayloadLoader(snapshot),
    ...simulationLoader(snapshot, decoder.revertReason),
    ...rangeLoaders({ ...ranges, snapshot, maxBlocks: limits.maxBlocks, windows: blockWindows }),
    ...logConnectionReads(
      snapshot,
      { blockOfTag: finality.blockOfTag, checkCanonical, reads: logReads, densities: logDensities, maxLogs: limits.maxLogs },
      logWindows,
    ),
    confirmations: finality.confirmations,
    finalized: finality.finalized,
    block,
    latest,
    finalityBlock,
    fromHeader,
    counts: blocks.counts,
    ommer: blocks.ommer,
    nextBaseFee: (of: RpcBlock) => nextBaseFees.load(of),
    findTransaction: transactions.findTransaction,
    completeTransaction: transactions.completeTransaction,
    findReceipt: transactions.findReceipt,
    receiptOf: transactions.receiptOf,
    logsOf: transactions.logsOf,
    submit: (bytes: Data) => submitTransaction(node, session, bytes, operation.signal),
    /** Whether an unknown block hash, and a submission of a mined transaction, is an error. */
    isDropIn: limits.isDropIn ?? false,
    assertNotMined: minedTransactionCheck(snapshot),

    /** Loads the logs that match; their blocks and transactions in windows, if the plan needs them. */
    async logs(criteria: LogCriteria, plan: LogPlan): Promise<readonly RpcLog[]> {
      checkTopics(criteria);
      const found = await logs.load(criteria);
      return needsWindows(plan) ? WindowedList.asArray((write) => logWindows.write(found, plan, write)) : found;
    },

    /** The head's number, hash and parent hash. */
    headRef: async (): Promise<ChainBlock> => {
      pin.recordHeadRead();
      const { number, hash, parentHash } = await pin.head();
      return partialBlock({ number, hash, parentHash });
    },

    /** Loads the header of a block by hash. */
    header: async (hash: Data): Promise<Pick<RpcBlock, 'baseFeePerGas'> | null> =>
      fromHeader(hash, ['baseFeePerGas']) ?? blocks.load(hash, false),

    transactionsIn,

    /** Loads one transaction of a block; null when the index is out of bounds. */
    async transactionIn(
      parent: RpcBlock,
      index: Quantity,
      { full, receipt }: TransactionPlan,
    ): Promise<PartialTransaction | null> {
      const listed = contentsIn(parent).transactions?.[Number(index)] ?? null;
      if (!listed || !full || isFullTransaction(listed)) return listed;
      if (receipt) Promise.resolve(transactions.receiptOf(listed)).catch(() => {});
      const found = await transactions.transactionAt({ blockHash: parent.hash, index, hash: listed.hash });
      if (found) return found;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not this transaction of it.');
    },

    receiptsIn: async (parent: RpcBlock): Promise<readonly RpcReceipt[] | null> =>
      parent.transactions ? contentsIn(parent).receipts : null,

    async logsIn(parent: RpcBlock, filter: LogFilter): Promise<readonly RpcLog[]> {
      checkTopics(filter);
      return contentsIn(parent).logs(filter);
    },
  };
}
