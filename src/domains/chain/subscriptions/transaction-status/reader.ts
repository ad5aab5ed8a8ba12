import { listIn } from '../../../../ethereum/decoders.ts';
import { type Data, sameData, toBigInt } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import { isLacking } from '../../../../snapshot/block-availability.ts';
import type { View } from '../../../../snapshot/index.ts';
import { blockBy } from '../../../../snapshot/state-methods.ts';
import type { Feed } from '../../../../sync/feed.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import { accountReads, transactionBy } from '../../rpc-methods.ts';
import type { Evidence, Fate } from './status.ts';

/** A transaction that is looked for. */
export interface Wanted {
  readonly hash: Data;
  readonly fate: Fate;
  /** The head under which it was there last. */
  readonly seenAt: Data | undefined;
}

/** A replacement is looked for in so many blocks at most: all that came since the transaction was there last, commonly one. */
const MOST_SEARCHED = 32;

/**
 * Looks for transactions under a head to which the view is pinned: one request for all of them, and further ones for those alone that are gone.
 * Undefined for what cannot be told now, because that head is not of the chain of whoever answered. The outcome of each is its own.
 * Source: `eth_getTransactionByHash`; `eth_getTransactionCount` and whole blocks for what is gone.
 */
export async function lookFor(
  view: View,
  feed: Feed,
  head: Head,
  wanted: readonly Wanted[],
): Promise<PromiseSettledResult<Evidence | undefined>[]> {
  const { calls, pin, reads } = view;

  const isOfChain = async ({ blockNumber, blockHash }: RpcTransaction): Promise<boolean> =>
    pin.isCanonical(blockNumber!, blockHash!) ?? sameData((await calls.again(blockBy, blockNumber!, false))?.hash, blockHash);

  const isUsedUp = async ({ from, nonce }: RpcTransaction): Promise<boolean> =>
    toBigInt(await reads.state(accountReads.transactionCount, { address: from, at: head.hash, height: head.number })) >
    toBigInt(nonce);

  /** Which transaction of the same sender and nonce lies in the blocks that came since this one was there. */
  const whoTook = async (gone: RpcTransaction, since: Data | undefined): Promise<Evidence> => {
    const came = since === undefined ? undefined : feed.way(since, head)?.added;
    const searched = came && came.length <= MOST_SEARCHED ? came : [];
    const blocks = await Promise.all(searched.map(({ hash }) => calls.call(blockBy, hash, true)));
    const taker = blocks
      .flatMap((block) => listIn<RpcTransaction>(block?.transactions) ?? [])
      .find(({ from, nonce }) => sameData(from, gone.from) && toBigInt(nonce) === toBigInt(gone.nonce));
    // What the node did not find by its hash may lie in a block all the same.
    if (taker && sameData(taker.hash, gone.hash)) return { kind: 'mined', transaction: taker };
    return { kind: 'overtaken', by: taker?.hash ?? null };
  };

  /** Asked first: a node that has left this head, or does not have it yet, says nothing about it by what it does not know. */
  const hasHead = calls.again(blockBy, head.number, false).then(
    (block) => sameData(block?.hash, head.hash),
    (error) => (isLacking(error) ? false : Promise.reject(error)),
  );

  const look = async ({ hash, fate, seenAt }: Wanted): Promise<Evidence | undefined> => {
    const [transaction, isThere] = await Promise.all([calls.again(transactionBy, hash), hasHead]);
    if (transaction?.blockHash && transaction.blockNumber) {
      if (toBigInt(transaction.blockNumber) <= head.height)
        return (await isOfChain(transaction)) ? { kind: 'mined', transaction } : undefined;
    }
    if (!isThere) return undefined;
    // In a block above the head it still waits as of the head.
    if (transaction) return { kind: 'pending', transaction };
    const seen = fate.transaction;
    if (seen && (await isUsedUp(seen))) return whoTook(seen, seenAt);
    return { kind: 'missing', head: head.hash, now: performance.now() };
  };

  return Promise.allSettled(wanted.map(look));
}
