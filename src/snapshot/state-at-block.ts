import { type ErrorCode, GraphError } from '../errors.ts';
import type { Data, Quantity } from '../ethereum/hex.ts';
import type { Calls, Settled } from '../upstream/rpc/operation-calls.ts';
import type { StateByHash } from '../upstream/rpc/state-by-hash.ts';
import { isLacking, type Presence } from './block-availability.ts';
import { hasCode, type WithFacts } from './node-probe.ts';
import type { Pin } from './pinned-block.ts';
import { blockBy, type StateMethod, type StateRef } from './state-methods.ts';

export type Settle<R> = (settled: Settled<R>) => void;
type StateArgs<A extends readonly unknown[]> = [of: Data, at: StateRef, ...further: A];

/** The block whose state is read, as far as it is known. */
export interface At {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** Its name on the wire (EIP-1898); all reads at the block share it, so that it is written once. */
  readonly ref: { readonly blockHash: Data };
}

/** What is asked of an account at a block, by whatever method. */
export interface Reading<A extends readonly unknown[]> {
  /** The account's address. */
  readonly of: Data;
  readonly at: At;
  /** Arguments beside address and block. */
  readonly further: A;
  /** All of them, the block by its hash. */
  readonly args: StateArgs<A>;
}

export const readingOf = <A extends readonly unknown[]>(of: Data, at: At, further: A): Reading<A> => ({
  of,
  at,
  further,
  args: [of, at.ref, ...further],
});

/** What was known of an endpoint when a read by hash was sent to it. */
interface Sent {
  readonly form: StateByHash;
  readonly refusals: number;
}

/**
 * Errors by which a node may refuse a block hash, in whatever words. All others are about something else: the contract's code failed, the
 * node cannot be reached, is too slow, limits requests, does not accept the credentials, or has pruned the state.
 */
const MAY_REFUSE_HASH: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_ERROR',
  'UPSTREAM_INTERNAL',
  'UPSTREAM_BAD_RESPONSE',
  'METHOD_NOT_SUPPORTED',
]);

const mayRefuseHash = (error: unknown): error is GraphError =>
  isLacking(error) || (error instanceof GraphError && MAY_REFUSE_HASH.has(error.code));

/** Whether a node has carried a read out. That a contract's code fails is a result. */
const isDone = (settled: Settled<unknown>): boolean => 'value' in settled || hasCode(settled.error, 'EXECUTION_REVERTED');

/**
 * Reads state at the block of a hash: by the hash where the endpoint takes it (EIP-1898), else by height, and then a result counts only if the
 * block of that height is still the same afterwards.
 */
export function stateAtBlock(calls: Calls, session: WithFacts, pin: Pin, presence: Presence) {
  /** The height of a block, asked for where only the hash is known, as across a border; undefined when the node does not know the block. */
  const heightOf = ({ hash, height }: At): Quantity | undefined | Promise<Quantity | undefined> =>
    height ?? pin.header(hash)?.number ?? calls.call(blockBy, hash, false).then((block) => block?.number);

  const byHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { of, at, further }: Reading<A>,
    settle: Settle<R>,
  ): void => {
    const fail = (error: unknown): void => settle({ error });
    const readAt = (height: Quantity | undefined): void => {
      if (height === undefined) {
        fail(new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the block whose state is asked for.'));
        return;
      }
      calls.listen(method, [of, height, ...further], (settled) => {
        if (isDone(settled)) presence.remained(height, at.hash).then(() => settle(settled), fail);
        else settle(settled);
      });
    };
    const height = heightOf(at);
    if (height instanceof Promise) height.then(readAt).catch(fail);
    else readAt(height);
  };

  const byHash = <A extends readonly unknown[], R>(method: StateMethod<A, R>, reading: Reading<A>, settle: Settle<R>): void => {
    const form = session.facts.stateByHash;
    const { refusals } = form;
    calls.listen(method, reading.args, (settled) => {
      if (isDone(settled)) form.worked();
      if ('value' in settled) settle(settled);
      else recover(method, reading, settle, settled, { form, refusals });
    });
  };

  /** Tries what may help where a hash did not. */
  const recover = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: Reading<A>,
    settle: Settle<R>,
    failed: { readonly error: unknown },
    sent: Sent,
  ): void => {
    if (!mayRefuseHash(failed.error)) settle(failed);
    else if (isAhead(failed.error, reading.at.hash)) {
      awaitBlock(method, reading, failed.error, sent).then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
    } else if (!sent.form.mayTryHeight()) settle(failed);
    else tryHeight(method, reading, settle, failed.error, sent);
  };

  /** Reads by height what failed by hash, and learns from it. */
  const tryHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: Reading<A>,
    settle: Settle<R>,
    error: GraphError,
    sent: Sent,
  ): void =>
    byHeight(method, reading, (found) => {
      if (isDone(found)) learn(error, sent);
      else sent.form.failedTwice();
      // A node that says what it lacks has understood the request; of other errors the second says more.
      settle(isLacking(error) && !isDone(found) ? { error } : found);
    });

  const learn = (error: GraphError, { form, refusals }: Sent): void => {
    // Another endpoint has answered than the one that the read was sent to.
    if (session.facts.stateByHash !== form) return;
    // That it lacks the block is what a node that lags says, too.
    const isDoubtful: boolean = isLacking(error);
    if (!isDoubtful || !form.hasWorked) form.refused(refusals, !isDoubtful && error.extensions.rpcCode === -32602);
  };

  /**
   * Reads again until the node has the block, which is of the chain. One of the reads is by height: nodes that know no hashes may say that they
   * lack the block.
   */
  const awaitBlock = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: Reading<A>,
    lacking: GraphError,
    sent: Sent,
  ): Promise<NonNullable<R>> => {
    let tries = 0;
    return presence.again(reading.at.hash, async () => {
      tries += 1;
      if (tries === 2) return heightInstead(method, reading, lacking, sent);
      const value = await calls.again(method, ...reading.args);
      sent.form.worked();
      return value;
    });
  };

  /** A read by height; null where it fails. Rejects when the contract's code fails. */
  const heightInstead = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: Reading<A>,
    lacking: GraphError,
    sent: Sent,
  ): Promise<R | null> =>
    new Promise((resolve, reject) => {
      byHeight(method, reading, (found) => {
        if (isDone(found)) learn(lacking, sent);
        if ('value' in found) resolve(found.value);
        else if (isDone(found)) reject(found.error);
        else resolve(null);
      });
    });

  const read = <A extends readonly unknown[], R>(method: StateMethod<A, R>, reading: Reading<A>, settle: Settle<R>): void => {
    if (session.facts.stateByHash.isRefused) byHeight(method, reading, settle);
    else byHash(method, reading, settle);
  };

  /** Whether the node lacks a block that is known to be of the chain: it lags, or another one behind its address does. */
  const isAhead = (error: unknown, hash: Data): boolean => isLacking(error) && pin.header(hash) !== undefined;

  return read;
}
