import { type ErrorCode, GraphError } from '../errors.ts';
import type { Data, Quantity } from '../ethereum/hex.ts';
import type { Settled } from '../upstream/in-flight-requests.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { StateByHashSupport } from '../upstream/rpc/state-by-hash-support.ts';
import { type BlockAvailability, isBlockMissing } from './block-availability.ts';
import { hasCode, type WithNodeCapabilities } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { type BlockParameter, blockBy, type StateMethod } from './state-methods.ts';

export type SettledCallback<R> = (settled: Settled<R>) => void;
type StateArgs<A extends readonly unknown[]> = [of: Data, at: BlockParameter, ...further: A];

/** The block whose state is read, as far as it is known. */
export interface StateBlock {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** Its name on the wire (EIP-1898); all reads at the block share it, so that it is written once. */
  readonly ref: { readonly blockHash: Data };
}

/** What is asked of an account at a block, by whatever method. */
export interface StateRead<A extends readonly unknown[]> {
  /** The account's address. */
  readonly address: Data;
  readonly at: StateBlock;
  /** Arguments beside address and block. */
  readonly extraArgs: A;
  /** All of them, the block by its hash. */
  readonly args: StateArgs<A>;
}

export const toStateRead = <A extends readonly unknown[]>(address: Data, at: StateBlock, extraArgs: A): StateRead<A> => ({
  address,
  at,
  extraArgs,
  args: [address, at.ref, ...extraArgs],
});

/** What was known of an endpoint when a read by hash was sent to it. */
interface HashReadAttempt {
  readonly form: StateByHashSupport;
  readonly refusals: number;
}

/**
 * Errors by which a node may refuse a block hash, in whatever words. All others are about something else: the contract's code failed, the
 * node cannot be reached, is too slow, limits requests, does not accept the credentials, or has pruned the state.
 */
const HASH_REFUSAL_CODES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_ERROR',
  'UPSTREAM_INTERNAL',
  'UPSTREAM_BAD_RESPONSE',
  'METHOD_NOT_SUPPORTED',
]);

const mayBeHashRefusal = (error: unknown): error is GraphError =>
  isBlockMissing(error) || (error instanceof GraphError && HASH_REFUSAL_CODES.has(error.code));

/** Whether a node has carried a read out. That a contract's code fails is a result. */
const wasExecuted = (settled: Settled<unknown>): boolean => 'value' in settled || hasCode(settled.error, 'EXECUTION_REVERTED');

/**
 * Reads state at the block of a hash: by the hash where the endpoint takes it (EIP-1898), else by height, and then a result counts only if the
 * block of that height is still the same afterwards.
 */
export function createBlockStateRead(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  presence: BlockAvailability,
) {
  /** The height of a block, asked for where only the hash is known, as across a border; undefined when the node does not know the block. */
  const heightOf = ({ hash, height }: StateBlock): Quantity | undefined | Promise<Quantity | undefined> =>
    height ?? pin.header(hash)?.number ?? calls.call(blockBy, hash, false).then((block) => block?.number);

  const byHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { address, at, extraArgs }: StateRead<A>,
    settle: SettledCallback<R>,
  ): void => {
    const fail = (error: unknown): void => settle({ error });
    const readAt = (height: Quantity | undefined): void => {
      if (height === undefined) {
        fail(new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the block whose state is asked for.'));
        return;
      }
      calls.callWithCallback(method, [address, height, ...extraArgs], (settled) => {
        if (wasExecuted(settled)) presence.assertBlockAtHeight(height, at.hash).then(() => settle(settled), fail);
        else settle(settled);
      });
    };
    const height = heightOf(at);
    if (height instanceof Promise) height.then(readAt).catch(fail);
    else readAt(height);
  };

  const byHash = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    settle: SettledCallback<R>,
  ): void => {
    const form = session.capabilities.stateByHash;
    const { rejections } = form;
    calls.callWithCallback(method, reading.args, (settled) => {
      if (wasExecuted(settled)) form.recordSuccess();
      if ('value' in settled) settle(settled);
      else recover(method, reading, settle, settled, { form, refusals: rejections });
    });
  };

  /** Tries what may help where a hash did not. */
  const recover = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    settle: SettledCallback<R>,
    failed: { readonly error: unknown },
    sent: HashReadAttempt,
  ): void => {
    if (!mayBeHashRefusal(failed.error)) settle(failed);
    else if (isAhead(failed.error, reading.at.hash)) {
      awaitBlock(method, reading, failed.error, sent).then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
    } else if (!sent.form.canTryHeight()) settle(failed);
    else tryHeight(method, reading, settle, failed.error, sent);
  };

  /** Reads by height what failed by hash, and learns from it. */
  const tryHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    settle: SettledCallback<R>,
    error: GraphError,
    sent: HashReadAttempt,
  ): void =>
    byHeight(method, reading, (found) => {
      if (wasExecuted(found)) learn(error, sent);
      else sent.form.recordFallbackFailure();
      // A node that says what it lacks has understood the request; of other errors the second says more.
      settle(isBlockMissing(error) && !wasExecuted(found) ? { error } : found);
    });

  const learn = (error: GraphError, { form, refusals }: HashReadAttempt): void => {
    // Another endpoint has answered than the one that the read was sent to.
    if (session.capabilities.stateByHash !== form) return;
    // That it lacks the block is what a node that lags says, too.
    const isDoubtful: boolean = isBlockMissing(error);
    if (!isDoubtful || !form.hasWorked) form.recordRejection(refusals, !isDoubtful && error.extensions.rpcCode === -32602);
  };

  /**
   * Reads again until the node has the block, which is of the chain. One of the reads is by height: nodes that know no hashes may say that they
   * lack the block.
   */
  const awaitBlock = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    lacking: GraphError,
    sent: HashReadAttempt,
  ): Promise<NonNullable<R>> => {
    let tries = 0;
    return presence.retryUntilAvailable(reading.at.hash, async () => {
      tries += 1;
      if (tries === 2) return heightInstead(method, reading, lacking, sent);
      const value = await calls.refetch(method, ...reading.args);
      sent.form.recordSuccess();
      return value;
    });
  };

  /** A read by height; null where it fails. Rejects when the contract's code fails. */
  const heightInstead = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    lacking: GraphError,
    sent: HashReadAttempt,
  ): Promise<R | null> =>
    new Promise((resolve, reject) => {
      byHeight(method, reading, (found) => {
        if (wasExecuted(found)) learn(lacking, sent);
        if ('value' in found) resolve(found.value);
        else if (wasExecuted(found)) reject(found.error);
        else resolve(null);
      });
    });

  const read = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: StateRead<A>,
    settle: SettledCallback<R>,
  ): void => {
    if (session.capabilities.stateByHash.isUnsupported) byHeight(method, reading, settle);
    else byHash(method, reading, settle);
  };

  /** Whether the node lacks a block that is known to be of the chain: it lags, or another one behind its address does. */
  const isAhead = (error: unknown, hash: Data): boolean => isBlockMissing(error) && pin.header(hash) !== undefined;

  return read;
}
