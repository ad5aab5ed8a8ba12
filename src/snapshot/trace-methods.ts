import { MAX_BLOCK_TRACE_COST, TRACE_COST } from '../ethereum/call-costs.ts';
import type { RawCalls } from '../ethereum/call-frames.ts';
import { readCallLists, readCallTrees, type TracedBlock } from '../ethereum/traces.ts';
import { rpcMethod } from './state-methods.ts';

export const CALL_TRACER = { tracer: 'callTracer' };

const cost = ({ transactions }: TracedBlock): number => Math.min(MAX_BLOCK_TRACE_COST, TRACE_COST * transactions.length);

/** A method that traces all transactions of a block. Few nodes have these methods. */
export const blockTrace = <R>(read: (result: unknown, block: TracedBlock) => R, ...options: readonly unknown[]) => ({
  ...rpcMethod('debug_traceBlockByHash', read, ({ hash }: TracedBlock) => [hash, ...options]),
  blockHash: ({ hash }: TracedBlock) => hash,
  cost,
});

/** The calls of each transaction of a block, by two methods. `trace_block` takes no hash, so its results are not cached. */
export const callTreesIn = blockTrace<readonly RawCalls[]>(readCallTrees, CALL_TRACER);
export const callListsIn = {
  ...rpcMethod('trace_block', readCallLists, ({ number }: TracedBlock) => [number]),
  cost,
};
