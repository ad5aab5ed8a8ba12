import { GraphError } from '../../../errors.ts';
import { isBlockHash } from '../../../evm/hex.ts';
import type { Calls, Method, Settled } from '../../../upstream/calls.ts';
import { accountReads, type StateRef } from '../methods.ts';
import type { AccountAt, StateField } from '../model.ts';
import type { WithFacts } from './node.ts';

/** Reads of one account's state at its block; by block hash where the node can, else by height. */
export function stateReader(calls: Calls, session: WithFacts) {
  const byHash = async <A extends readonly unknown[], R>(
    method: Method<[string, StateRef, ...A], R>,
    { address, at, height }: AccountAt,
    args: A,
  ): Promise<R> => {
    const byHeight = () => calls.call(method, address, height ?? at, ...args);
    if (!session.facts.stateByHash) return byHeight();
    try {
      return await calls.call(method, address, { blockHash: at }, ...args);
    } catch (error) {
      // Invalid parameters may mean that this node knows heights and tags only; that a height works here proves it.
      if (!(error instanceof GraphError) || error.extensions.rpcCode !== -32602 || height === undefined) throw error;
      const found = await byHeight();
      session.facts.stateByHash = false;
      return found;
    }
  };

  const state = <A extends readonly unknown[], R>(
    method: Method<[string, StateRef, ...A], R>,
    account: AccountAt,
    ...args: A
  ): Promise<R> =>
    isBlockHash(account.at) ? byHash(method, account, args) : calls.call(method, account.address, account.at, ...args);

  /** The account with some of its state, read at once so that its leaves need not wait each for itself. */
  const withState = (account: AccountAt, fields: readonly StateField[]): Promise<AccountAt> =>
    new Promise((resolve) => {
      const read: Partial<Record<StateField, Settled<string>>> = {};
      let missing = fields.length;
      for (const field of fields) {
        const settle = (settled: Settled<string>) => {
          read[field] = settled;
          missing -= 1;
          if (missing === 0) resolve({ ...account, state: read });
        };
        const method = accountReads[field];
        if (!isBlockHash(account.at)) calls.listen(method, [account.address, account.at], settle);
        else
          byHash(method, account, []).then(
            (value) => settle({ value }),
            (error: unknown) => settle({ error }),
          );
      }
    });

  return { state, withState };
}
