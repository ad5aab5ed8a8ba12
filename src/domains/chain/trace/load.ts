import DataLoader from 'dataloader';
import { type CallFrame, callFrames } from '../../../ethereum/call-frames.ts';
import { definedProperties } from '../../../ethereum/call-object.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { type AccountDiff, accountDiffs } from '../../../ethereum/state-diff.ts';
import type { MinedTransaction, RpcExecutionTrace, TracedBlock } from '../../../ethereum/traces.ts';
import { GraphError } from '../../../lib/errors.ts';
import { finishYielding } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import { callListsIn, callTreesIn } from '../../../snapshot/trace-methods.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-call.ts';
import type { LoaderParts } from '../block/reads.ts';
import type { PartialTransaction } from '../model.ts';
import * as methods from './methods.ts';

/** A transaction with a part of its trace. */
export interface TracedTransaction {
  readonly transaction: PartialTransaction;
}
/** The executor reads the calls of a transaction of a block. */
export type TransactionCalls = TracedTransaction & { readonly calls: () => Promise<readonly CallFrame[]> };
export type Execution = TracedTransaction & RpcExecutionTrace;

type TraceMethod<T, R> = RpcMethod<[T], R> & { readonly name: string };

/** The options that are given: an empty list without any, so that the call has no argument for them. */
const givenOptions = (options: object): readonly object[] => {
  const given = definedProperties(options);
  return Object.keys(given).length > 0 ? [given] : [];
};

/** Creates the loaders of traces. */
export function traceLoader({ session, availability, operation }: Snapshot, { blocks, transactions }: LoaderParts) {
  /** Reads a trace at a block by the first of two methods that the node has, else by `fallback`. */
  const readByEither = <T, R>(
    at: Data,
    first: TraceMethod<T, R>,
    second: TraceMethod<T, R>,
    traced: T,
    fallback?: () => Promise<R>,
  ) => {
    const readBy = (method: TraceMethod<T, R>, next: () => Promise<R>) =>
      withFallback(session, method.name, () => availability.readAt(at, method, traced), next);
    const reject = async () => {
      const message = `The node supports neither ${first.name} nor ${second.name}.`;
      throw new GraphError('METHOD_NOT_SUPPORTED', message, { source: 'node', method: first.name });
    };
    return readBy(first, () => readBy(second, fallback ?? reject));
  };

  /** Reads a trace at a block by the only method for it. A node that ignores `variant`, a tracer or its absence, lacks no other trace. */
  const readVariant = <T, R>(at: Data, method: TraceMethod<T, R>, variant: string, traced: T) =>
    requireMethod(session, `${method.name} ${variant}`, () => availability.readAt(at, method, traced));

  /** The blocks whose calls are loaded or being loaded. */
  const tracedBlocks = new Map<string, Promise<Awaited<ReturnType<typeof readBlockCalls>>>>();
  const readTransactionCalls = (transaction: MinedTransaction) =>
    readByEither(transaction.blockHash, methods.callTreeOf, methods.callListOf, transaction);
  const readBlockCalls = (block: TracedBlock) =>
    // Some nodes trace transactions and no blocks.
    readByEither(block.hash, callTreesIn, callListsIn, block, () =>
      Promise.all((blocks.transactionsIn(block as RpcBlock) as MinedTransaction[]).map(readTransactionCalls)),
    );
  const blockCalls = createEntityLoader(readBlockCalls, ({ hash }) => hash, tracedBlocks);

  /** Gas that a transaction used, from its receipt. The receipts of a loaded block are one call for all of its transactions. */
  const gasUsedBy = (transaction: MinedTransaction) => async (): Promise<Quantity | null> => {
    await blocks.contentsOf(transaction.blockHash)?.receipts;
    return (await transactions.receiptOf(transaction))?.gasUsed ?? null;
  };

  const readCalls = async (transaction: MinedTransaction, countInBlock: number): Promise<readonly CallFrame[]> => {
    const { blockHash, transactionIndex } = transaction;
    const block = blocks.contentsOf(blockHash)?.block as TracedBlock | undefined;
    // The node executes the transactions before a traced one in any case.
    const isBlockTraced =
      block && (tracedBlocks.has(block.hash) || (countInBlock > 1 && 2 * countInBlock >= block.transactions.length));
    const calls = isBlockTraced
      ? (await blockCalls.load(block))[Number(transactionIndex)]!
      : await readTransactionCalls(transaction);
    return finishYielding(callFrames(calls, transaction, gasUsedBy(transaction)), operation.budget);
  };
  const calls = new DataLoader<MinedTransaction, readonly CallFrame[], string>(
    (requested) => {
      const counts = new Map<Data, number>();
      for (const { blockHash } of requested) counts.set(blockHash, (counts.get(blockHash) ?? 0) + 1);
      return Promise.all(requested.map((one) => readCalls(one, counts.get(one.blockHash)!).catch((error: Error) => error)));
    },
    { cacheKeyFn: ({ hash, blockHash }) => `${hash} ${blockHash}` },
  );

  const readExecution = (transaction: MinedTransaction, options: object): Promise<RpcExecutionTrace> =>
    readVariant(transaction.blockHash, methods.executionTraceOf(...givenOptions(options)), 'structLogs', transaction);

  /** Reads for a mined transaction; null while it is pending. */
  const ifMined = <T>(transaction: PartialTransaction, read: (mined: MinedTransaction) => Promise<T>): Promise<T> | null =>
    transaction.blockHash && transaction.blockNumber ? read(transaction as MinedTransaction) : null;

  return {
    /** The calls of a transaction in depth-first order. Source: `debug_traceTransaction`, else `trace_transaction`. */
    calls: (transaction: PartialTransaction) => ifMined(transaction, (mined) => calls.load(mined)),

    /** The calls of each transaction of a block; null for an ommer. Source: `debug_traceBlockByHash`, else `trace_block`, else those of each transaction. */
    async callsIn(block: RpcBlock): Promise<readonly TransactionCalls[] | null> {
      const listed = blocks.transactionsIn(block);
      if (listed && listed.length > 0) await blockCalls.load(block as TracedBlock);
      return listed?.map((transaction) => ({ transaction, calls: () => calls.load(transaction as MinedTransaction) })) ?? null;
    },

    /** The accounts that a transaction changed. Source: `debug_traceTransaction`. */
    stateDiff: (transaction: PartialTransaction): Promise<readonly AccountDiff[]> | null =>
      ifMined(transaction, async (mined) => {
        const diff = await readVariant(mined.blockHash, methods.prestateDiffOf, 'prestateTracer', mined);
        return finishYielding(accountDiffs(diff), operation.budget);
      }),

    /** The steps of the execution of a transaction. Source: `debug_traceTransaction`. */
    execution: (transaction: PartialTransaction, options: object): Promise<Execution> | null =>
      ifMined(transaction, async (mined) => ({ ...(await readExecution(mined, options)), transaction })),

    /** The steps of each transaction of a block; null for an ommer. Source: `debug_traceBlockByHash`, else `debug_traceTransaction`. */
    async executionsIn(block: RpcBlock, options: object): Promise<readonly Execution[] | null> {
      const listed = blocks.transactionsIn(block);
      if (!listed || listed.length === 0) return listed && [];
      const method = methods.executionTracesIn(...givenOptions(options));
      const readBlock = () => availability.readAt(block.hash, method, block as TracedBlock);
      const readEach = (): Promise<readonly RpcExecutionTrace[]> =>
        Promise.all(listed.map((one) => readExecution(one as MinedTransaction, options)));
      const traces = await withFallback(session, `${method.name} structLogs`, readBlock, readEach, []);
      return listed.map((transaction, i) => ({ ...traces[i]!, transaction }));
    },
  };
}
