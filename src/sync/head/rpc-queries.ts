import { GraphError } from '../../errors.ts';
import { readBlock } from '../../ethereum/block-results.ts';
import { quantity } from '../../ethereum/decoders.ts';
import { type Data, type Quantity, quantityOf } from '../../ethereum/hex.ts';
import type { ResultReader, RpcCall, RpcOutcome } from '../../upstream/rpc/rpc-call.ts';
import type { ChainQuery } from '../chain/ancestors.ts';
import type { ForkChoiceResult, ForkChoiceSteps } from '../chain/fork-choice.ts';
import { type Head, readHead } from '../chain/rpc-header.ts';

/** A way to a node: one connection, or the session of one poll. */
export interface RpcSource {
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
}

/** What ends the following for good: nothing that the node says after it could be believed, or it says nothing to us any more. */
const FATAL_CODES: ReadonlySet<string> = new Set(['UPSTREAM_AUTH', 'UPSTREAM_CHAIN_CHANGED']);

export const isFatalFollowerError = (error: unknown): error is GraphError =>
  error instanceof GraphError && FATAL_CODES.has(error.code);

/** No answer: a call that failed so says nothing of what the node has or can do. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_CIRCUIT_OPEN',
  'UPSTREAM_RATE_LIMITED',
  'UPSTREAM_QUOTA_EXCEEDED',
  'UPSTREAM_AUTH',
]);

export const isUnavailable = ({ code }: GraphError): boolean => UNAVAILABLE_CODES.has(code);

/** What has failed for now. What is fatal goes on. */
export function asTransientError(error: unknown): GraphError {
  if (isFatalFollowerError(error)) throw error;
  return error instanceof GraphError
    ? error
    : new GraphError('INTERNAL_SERVER_ERROR', 'Following the chain failed.', { cause: error });
}

/** What the log is told of an error; of one that should not be, all. */
export const errorLogFields = (error: GraphError): Record<string, unknown> => ({
  code: error.code,
  reason: error.message,
  ...(error.code === 'INTERNAL_SERVER_ERROR' && { err: error }),
});

const BLOCK_READER = { read: readBlock } as ResultReader;

const blockCall = (method: string, ref: string): RpcCall => {
  const params = [ref, false];
  return { method, params, reader: BLOCK_READER, args: params };
};

const blockByHeightCall = (ref: string): RpcCall => blockCall('eth_getBlockByNumber', ref);

/** The call for a block by its hash. */
export const blockByHashCall = (hash: Data): RpcCall => blockCall('eth_getBlockByHash', hash);

function callsForQuery(question: ChainQuery): RpcCall[] {
  if (question.kind === 'height') return [blockByHeightCall(quantityOf(question.height))];
  if (question.kind === 'blocks') return question.hashes.map(blockByHashCall);
  if (question.kind === 'latest')
    return [blockByHeightCall('latest'), ...(question.batchedHash ? [blockByHashCall(question.batchedHash)] : [])];
  return [blockByHashCall(question.hash), ...question.heights.map((height) => blockByHeightCall(quantityOf(height)))];
}

/**
 * Sees a judging through: puts its questions to the node, over one way. `failure` is why the node told nothing, where that was a
 * failure and not a plain "unknown". Rejects with what is fatal. `onOdd` is told of answers that cannot be read.
 */
export async function runForkChoice(
  judging: ForkChoiceSteps,
  source: RpcSource,
  signal: AbortSignal,
  onMalformed: () => void,
): Promise<{ readonly result: ForkChoiceResult; readonly failure: GraphError | undefined }> {
  let failure: GraphError | undefined;
  const read = (outcome: RpcOutcome, at: number): Head | undefined => {
    if ('error' in outcome) {
      if (isFatalFollowerError(outcome.error)) throw outcome.error;
      if (outcome.isMismatch) onMalformed();
      else if (at === 0) failure = outcome.error;
      return undefined;
    }
    if (outcome.result === null) return undefined;
    const head = readHead(outcome.result);
    if (!head) onMalformed();
    return head;
  };
  let step = judging.next();
  while (!step.done) {
    const question = step.value;
    const outcomes = await source.send(callsForQuery(question), signal);
    step = judging.next(outcomes.map(read));
  }
  return { result: step.value, failure };
}

/** The chain that the node serves. Rejects with UPSTREAM_CHAIN_CHANGED when it is not the one that was served before. */
export async function readChainId(source: RpcSource, before: Quantity | undefined, signal: AbortSignal): Promise<Quantity> {
  const [outcome] = await source.send([{ method: 'eth_chainId', params: [], reader: { read: quantity } }], signal);
  if ('error' in outcome!) throw outcome.error;
  const told = outcome!.result as Quantity;
  if (before !== undefined && told !== before) {
    throw new GraphError(
      'UPSTREAM_CHAIN_CHANGED',
      `The node served chain ${Number(before)} and now serves chain ${Number(told)}.`,
    );
  }
  return told;
}
