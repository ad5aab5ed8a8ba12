import { GraphError } from '../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../evm/hex.ts';
import type { BlockRef } from '../evm/rpc.ts';
import type { Head } from '../live/follower.ts';
import type { Calls, Settled } from '../upstream/calls.ts';
import { blockBy, type StateMethod, type StateRef } from './methods.ts';
import type { WithFacts } from './node.ts';
import type { Pin } from './pin.ts';
import { isLacking, type Presence } from './present.ts';

type Settle<R> = (settled: Settled<R>) => void;
type StateArgs<A extends readonly unknown[]> = [of: Data, at: StateRef, ...further: A];

/** Whose state, and when. */
export interface StateOf {
  readonly address: Data;
  /** Height, tag or hash of the block whose state counts. */
  readonly at: BlockRef;
  /** The height that belongs to a hash in `at`, for nodes that read state by height only. */
  readonly height?: Quantity;
}

/** The block whose state is read, as far as it is known. */
interface At {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** Its name on the wire (EIP-1898); all reads at the block share it, so that it is written once. */
  readonly ref: { readonly blockHash: Data };
}

/** What is asked of an account at a block, by whatever method. */
interface Reading<A extends readonly unknown[]> {
  readonly account: StateOf;
  readonly at: At;
  /** Arguments beside address and block. */
  readonly further: A;
  /** All of them, the block by its hash. */
  readonly args: StateArgs<A>;
}

const readingOf = <A extends readonly unknown[]>(account: StateOf, at: At, further: A): Reading<A> => ({
  account,
  at,
  further,
  args: [account.address, at.ref, ...further],
});

/** Invalid parameters may mean that a node knows heights and tags only; some nodes give a block that they lack the same number. */
const mayNotKnowHashes = (error: unknown): boolean =>
  error instanceof GraphError && error.extensions.rpcCode === -32602 && !isLacking(error);

/** Nobody should ask for a block again and again that is not the next one. */
const stillFar = ({ extensions, cause }: GraphError): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The chain has not come as far as that block.', {
    ...extensions,
    retryable: false,
    cause,
  });

export type StateReader = ReturnType<typeof stateReader>;

/**
 * Reads of accounts' state at their block: by its hash where the node can (EIP-1898), else by height, and then what is read counts only
 * if the block of that height is still the same afterwards.
 */
export function stateReader(calls: Calls, session: WithFacts, pin: Pin, presence: Presence) {
  /** The height of a block, asked for where only the hash is known, as across a border; undefined when the node does not know the block. */
  const heightOf = ({ hash, height }: At): Quantity | undefined | Promise<Quantity | undefined> =>
    height ?? pin.header(hash)?.number ?? calls.call(blockBy, hash, false).then((block) => block?.number);

  const byHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { account, at, further }: Reading<A>,
    settle: Settle<R>,
  ): void => {
    const fail = (error: unknown): void => settle({ error });
    const readAt = (height: Quantity | undefined): void => {
      if (height === undefined) {
        fail(new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the block whose state is asked for.'));
        return;
      }
      calls.listen(method, [account.address, height, ...further], (settled) => {
        if ('error' in settled) settle(settled);
        else presence.remained(height, at.hash).then(() => settle(settled), fail);
      });
    };
    const height = heightOf(at);
    if (height instanceof Promise) height.then(readAt).catch(fail);
    else readAt(height);
  };

  const byHash = <A extends readonly unknown[], R>(method: StateMethod<A, R>, reading: Reading<A>, settle: Settle<R>): void => {
    calls.listen(method, reading.args, (settled) => {
      if ('value' in settled) settle(settled);
      else recover(method, reading, settle, settled);
    });
  };

  /** Tries what may help where a hash did not. */
  const recover = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    reading: Reading<A>,
    settle: Settle<R>,
    failed: { readonly error: unknown },
  ): void => {
    const { at, args } = reading;
    if (mayNotKnowHashes(failed.error)) {
      byHeight(method, reading, (found) => {
        // That a height works where a hash does not proves that the node knows no hashes here.
        if ('value' in found) session.facts.stateByHash = false;
        settle(found);
      });
    } else if (!isAhead(failed.error, at.hash)) settle(failed);
    else {
      presence
        .again(at.hash, () => calls.again(method, ...args))
        .then(
          (value) => settle({ value }),
          (error: unknown) => settle({ error }),
        );
    }
  };

  const read = <A extends readonly unknown[], R>(method: StateMethod<A, R>, reading: Reading<A>, settle: Settle<R>): void => {
    if (session.facts.stateByHash) byHash(method, reading, settle);
    else byHeight(method, reading, settle);
  };

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

  /** Whether the node lacks a block that is known to be of the chain: it lags, or another one behind its address does. */
  const isAhead = (error: unknown, hash: Data): boolean => isLacking(error) && pin.header(hash) !== undefined;

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
        if (at) read(method, readingOf(account, at, further), settle);
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
      const reading = at && readingOf<[]>(account, at, []);
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
