import { GraphError } from '../../../errors.ts';
import { type Data, isBlockHash, type Quantity } from '../../../evm/hex.ts';
import type { Head } from '../../../live/follower.ts';
import type { Calls, Method, Settled } from '../../../upstream/calls.ts';
import { accountReads, type StateRef } from '../methods.ts';
import type { AccountAt, StateField } from '../model.ts';
import type { WithFacts } from './node.ts';
import type { Pin } from './pin.ts';
import { isLacking, type Presence } from './present.ts';

type Settle<R> = (settled: Settled<R>) => void;
type StateArgs<A extends readonly unknown[]> = [address: string, at: StateRef, ...further: A];
type StateMethod<A extends readonly unknown[], R> = Method<StateArgs<A>, R>;

/** The block whose state is read, as far as it is known. */
interface At {
  readonly hash: Data;
  readonly height: Quantity | undefined;
  /** Its name on the wire (EIP-1898); all reads at the block share it, so that it is written once. */
  readonly ref: { readonly blockHash: Data };
}

/** What is asked of an account at a block, by whatever method. */
interface Reading<A extends readonly unknown[]> {
  readonly account: AccountAt;
  readonly at: At;
  /** Arguments beside address and block. */
  readonly further: A;
  /** All of them, the block by its hash. */
  readonly args: StateArgs<A>;
}

const readingOf = <A extends readonly unknown[]>(account: AccountAt, at: At, further: A): Reading<A> => ({
  account,
  at,
  further,
  args: [account.address, at.ref, ...further],
});

/** Invalid parameters may mean that a node knows heights and tags only; some nodes give a block that they lack the same number. */
const mayNotKnowHashes = (error: unknown): boolean =>
  error instanceof GraphError && error.extensions.rpcCode === -32602 && !isLacking(error);

/**
 * Reads of accounts' state at their block: by its hash where the node can (EIP-1898), else by height, and then what is read counts only
 * if the block of that height is still the same afterwards.
 */
export function stateReader(calls: Calls, session: WithFacts, pin: Pin, presence: Presence) {
  const byHeight = <A extends readonly unknown[], R>(
    method: StateMethod<A, R>,
    { account, at: { hash, height }, further }: Reading<A>,
    settle: Settle<R>,
  ): void => {
    calls.listen(method, [account.address, height ?? hash, ...further], (settled) => {
      if ('error' in settled || height === undefined) settle(settled);
      else
        presence.remained(height, hash).then(
          () => settle(settled),
          (error: unknown) => settle({ error }),
        );
    });
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
    if (mayNotKnowHashes(failed.error) && at.height !== undefined) {
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

  /** Whether the node lacks a block that is known to be of the chain: it lags, or another one behind its address does. */
  const isAhead = (error: unknown, hash: Data): boolean => isLacking(error) && pin.header(hash) !== undefined;

  /** Finds out the block of an account's state, once for all that is read of it. */
  const withBlock = (account: AccountAt, use: (at: At | undefined) => void, fail: (error: unknown) => void): void => {
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
  const blockOf = ({ at, height }: AccountAt): At | undefined | Promise<At | undefined> => {
    if (isBlockHash(at)) return atHash(at, height);
    if (at === 'latest') return pin.known ? toAt(pin.known) : pin.head().then(toAt);
    return pin.isUnread ? pin.head().then(() => named(at)) : named(at);
  };

  const named = (at: Quantity): At | undefined => {
    const name = pin.name(at);
    return isBlockHash(name) ? atHash(name, at) : undefined;
  };

  const state = <A extends readonly unknown[], R>(method: StateMethod<A, R>, account: AccountAt, ...further: A): Promise<R> =>
    new Promise((resolve, reject) => {
      const settle: Settle<R> = (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value));
      const readIt = (at: At | undefined): void => {
        if (at) read(method, readingOf(account, at, further), settle);
        else calls.listen(method, [account.address, account.at, ...further], settle);
      };
      withBlock(account, readIt, reject);
    });

  /** The account with some of its state, read at once so that its leaves need not wait each for itself. */
  const withState = (account: AccountAt, fields: readonly StateField[]): Promise<AccountAt> =>
    new Promise((resolve) => {
      const state: Record<StateField, Settled<string> | undefined> = {
        balance: undefined,
        transactionCount: undefined,
        code: undefined,
      };
      let missing = fields.length;
      const settle = (field: StateField, settled: Settled<string>): void => {
        state[field] = settled;
        missing -= 1;
        if (missing === 0) resolve({ ...account, state });
      };
      const readAll = (at: At | undefined): void => {
        // One reading for all of them, whose parameters are written once.
        const reading = at && readingOf<[]>(account, at, []);
        for (const field of fields) {
          const settleField: Settle<string> = (settled) => settle(field, settled);
          if (reading) read(accountReads[field], reading, settleField);
          else calls.listen(accountReads[field], [account.address, account.at], settleField);
        }
      };
      withBlock(account, readAll, (error) => {
        for (const field of fields) settle(field, { error });
      });
    });

  return { state, withState };
}
