import { TRACE_COST } from '../../../ethereum/call-costs.ts';
import type { RawCalls } from '../../../ethereum/call-frames.ts';
import { readPrestateDiff } from '../../../ethereum/state-diff.ts';
import * as traces from '../../../ethereum/traces.ts';
import { rpcMethod } from '../../../snapshot/state-methods.ts';
import { blockTrace, CALL_TRACER } from '../../../snapshot/trace-methods.ts';
import type { BlockPointer } from '../../../upstream/rpc/rpc-call.ts';

const DIFF_TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };

/** A method that traces a transaction by its hash. Few nodes have these methods. */
export const transactionTrace = <R, T extends traces.MinedTransaction = traces.MinedTransaction>(
  name: string,
  read: (result: unknown, transaction: T) => R,
  ...options: readonly unknown[]
) => ({
  ...rpcMethod(name, read, ({ hash }: T) => [hash, ...options]),
  inclusionBlock: (_result: unknown, { blockNumber: number, blockHash: hash }: T): BlockPointer => ({ number, hash }),
  cost: () => TRACE_COST,
});

/** The calls of a transaction, by two methods. `snapshot/trace-methods.ts` has the methods for a block. */
export const callTreeOf = transactionTrace<RawCalls>('debug_traceTransaction', traces.readCallTree, CALL_TRACER);
export const callListOf = transactionTrace<RawCalls>('trace_transaction', traces.readCallList);

/** The accounts that a transaction changed. */
export const prestateDiffOf = transactionTrace('debug_traceTransaction', readPrestateDiff, DIFF_TRACER);

/** The steps of the execution of a transaction, and of each transaction of a block. */
export const executionTraceOf = (...options: readonly unknown[]) =>
  transactionTrace('debug_traceTransaction', traces.readExecutionTrace, ...options);
export const executionTracesIn = (...options: readonly unknown[]) =>
  blockTrace((result, block) => traces.readTracedBlock(result, block, traces.readExecutionTrace), ...options);
