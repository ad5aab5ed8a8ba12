import { GraphError } from '../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import type { Head } from '../sync/head/follower.ts';
import type { Settled } from '../upstream/in-flight-requests.ts';
import type { OperationCalls } from '../upstream/rpc/operation-calls.ts';
import { type BlockAvailability, isBlockMissing } from './block-availability.ts';
import type { WithNodeCapabilities } from './node-capabilities.ts';
import type { PinnedBlock } from './pinned-block.ts';
import { createBlockStateRead, type SettledCallback, type StateBlock, toStateRead } from './state-at-block.ts';
import type { StateMethod } from './state-methods.ts';

/** Whose state, and when. */
export interface AccountStateRef {
  readonly address: Data;
  /** Height, tag or hash of the block whose state counts. */
  readonly at: BlockRef;
  /** The height that belongs to a hash in `at`, for nodes that read state by height only. */
  readonly height?: Quantity;
}

/** Nobody should ask for a block again and again that is not the next one. */
const beyondHeadError = ({ extensions, cause }: GraphError): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The chain has not come as far as that block.', {
    ...extensions,
    retryable: false,
    cause,
  });

export type StateReader = ReturnType<typeof createStateReader>;

/** Reads of accounts' state at their block: by its hash where that is known. */
export function createStateReader(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  presence: BlockAvailability,
) {
  const read = createBlockStateRead(calls, session, pin, presence);

  /** Reads at a height or a tag of which no hash is known. */
  const byName = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { address, at }: AccountStateRef,
    further: A,
    settle: SettledCallback<R>,
  ): void => {
    calls.callWithCallback(method, [address, at, ...further], (settled) => {
      if ('error' in settled && isBlockMissing(settled.error) && pin.isBeyondNextBlock(at))
        settle({ error: beyondHeadError(settled.error) });
      else settle(settled);
    });
  };

  /** Finds out the block of an account's state, once for all that is read of it. */
  const withBlock = (
    account: AccountStateRef,
    use: (at: StateBlock | undefined) => void,
    fail: (error: unknown) => void,
  ): void => {
    try {
      const at = blockOf(account);
      if (at instanceof Promise) at.then(use).catch(fail);
      else use(at);
    } catch (error) {
      fail(error);
    }
  };

  const refs = new Map<Data, StateBlock['ref']>();
  const atHash = (hash: Data, height: Quantity | undefined): StateBlock => {
    const ref = refs.get(hash) ?? { blockHash: hash };
    refs.set(hash, ref);
    return { hash, height, ref };
  };
  const toAt = ({ hash, number }: Head): StateBlock => atHash(hash, number);

  /** The block of an account's state; undefined when only its height is known. */
  const blockOf = ({ at, height }: AccountStateRef): StateBlock | undefined | Promise<StateBlock | undefined> => {
    if (isBlockHash(at)) return atHash(at, height);
    if (at === 'latest') return pin.knownHead ? toAt(pin.knownHead) : pin.head().then(toAt);
    return pin.isUnresolved ? pin.head().then(() => named(at)) : named(at);
  };

  const named = (at: Quantity): StateBlock | undefined => {
    const name = pin.resolveRef(at);
    return isBlockHash(name) ? atHash(name, at) : undefined;
  };

  const state = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    account: AccountStateRef,
    ...further: A
  ): Promise<R> =>
    new Promise((resolve, reject) => {
      const settle: SettledCallback<R> = (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value));
      const readIt = (at: StateBlock | undefined): void => {
        if (at) read(method, toStateRead(account.address, at, further), settle);
        else calls.callWithCallback(method, [account.address, account.at, ...further], settle);
      };
      withBlock(account, readIt, reject);
    });

  /** Reads several things of one account, whose parameters are written once; `settle` is told of each by its place among the methods. */
  const several = <R>(
    methods: readonly StateMethod<[], R>[],
    account: AccountStateRef,
    settle: (i: number, settled: Settled<R>) => void,
  ): void => {
    const readAll = (at: StateBlock | undefined): void => {
      const reading = at && toStateRead<[]>(account.address, at, []);
      methods.forEach((method, i) => {
        const settleOne: SettledCallback<R> = (settled) => settle(i, settled);
        if (reading) read(method, reading, settleOne);
        else byName(method, account, [], settleOne);
      });
    };
    withBlock(account, readAll, (error) => {
      for (const i of methods.keys()) settle(i, { error });
    });
  };

  return { state, several };
}
