import type { Data, Quantity } from '../ethereum/hex.ts';
import { type ErrorCode, GraphError } from '../lib/errors.ts';
import type { StateByHashSupport } from '../upstream/rpc/endpoint-capabilities.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { Settled } from '../upstream/rpc/shared-results.ts';
import { type BlockAvailability, isBlockMissing } from './block-availability.ts';
import { hasCode, type WithNodeCapabilities } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { type BlockParameter, blockBy, type StateMethod } from './state-methods.ts';

export type SettledCallback<R> = (settled: Settled<R>) => void;
type StateArgs<A extends readonly unknown[]> = [address: Data, at: BlockParameter, ...extraArgs: A];

/** The block at which state is read. */
export interface StateBlock {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** The block parameter (EIP-1898). All reads at the block share the object, so that it is serialized once. */
  readonly ref: { readonly blockHash: Data };
}

/** The arguments of a state read, for any method. */
export interface StateRead<A extends readonly unknown[]> {
  readonly address: Data;
  readonly at: StateBlock;
  /** Arguments after address and block. */
  readonly extraArgs: A;
  /** All arguments, with the block as its hash. */
  readonly args: StateArgs<A>;
}

export const toStateRead = <A extends readonly unknown[]>(address: Data, at: StateBlock, extraArgs: A): StateRead<A> => ({
  address,
  at,
  extraArgs,
  args: [address, at.ref, ...extraArgs],
});

/** A method and a read whose types only the caller knows. */
type AnyMethod = StateMethod<readonly unknown[], unknown>;
type AnyRead = StateRead<readonly unknown[]>;

/** The hash support of an endpoint, with its number of rejections when a read by hash was sent. */
interface HashReadAttempt {
  readonly support: StateByHashSupport;
  readonly rejections: number;
}

/**
 * Codes under which a node may reject a block hash. Other codes have another cause: the contract's code failed, or the node is
 * unreachable, too slow, rate limited, unauthorized, or has pruned the state.
 */
const HASH_REJECTION_CODES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_ERROR',
  'UPSTREAM_INTERNAL',
  'UPSTREAM_BAD_RESPONSE',
  'METHOD_NOT_SUPPORTED',
]);

const mayBeHashRejection = (error: unknown): error is GraphError =>
  isBlockMissing(error) || (error instanceof GraphError && HASH_REJECTION_CODES.has(error.code));

/** Whether the node executed the read; a revert of the contract counts. */
const wasExecuted = (settled: Settled<unknown>): boolean => 'value' in settled || hasCode(settled.error, 'EXECUTION_REVERTED');

/**
 * Creates the read of state at a block hash. Reads by hash where the endpoint accepts it (EIP-1898). Else reads by height, and rejects the
 * result unless the same block is at that height afterwards.
 */
export function createBlockStateRead(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  availability: BlockAvailability,
) {
  /** The height of a block, read where only the hash is known, as in an entity reference. Undefined when the node does not know the block. */
  const heightOf = ({ hash, height }: StateBlock): Quantity | undefined | Promise<Quantity | undefined> =>
    height ?? pin.header(hash)?.number ?? calls.call(blockBy, hash, false).then((block) => block?.number);

  const readByHeight = (method: AnyMethod, { address, at, extraArgs }: AnyRead, settle: SettledCallback<unknown>): void => {
    const fail = (error: unknown): void => settle({ error });
    const readAt = (height: Quantity | undefined): void => {
      if (height === undefined) {
        fail(new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the block at which state was requested.'));
        return;
      }
      calls.callWithCallback(method, [address, height, ...extraArgs], (settled) => {
        if (wasExecuted(settled)) availability.assertBlockAtHeight(height, at.hash).then(() => settle(settled), fail);
        else settle(settled);
      });
    };
    const height = heightOf(at);
    if (height instanceof Promise) height.then(readAt).catch(fail);
    else readAt(height);
  };

  const readByHash = (method: AnyMethod, stateRead: AnyRead, settle: SettledCallback<unknown>): void => {
    const support = session.capabilities.stateByHash;
    const { rejections } = support;
    calls.callWithCallback(method, stateRead.args, (settled) => {
      if (wasExecuted(settled)) support.recordSuccess();
      if ('value' in settled) settle(settled);
      else recover(method, stateRead, settle, settled, { support, rejections });
    });
  };

  /**
   * Handles a failed read by hash: repeats it if the node may lag, until it has the block; reads by height if the node may not accept
   * hashes; else settles with the error.
   */
  const recover = (
    method: AnyMethod,
    stateRead: AnyRead,
    settle: SettledCallback<unknown>,
    failed: { readonly error: unknown },
    attempt: HashReadAttempt,
  ): void => {
    const isMissingMethod = method.isOptional && hasCode(failed.error, 'METHOD_NOT_SUPPORTED');
    if (isMissingMethod || !mayBeHashRejection(failed.error)) settle(failed);
    else if (isNodeBehind(failed.error, stateRead.at.hash)) {
      readOnceAvailable(method, stateRead, failed.error, attempt).then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
    } else if (!attempt.support.canTryHeight()) settle(failed);
    else retryByHeight(method, stateRead, settle, failed.error, attempt);
  };

  /** Repeats by height a read that failed by hash, and records whether the endpoint rejects hashes. */
  const retryByHeight = (
    method: AnyMethod,
    stateRead: AnyRead,
    settle: SettledCallback<unknown>,
    error: GraphError,
    attempt: HashReadAttempt,
  ): void =>
    readByHeight(method, stateRead, (settled) => {
      if (wasExecuted(settled)) recordRejection(error, attempt);
      else attempt.support.recordFallbackFailure();
      // "Block missing" shows that the node understood the hash. Otherwise the result by height is the more reliable one.
      settle(isBlockMissing(error) && !wasExecuted(settled) ? { error } : settled);
    });

  const recordRejection = (error: GraphError, { support, rejections }: HashReadAttempt): void => {
    // The session has switched to another endpoint since the read was sent.
    if (session.capabilities.stateByHash !== support) return;
    // A node that lags reports a missing block, too.
    const isAmbiguous: boolean = isBlockMissing(error);
    if (!isAmbiguous || !support.hasWorked)
      support.recordRejection(rejections, !isAmbiguous && error.extensions.rpcCode === -32602);
  };

  /**
   * Repeats the read until the node has the block, which the follower knows to be canonical. One of the reads is by height, because a node
   * without support for hashes may report the block as missing.
   */
  const readOnceAvailable = (
    method: AnyMethod,
    stateRead: AnyRead,
    error: GraphError,
    attempt: HashReadAttempt,
  ): Promise<NonNullable<unknown>> => {
    let reads = 0;
    return availability.retryUntilAvailable(stateRead.at.hash, async () => {
      reads += 1;
      if (reads === 2) return readByHeightOrNull(method, stateRead, error, attempt);
      const value = await calls.refetch(method, ...stateRead.args);
      attempt.support.recordSuccess();
      return value;
    });
  };

  /** Reads by height; null where that fails. Rejects when the contract's code fails. */
  const readByHeightOrNull = (
    method: AnyMethod,
    stateRead: AnyRead,
    error: GraphError,
    attempt: HashReadAttempt,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      readByHeight(method, stateRead, (settled) => {
        if (wasExecuted(settled)) recordRejection(error, attempt);
        if ('value' in settled) resolve(settled.value);
        else if (wasExecuted(settled)) reject(settled.error);
        else resolve(null);
      });
    });

  /** Whether the node lacks a block that is canonical: it lags, or another backend behind its address does. */
  const isNodeBehind = (error: unknown, hash: Data): boolean => isBlockMissing(error) && pin.header(hash) !== undefined;

  return <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    stateRead: StateRead<A>,
    settle: SettledCallback<R>,
  ): void => {
    const read = session.capabilities.stateByHash.isUnsupported ? readByHeight : readByHash;
    // The reader of the method returns the type that the callback expects.
    read(method as unknown as AnyMethod, stateRead, settle as SettledCallback<unknown>);
  };
}
