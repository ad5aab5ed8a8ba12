import { type Data, isBlockHash, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import { GraphError } from '../lib/errors.ts';
import type { Head } from '../sync/head/follower.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import type { Settled } from '../upstream/rpc/shared-results.ts';
import { type BlockAvailability, isBlockMissing } from './block-availability.ts';
import type { WithNodeCapabilities } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { createBlockStateRead, type SettledCallback, type StateBlock, toStateRead } from './state-at-block.ts';
import type { StateMethod } from './state-methods.ts';

/** An address and the block at which to read its state. */
export interface AccountStateRef {
  readonly address: Data;
  /** Height, tag or hash of the block. */
  readonly at: BlockRef;
  /** Height of the block if `at` is its hash, for nodes that read state by height only. */
  readonly height?: Quantity;
}

/** Marks the error as not retryable, because a block above the next height will not exist soon. */
const beyondHeadError = ({ extensions, cause }: GraphError): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The requested block is above the head of the chain.', {
    ...extensions,
    retryable: false,
    cause,
  });

export type StateReader = ReturnType<typeof createStateReader>;

/** Creates the reader of account state, which reads at a block hash wherever the hash is known. */
export function createStateReader(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  availability: BlockAvailability,
) {
  const readAtBlock = createBlockStateRead(calls, session, pin, availability);

  /** Reads at a height or a tag whose hash is not known. */
  const readByRef = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { address, at }: AccountStateRef,
    extraArgs: A,
    settle: SettledCallback<R>,
  ): void => {
    calls.callWithCallback(method, [address, at, ...extraArgs], (settled) => {
      if ('error' in settled && isBlockMissing(settled.error) && pin.isBeyondNextBlock(at))
        settle({ error: beyondHeadError(settled.error) });
      else settle(settled);
    });
  };

  /** Resolves the block of an account's state, once for all its values. */
  const withBlock = (
    account: AccountStateRef,
    use: (block: StateBlock | undefined) => void,
    fail: (error: unknown) => void,
  ): void => {
    try {
      const block = blockOf(account);
      if (block instanceof Promise) block.then(use).catch(fail);
      else use(block);
    } catch (error) {
      fail(error);
    }
  };

  const hashParameters = new Map<Data, StateBlock['ref']>();
  const blockAtHash = (hash: Data, height: Quantity | undefined): StateBlock => {
    const ref = hashParameters.get(hash) ?? { blockHash: hash };
    hashParameters.set(hash, ref);
    return { hash, height, ref };
  };
  const blockOfHead = ({ hash, number }: Head): StateBlock => blockAtHash(hash, number);

  /** The block of an account's state; undefined when its hash is not known. */
  const blockOf = ({ at, height }: AccountStateRef): StateBlock | undefined | Promise<StateBlock | undefined> => {
    if (isBlockHash(at)) return blockAtHash(at, height);
    if (at === 'latest') return pin.knownHead ? blockOfHead(pin.knownHead) : pin.head().then(blockOfHead);
    return pin.isUnresolved ? pin.head().then(() => blockAtHeight(at)) : blockAtHeight(at);
  };

  const blockAtHeight = (at: Quantity): StateBlock | undefined => {
    const ref = pin.resolveRef(at);
    return isBlockHash(ref) ? blockAtHash(ref, at) : undefined;
  };

  return {
    /** Reads one value of an account. */
    read: <A extends readonly unknown[], R>(method: StateMethod<A, R>, account: AccountStateRef, ...extraArgs: A): Promise<R> =>
      new Promise((resolve, reject) => {
        const settle: SettledCallback<R> = (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value));
        const readAt = (block: StateBlock | undefined): void => {
          if (block) readAtBlock(method, toStateRead(account.address, block, extraArgs), settle);
          else readByRef(method, account, extraArgs, settle);
        };
        withBlock(account, readAt, reject);
      }),

    /** Reads several values of an account and serializes its parameters once. Calls `settle` for each with its index among the methods. */
    readMany<R>(
      methods: readonly StateMethod<[], R>[],
      account: AccountStateRef,
      settle: (i: number, settled: Settled<R>) => void,
    ): void {
      const readAt = (block: StateBlock | undefined): void => {
        const stateRead = block && toStateRead<[]>(account.address, block, []);
        methods.forEach((method, i) => {
          const settleOne: SettledCallback<R> = (settled) => settle(i, settled);
          if (stateRead) readAtBlock(method, stateRead, settleOne);
          else readByRef(method, account, [], settleOne);
        });
      };
      withBlock(account, readAt, (error) => {
        for (const i of methods.keys()) settle(i, { error });
      });
    },
  };
}
