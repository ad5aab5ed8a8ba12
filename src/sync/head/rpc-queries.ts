import type { Logger } from 'pino';
import { readBlock } from '../../ethereum/block-results.ts';
import { blockContradiction } from '../../ethereum/header-checks.ts';
import { isBlockHash } from '../../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../../ethereum/rpc-types.ts';
import { GraphError, toGraphError } from '../../lib/errors.ts';
import { type RpcCall, type RpcMethod, type RpcOutcome, type RpcSender, toRpcCall } from '../../upstream/rpc/rpc-call.ts';
import { isUnavailable } from '../../upstream/rpc/rpc-errors.ts';
import { chooseFork } from '../chain/fork-choice.ts';
import type { HeadObservation } from '../chain/fork-choice-steps.ts';
import { type Head, readHead } from '../chain/rpc-header.ts';
import type { HeadState } from './head-state.ts';
import type { FollowerTiming } from './timing.ts';

/** The dependencies that polling and a head subscription share. */
export interface FollowContext {
  readonly headState: HeadState;
  readonly timing: FollowerTiming;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Reads the chain id of the node. Rejects when the chain id is not the id of the served chain. */
  readonly checkChain: (source: RpcSender, signal: AbortSignal) => Promise<unknown>;
}

/** True for the error that ends the follower permanently: reconnecting cannot resolve it. */
const isFatalFollowerError = (error: unknown): error is GraphError =>
  error instanceof GraphError && error.code === 'UPSTREAM_CHAIN_CHANGED';

/**
 * Returns undefined for the error of a call that the node rejected. Rethrows the errors of an unavailable node. Use it
 * as a `catch` handler.
 */
export function undefinedIfUnsupported(error: unknown): undefined {
  if (!(error instanceof GraphError) || isUnavailable(error)) throw error;
}

/** Converts a transient error to a GraphError. Rethrows fatal errors. */
export function asTransientError(error: unknown): GraphError {
  if (isFatalFollowerError(error)) throw error;
  return toGraphError(error, 'INTERNAL_SERVER_ERROR', 'Following the chain failed.');
}

/** Returns the log fields of an error; for INTERNAL_SERVER_ERROR with its stack. */
export const errorLogFields = (error: GraphError): Record<string, unknown> => ({
  code: error.code,
  reason: error.message,
  ...(error.code === 'INTERNAL_SERVER_ERROR' && { err: error }),
});

const headerBy: RpcMethod<[ref: BlockRef, full: boolean], RpcBlock | null> = {
  name: (ref) => (isBlockHash(ref) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'),
  read: readBlock,
  contradiction: blockContradiction,
};

/** Builds the call that reads a block by its hash, its height or a tag. */
export const blockCall = (ref: BlockRef): RpcCall => toRpcCall(headerBy, ref, false);

/**
 * Decides about one observation: sends the queries of the fork choice to one source and returns its result. `failure`
 * is the error of the last query whose first call failed; an unknown block is not a failure. Counts malformed results.
 * Rejects with fatal errors.
 */
export async function runForkChoice(state: HeadState, observation: HeadObservation, source: RpcSender, signal: AbortSignal) {
  const { forkChoiceState, counts } = state;
  const steps = chooseFork(forkChoiceState, observation);
  let failure: GraphError | undefined;
  const readOutcome = (outcome: RpcOutcome, index: number): Head | undefined => {
    if ('error' in outcome) {
      if (isFatalFollowerError(outcome.error)) throw outcome.error;
      if (outcome.isMismatch) counts.malformed += 1;
      // Before the first head, a refused result is the reason why there is none.
      if (index === 0 && (!outcome.isMismatch || !forkChoiceState.canonical)) failure = outcome.error;
      return undefined;
    }
    if (outcome.result === null) return undefined;
    const head = readHead(outcome.result);
    if (!head) counts.malformed += 1;
    return head;
  };
  let step = steps.next();
  while (!step.done) {
    const outcomes = await source.send(step.value.map(blockCall), signal);
    step = steps.next(outcomes.map(readOutcome));
  }
  return { result: step.value, failure };
}
