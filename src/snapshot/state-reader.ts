import { type Data, isBlockHash, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import { type ErrorCode, GraphError } from '../lib/errors.ts';
import type { Head } from '../sync/head/follower.ts';
import type { StateByHashSupport } from '../upstream/rpc/endpoint-capabilities.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { Settled } from '../upstream/rpc/rpc-call.ts';
import { type BlockAvailability, isBlockMissing } from './block-availability.ts';
import { hasCode, type WithNodeCapabilities } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { type BlockParameter, blockBy, type StateMethod } from './state-methods.ts';

/** An address and the block at which to read its state. */
export interface AccountStateRef {
  readonly address: Data;
  /** Height, tag or hash of the block. */
  readonly at: BlockRef;
  /** Height of the block if `at` is its hash, for nodes that read state by height only. */
  readonly height?: Quantity | undefined;
}

/** The block at which state is read. */
interface StateBlock {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** The block parameter (EIP-1898). All reads at the block share the object, so that it is serialized once. */
  readonly ref: { readonly blockHash: Data };
}

/** A read of state at a block hash. */
interface StateRead {
  readonly at: StateBlock;
  /** All arguments, with the block as its hash. */
  readonly args: [address: Data, at: BlockParameter, ...extraArgs: unknown[]];
}

/** A method whose types only the caller knows. Its reader returns the type that the callback expects. */
type AnyMethod = StateMethod<readonly unknown[], unknown>;
type Settle = (settled: Settled<unknown>) => void;

/**
 * Codes under which a node may reject a block hash. Other codes have another cause: the contract's code failed, or the node is
 * unreachable, too slow, rate limited, unauthorized, or has pruned the state.
 */
const HASH_REJECTION_CODES: readonly ErrorCode[] = [
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_ERROR',
  'UPSTREAM_INTERNAL',
  'UPSTREAM_BAD_RESPONSE',
  'METHOD_NOT_SUPPORTED',
];

const mayBeHashRejection = (error: unknown): boolean => isBlockMissing(error) || hasCode(error, ...HASH_REJECTION_CODES);

/** Whether the node executed the read; a revert of the contract counts. */
const wasExecuted = (settled: Settled<unknown>): boolean => 'value' in settled || hasCode(settled.error, 'EXECUTION_REVERTED');

const BEYOND_HEAD_MESSAGE = 'The requested block is above the head of the chain.';

/** Marks the error as not retryable, because a block above the next height will not exist soon. */
const beyondHeadError = ({ extensions, cause }: GraphError): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', BEYOND_HEAD_MESSAGE, { ...extensions, retryable: false, cause });

export type StateReader = ReturnType<typeof createStateReader>;

/**
 * Creates the reader of account state. It reads at a block hash wherever the hash is known and the endpoint accepts it
 * (EIP-1898). Else it reads by height, and rejects the result unless that block is still at the height afterwards.
 */
export function createStateReader(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  availability: BlockAvailability,
) {
  /** The height of a block, read if only the hash is known. Undefined when the node does not know the block. */
  const heightOf = ({ hash, height }: StateBlock): Quantity | undefined | Promise<Quantity | undefined> =>
    height ?? pin.header(hash)?.number ?? calls.call(blockBy, hash, false).then((block) => block?.number);

  const readByHeight = (method: AnyMethod, { at, args: [address, , ...extraArgs] }: StateRead, settle: Settle): void => {
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

  const readByHash = (method: AnyMethod, stateRead: StateRead, settle: Settle): void => {
    const support = session.capabilities.stateByHash;
    calls.callWithCallback(method, stateRead.args, (settled) => {
      if (wasExecuted(settled)) support.recordSuccess();
      if ('value' in settled) settle(settled);
      else recover(method, stateRead, settle, settled, support);
    });
  };

  /**
   * Handles a failed read by hash: repeats it if the node may lag, until it has the block; reads by height if the node may not accept
   * hashes; else settles with the error.
   */
  const recover = (
    method: AnyMethod,
    stateRead: StateRead,
    settle: Settle,
    failed: { readonly error: unknown },
    support: StateByHashSupport,
  ): void => {
    const { error } = failed;
    const isMissingMethod = method.isOptional && hasCode(error, 'METHOD_NOT_SUPPORTED');
    if (isMissingMethod || !mayBeHashRejection(error)) settle(failed);
    else if (isBlockMissing(error) && pin.header(stateRead.at.hash)) {
      readOnceAvailable(method, stateRead, error, support).then(
        (value) => settle({ value }),
        (reason: unknown) => settle({ error: reason }),
      );
    } else if (!support.canTryHeight) settle(failed);
    else {
      readByHeight(method, stateRead, (settled) => {
        recordHeightRead(settled, error, support);
        // "Block missing" shows that the node understood the hash. Otherwise the result by height is more reliable.
        settle(isBlockMissing(error) && !wasExecuted(settled) ? failed : settled);
      });
    }
  };

  /** Records the result by height of a read that failed by hash, unless the session has switched to another endpoint since. */
  const recordHeightRead = (settled: Settled<unknown>, error: unknown, support: StateByHashSupport): void => {
    if (!wasExecuted(settled)) support.recordFallbackFailure();
    else if (session.capabilities.stateByHash === support) support.recordRejection(isBlockMissing(error));
  };

  /**
   * Repeats the read until the node has the block, which the follower knows to be canonical. Also reads by height,
   * because a node without support for hashes may report the block as missing; that read is null if it fails.
   */
  const readOnceAvailable = (method: AnyMethod, stateRead: StateRead, error: unknown, support: StateByHashSupport) => {
    let reads = 0;
    return availability.retryUntilAvailable(stateRead.at.hash, async () => {
      reads += 1;
      if (reads !== 2) {
        const value = await calls.refetch(method, ...stateRead.args);
        support.recordSuccess();
        return value;
      }
      const settled = await new Promise<Settled<unknown>>((resolve) => readByHeight(method, stateRead, resolve));
      // A lagging node fails in both forms.
      if (!wasExecuted(settled)) return null;
      recordHeightRead(settled, error, support);
      if ('error' in settled) throw settled.error;
      return settled.value;
    });
  };

  /** Reads at a height or a tag whose hash is not known. */
  const readByRef = (method: AnyMethod, { address, at }: AccountStateRef, extraArgs: readonly unknown[], settle: Settle): void =>
    calls.callWithCallback(method, [address, at, ...extraArgs], (settled) => {
      const isBeyondHead = 'error' in settled && isBlockMissing(settled.error) && pin.isBeyondNextBlock(at);
      settle(isBeyondHead ? { error: beyondHeadError(settled.error as GraphError) } : settled);
    });

  const hashParameters = new Map<Data, StateBlock['ref']>();
  const blockAtHash = (hash: Data, height: Quantity | undefined): StateBlock => {
    const ref = hashParameters.get(hash) ?? { blockHash: hash };
    hashParameters.set(hash, ref);
    return { hash, height, ref };
  };
  const blockOfHead = ({ hash, number }: Head): StateBlock => blockAtHash(hash, number);
  const blockAtHeight = (at: Quantity): StateBlock | undefined => {
    const ref = pin.resolveRef(at);
    return isBlockHash(ref) ? blockAtHash(ref, at) : undefined;
  };

  /** The block of an account's state; undefined when its hash is not known. */
  const blockOf = ({ at, height }: AccountStateRef): StateBlock | undefined | Promise<StateBlock | undefined> => {
    if (isBlockHash(at)) return blockAtHash(at, height);
    if (at === 'latest') return pin.knownHead ? blockOfHead(pin.knownHead) : pin.head().then(blockOfHead);
    return pin.isUnresolved ? pin.head().then(() => blockAtHeight(at)) : blockAtHeight(at);
  };

  const readAll = (
    methods: readonly AnyMethod[],
    account: AccountStateRef,
    extraArgs: readonly unknown[],
    settle: (i: number, settled: Settled<never>) => void,
  ): void => {
    const fail = (error: unknown): void => {
      for (const i of methods.keys()) settle(i, { error });
    };
    const readAt = (at: StateBlock | undefined): void => {
      const stateRead: StateRead | undefined = at && { at, args: [account.address, at.ref, ...extraArgs] };
      const readState = session.capabilities.stateByHash.isUnsupported ? readByHeight : readByHash;
      methods.forEach((method, i) => {
        const settleOne: Settle = (settled) => settle(i, settled as Settled<never>);
        if (stateRead) readState(method, stateRead, settleOne);
        else readByRef(method, account, extraArgs, settleOne);
      });
    };
    try {
      const block = blockOf(account);
      if (block instanceof Promise) block.then(readAt).catch(fail);
      else readAt(block);
    } catch (error) {
      fail(error);
    }
  };

  return {
    /** Reads one value of an account. */
    read: <A extends readonly unknown[], R>(method: StateMethod<A, R>, account: AccountStateRef, ...extraArgs: A): Promise<R> =>
      new Promise((resolve, reject) => {
        readAll([method as unknown as AnyMethod], account, extraArgs, (_i, settled) =>
          'error' in settled ? reject(settled.error) : resolve(settled.value),
        );
      }),

    /** Reads several values of an account and serializes its parameters once. Calls `settle` for each with its index among the methods. */
    readMany: <R>(
      methods: readonly StateMethod<[], R>[],
      account: AccountStateRef,
      settle: (i: number, settled: Settled<R>) => void,
    ): void => readAll(methods as unknown as readonly AnyMethod[], account, [], settle),
  };
}
