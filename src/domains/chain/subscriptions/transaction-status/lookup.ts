import { listOrNull } from '../../../../ethereum/decoders.ts';
import { type Data, sameData, toBigInt } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import { isBlockMissing } from '../../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../../snapshot/index.ts';
import { blockBy } from '../../../../snapshot/state-methods.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import { accountReads, transactionBy } from '../../rpc-methods.ts';
import type { ObservedTransaction, TransactionObservation } from './status.ts';

/** A transaction that is looked for. */
export interface TransactionLookup {
  readonly hash: Data;
  readonly observed: ObservedTransaction;
  /** The head under which it was there last. */
  readonly lastSeenHead: Data | undefined;
}

/** A replacement is looked for in so many blocks at most: all that came since the transaction was there last, commonly one. */
const MAX_SEARCHED_BLOCKS = 32;

/**
 * Looks for transactions under a head to which the view is pinned: one request for all of them, and further ones for those alone that are gone.
 * Undefined for what cannot be told now, because that head is not of the chain of whoever answered. The outcome of each is its own.
 * Source: `eth_getTransactionByHash`; `eth_getTransactionCount` and whole blocks for what is gone.
 */
export async function observeTransactions(
  view: Snapshot,
  feed: ChainFeed,
  head: Head,
  wanted: readonly TransactionLookup[],
): Promise<PromiseSettledResult<TransactionObservation | undefined>[]> {
  const { calls, pin, stateReader } = view;

  const isOfChain = async ({ blockNumber, blockHash }: RpcTransaction): Promise<boolean> =>
    pin.isCanonical(blockNumber!, blockHash!) ?? sameData((await calls.refetch(blockBy, blockNumber!, false))?.hash, blockHash);

  const isUsedUp = async ({ from, nonce }: RpcTransaction): Promise<boolean> =>
    toBigInt(await stateReader.read(accountReads.transactionCount, { address: from, at: head.hash, height: head.number })) >
    toBigInt(nonce);

  /** Which transaction of the same sender and nonce lies in the blocks that came since this one was there. */
  const whoTook = async (gone: RpcTransaction, since: Data | undefined): Promise<TransactionObservation> => {
    const came = since === undefined ? undefined : feed.pathBetween(since, head)?.added;
    const searched = came && came.length <= MAX_SEARCHED_BLOCKS ? came : [];
    const blocks = await Promise.all(searched.map(({ hash }) => calls.call(blockBy, hash, true)));
    const taker = blocks
      .flatMap((block) => listOrNull<RpcTransaction>(block?.transactions) ?? [])
      .find(({ from, nonce }) => sameData(from, gone.from) && toBigInt(nonce) === toBigInt(gone.nonce));
    // What the node did not find by its hash may lie in a block all the same.
    if (taker && sameData(taker.hash, gone.hash)) return { kind: 'mined', transaction: taker };
    return { kind: 'overtaken', by: taker?.hash ?? null };
  };

  /** Asked first: a node that has left this head, or does not have it yet, says nothing about it by what it does not know. */
  const hasHead = calls.refetch(blockBy, head.number, false).then(
    (block) => sameData(block?.hash, head.hash),
    (error) => (isBlockMissing(error) ? false : Promise.reject(error)),
  );

  const look = async ({ hash, observed, lastSeenHead }: TransactionLookup): Promise<TransactionObservation | undefined> => {
    const [transaction, isThere] = await Promise.all([calls.refetch(transactionBy, hash), hasHead]);
    if (transaction?.blockHash && transaction.blockNumber) {
      if (toBigInt(transaction.blockNumber) <= head.height)
        return (await isOfChain(transaction)) ? { kind: 'mined', transaction } : undefined;
    }
    if (!isThere) return undefined;
    // In a block above the head it still waits as of the head.
    if (transaction) return { kind: 'pending', transaction };
    const seen = observed.transaction;
    if (seen && (await isUsedUp(seen))) return whoTook(seen, lastSeenHead);
    return { kind: 'missing', head: head.hash, now: performance.now() };
  };

  return Promise.allSettled(wanted.map(look));
}
