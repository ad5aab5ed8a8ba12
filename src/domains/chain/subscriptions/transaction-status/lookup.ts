import { listOrNull } from '../../../../ethereum/decoders.ts';
import { type Data, sameData, toBigInt } from '../../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import { isBlockMissing } from '../../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../../snapshot/index.ts';
import { blockBy, transactionBy } from '../../../../snapshot/state-methods.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import { accountReads } from '../../account/methods.ts';
import type { TransactionObservation, WatchedTransaction } from './status.ts';

/** Maximum number of blocks searched for a replacement: the blocks added since the transaction was last seen, usually one. */
const MAX_SEARCHED_BLOCKS = 32;

/**
 * Looks up transactions at a head to which `snapshot` is pinned: one request for all of them, and further requests only
 * for the transactions that the node no longer knows. Each outcome settles independently. It is undefined when the
 * responding node does not have this head, so that the lookup is inconclusive. Source: `eth_getTransactionByHash`;
 * `eth_getTransactionCount` and whole blocks for missing transactions.
 */
export async function observeTransactions(
  snapshot: Snapshot,
  feed: ChainFeed,
  head: Head,
  lookups: readonly Pick<WatchedTransaction, 'hash' | 'observed' | 'lastSeenHead'>[],
): Promise<PromiseSettledResult<TransactionObservation | undefined>[]> {
  const { calls, pin, stateReader } = snapshot;

  const isInCanonicalBlock = async ({ blockNumber, blockHash }: RpcTransaction): Promise<boolean> =>
    pin.isCanonical(blockNumber!, blockHash!) ?? sameData((await calls.refetch(blockBy, blockNumber!, false))?.hash, blockHash);

  const isNonceUsed = async ({ from, nonce }: RpcTransaction): Promise<boolean> =>
    toBigInt(await stateReader.read(accountReads.transactionCount, { address: from, at: head.hash, height: head.number })) >
    toBigInt(nonce);

  /** Searches the blocks added since `lastSeenHead` for a transaction with the same sender and nonce. */
  const findReplacement = async (missing: RpcTransaction, lastSeenHead: Data): Promise<TransactionObservation> => {
    const added = feed.pathBetween(lastSeenHead, head)?.added;
    const searched = added && added.length <= MAX_SEARCHED_BLOCKS ? added : [];
    const blocks = await Promise.all(searched.map(({ hash }) => calls.call(blockBy, hash, true)));
    const replacement = blocks
      .flatMap((block) => listOrNull<RpcTransaction>(block?.transactions) ?? [])
      .find(({ from, nonce }) => sameData(from, missing.from) && toBigInt(nonce) === toBigInt(missing.nonce));
    // A node may list a transaction in a block before it finds the transaction by hash.
    if (replacement && sameData(replacement.hash, missing.hash)) return { kind: 'mined', transaction: replacement };
    return { kind: 'replaced', by: replacement?.hash ?? null };
  };

  // A node without this head may lack the transaction for that reason, so its null proves nothing.
  const hasHead = calls.refetch(blockBy, head.number, false).then(
    (block) => sameData(block?.hash, head.hash),
    (error) => (isBlockMissing(error) ? false : Promise.reject(error)),
  );

  const observe = async ({
    hash,
    observed,
    lastSeenHead,
  }: (typeof lookups)[number]): Promise<TransactionObservation | undefined> => {
    const [transaction, nodeHasHead] = await Promise.all([calls.refetch(transactionBy, hash), hasHead]);
    if (transaction?.blockHash && transaction.blockNumber) {
      if (toBigInt(transaction.blockNumber) <= head.height)
        return (await isInCanonicalBlock(transaction)) ? { kind: 'mined', transaction } : undefined;
    }
    if (!nodeHasHead) return undefined;
    // A transaction in a block above the head is still pending as of the head.
    if (transaction) return { kind: 'pending', transaction };
    const lastSeen = observed.transaction;
    if (lastSeen && (await isNonceUsed(lastSeen))) return findReplacement(lastSeen, lastSeenHead!);
    return { kind: 'missing', head: head.hash, now: performance.now() };
  };

  return Promise.allSettled(lookups.map(observe));
}
