import { GraphError } from '../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';
import type { Head } from '../sync/head/follower.ts';
import type { Calls, Settled } from '../upstream/rpc/operation-calls.ts';
import { isLacking, type Presence } from './block-availability.ts';
import type { WithFacts } from './node-probe.ts';
import type { Pin } from './pinned-block.ts';
import { type At, readingOf, type Settle, stateAtBlock } from './state-at-block.ts';
import type { StateMethod } from './state-methods.ts';

/** Whose state, and when. */
export interface StateOf {
  readonly address: Data;
  /** Height, tag or hash of the block whose state counts. */
  readonly at: BlockRef;
  /** The height that belongs to a hash in `at`, for nodes that read state by height only. */
  readonly height?: Quantity;
}

/** Nobody should ask for a block again and again that is not the next one. */
const stillFar = ({ extensions, cause }: GraphError): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The chain has not come as far as that block.', {
    ...extensions,
    retryable: false,
    cause,
  });

export type StateReader = ReturnType<typeof stateReader>;

/** Reads of accounts' state at their block: by its hash where that is known. */
export function stateReader(calls: Calls, session: WithFacts, pin: Pin, presence: Presence) {
  const read = stateAtBlock(calls, session, pin, presence);

  /** Reads at a height or a tag of which no hash is known. */
  const byName = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { address, at }: StateOf,
    further: A,
    settle: Settle<R>,
  ): void => {
    calls.listen(method, [address, at, ...further], (settled) => {
      if ('error' in settled && isLacking(settled.error) && pin.isFar(at)) settle({ error: stillFar(settled.error) });
      else settle(settled);
    });
  };

  /** Finds out the block of an account's state, once for all that is read of it. */
  const withBlock = (account: StateOf, use: (at: At | undefined) => void, fail: (error: unknown) => void): void => {
    try {
      const at = blockOf(account);
      if (at instanceof Promise) at.then(use).catch(fail);
      else use(at);
    } catch (error) {
      fail(error);
    }
  };

  const refs = new Map<Data, At['ref']>();
  const atHash = (hash: Data, height: Quantity | undefined): At => {
    const ref = refs.get(hash) ?? { blockHash: hash };
    refs.set(hash, ref);
    return { hash, height, ref };
  };
  const toAt = ({ hash, number }: Head): At => atHash(hash, number);

  /** The block of an account's state; undefined when only its height is known. */
  const blockOf = ({ at, height }: StateOf): At | undefined | Promise<At | undefined> => {
    if (isBlockHash(at)) return atHash(at, height);
    if (at === 'latest') return pin.known ? toAt(pin.known) : pin.head().then(toAt);
    return pin.isUnread ? pin.head().then(() => named(at)) : named(at);
  };

  const named = (at: Quantity): At | undefined => {
    const name = pin.name(at);
    return isBlockHash(name) ? atHash(name, at) : undefined;
  };

  const state = <A extends readonly unknown[], R>(method: StateMethod<A, R>, account: StateOf, ...further: A): Promise<R> =>
    new Promise((resolve, reject) => {
      const settle: Settle<R> = (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value));
      const readIt = (at: At | undefined): void => {
        if (at) read(method, readingOf(account.address, at, further), settle);
        else calls.listen(method, [account.address, account.at, ...further], settle);
      };
      withBlock(account, readIt, reject);
    });

  /** Reads several things of one account, whose parameters are written once; `settle` is told of each by its place among the methods. */
  const several = <R>(
    methods: readonly StateMethod<[], R>[],
    account: StateOf,
    settle: (i: number, settled: Settled<R>) => void,
  ): void => {
    const readAll = (at: At | undefined): void => {
      const reading = at && readingOf<[]>(account.address, at, []);
      methods.forEach((method, i) => {
        const settleOne: Settle<R> = (settled) => settle(i, settled);
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
