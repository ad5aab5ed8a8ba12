import { isNullish } from '../../ethereum/block-results.ts';
import { listOrNull } from '../../ethereum/decoders.ts';
import { hasForkGap } from '../../ethereum/encoding/block.ts';
import { EMPTY_TRIE_ROOT } from '../../ethereum/encoding/list-root.ts';
import { isWhollyEncoded } from '../../ethereum/encoding/transaction.ts';
import { type Contradiction, logsIn } from '../../ethereum/header-checks.ts';
import { sameData } from '../../ethereum/hex.ts';
import {
  areWhollyEncoded,
  gasContradiction,
  isRootOfBlobs,
  ommersContradiction,
  receiptsRootContradiction,
  transactionContradiction,
  transactionsRootContradiction,
} from '../../ethereum/root-checks.ts';
import type { BlockRef, RpcBlock, RpcReceipt, RpcTransaction } from '../../ethereum/rpc-types.ts';
import { finishYielding } from '../../lib/operation-budget.ts';
import type { TrustRecord } from '../../operation/trust.ts';
import { throwBlockMissing } from '../../snapshot/block-availability.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { provenBlockBy, provenReceiptsOf, receiptsOf, transactionBy } from '../../snapshot/state-methods.ts';
import { transactionHashOf } from './model.ts';

// The checks of operations that ask for verification. An operation that does not ask creates no record, and its data is compared with
// headers as far as that costs little (docs/decisions/0057). A contradicted result is read again, from another endpoint if there is one.

const exactReceiptsOf = {
  ...provenReceiptsOf,
  contradiction: (...[receipts, ...args]: Parameters<typeof provenReceiptsOf.contradiction>) =>
    provenReceiptsOf.contradiction(receipts, ...args) ?? gasContradiction(receipts ?? []),
};
const provenTransactionBy = { ...transactionBy, contradiction: transactionContradiction };

/** The time of the first block of Byzantium on mainnet, in seconds. */
const BYZANTIUM = 1_508_131_331;

/**
 * Whether the receipts root covers state roots that the node does not return: Reth and Erigon return a status in receipts before Byzantium (EIP-658). The
 * blooms are compared all the same.
 */
const mayOmitRoots = ({ timestamp }: RpcBlock, receipts: readonly RpcReceipt[]): boolean =>
  Number(timestamp) < BYZANTIUM && receipts.some(({ root }) => isNullish(root));

/** Whether a result must be read again because it contradicts a header; counts the failure of the check. */
export const isRefused = (
  { node }: Snapshot,
  method: string,
  result: object,
  contradiction: Contradiction | undefined,
): boolean => node.headerChecks.errorOf(method, result, contradiction) !== undefined;

/**
 * Records what nothing proves about a block that was found, or not found, by a reference. `isWhole`: whether it has whole transactions; undefined if only
 * its header is used.
 */
export function recordBlock({ operation: { trust }, pin }: Snapshot, ref: BlockRef, block: RpcBlock | null, isWhole?: boolean) {
  if (!block) trust?.addUnproven('block');
  if (!trust || !block) return;
  trust.checks.add('hash');
  // A height below the blocks that the follower knows, or another tag than the head: nothing proves that the block is canonical.
  if (ref !== 'latest' && !sameData(ref, block.hash) && !pin.header(block.hash)) trust.addUnproven('block');
  if (hasForkGap(block)) trust.addUnproven('block');
  if (isWhole === undefined) return;
  const { transactions, uncles, withdrawals, withdrawalsRoot } = block;
  const size = listOrNull(transactions)?.length;
  // Receipts and logs are compared with the list.
  if (size === undefined) trust.addUnproven('block');
  if (!isWhole && size !== 0) trust.addUnproven('transactionList');
  const ommers = listOrNull(uncles);
  if (ommers?.length !== 0) trust.addUnproven('ommerList');
  if (!ommers) trust.addUnproven('ommers');
  const list = listOrNull(withdrawals);
  const isOtherRoot = list?.length === 0 && !sameData(withdrawalsRoot, EMPTY_TRIE_ROOT);
  if (!list !== isNullish(withdrawalsRoot) || isOtherRoot) trust.addUnproven('withdrawals');
}

/** Compares the whole transactions of a block with its transactions root. */
export async function verifyTransactions(snapshot: Snapshot, trust: TrustRecord, block: RpcBlock): Promise<RpcBlock> {
  const { operation, calls, node } = snapshot;
  trust.checks.add('transactionsRoot');
  const contradiction = await finishYielding(transactionsRootContradiction(block), operation.budget);
  const coversBlobs = isRootOfBlobs(contradiction, block, node.endpoints.length);
  const isReread = !coversBlobs && isRefused(snapshot, 'eth_getBlockByHash', block, contradiction);
  const found = isReread ? ((await calls.refetch(provenBlockBy, block.hash, true)) ?? throwBlockMissing()) : block;
  if (coversBlobs || !listOrNull<RpcTransaction>(found.transactions)?.every(isWhollyEncoded))
    trust.addUnproven('transactionList', 'transactions');
  return found;
}

/** Compares the receipts of a block with its receipts root, and their gas and the indexes of their logs with each other. */
export async function verifyReceipts(snapshot: Snapshot, trust: TrustRecord, block: RpcBlock, receipts: readonly RpcReceipt[]) {
  const { operation, calls } = snapshot;
  if (receipts.length === 0) return receipts;
  trust.checks.add('receiptsRoot');
  const compared = await finishYielding(receiptsRootContradiction(receipts, block), operation.budget);
  const omitsRoots = compared?.check === 'receiptsRoot' && mayOmitRoots(block, receipts);
  const contradiction = (omitsRoots ? undefined : compared) ?? gasContradiction(receipts);
  const isReread = isRefused(snapshot, receiptsOf.name, receipts, contradiction);
  const hashes = (listOrNull<string | RpcTransaction>(block.transactions) ?? []).map(transactionHashOf);
  const found = isReread ? ((await calls.refetch(exactReceiptsOf, block.hash, hashes, block)) ?? throwBlockMissing()) : receipts;
  const isCounted = logsIn(found).every(({ logIndex }, i) => Number(logIndex) === i);
  if (!isCounted || omitsRoots || !areWhollyEncoded(found, block)) trust.addUnproven('receipts', 'logs');
  return found;
}

/** Compares the ommers of a block, each of which has its hash, with the `sha3Uncles` of the block. */
export async function verifyOmmers(
  snapshot: Snapshot,
  trust: TrustRecord,
  block: RpcBlock,
  reading: Promise<readonly (RpcBlock | null)[]>,
): Promise<readonly (RpcBlock | null)[]> {
  trust.checks.add('sha3Uncles');
  let isProven = false;
  try {
    const ommers = await reading;
    const found = ommers.filter((ommer) => ommer !== null);
    // A node may have pruned some ommers.
    if (found.length < ommers.length) return ommers;
    const error = snapshot.node.headerChecks.errorOf('eth_getBlockByHash', block, ommersContradiction(block, found));
    if (error) throw error;
    isProven = true;
    return ommers;
  } finally {
    // The errors of ommers do not refuse the length of their list.
    if (!isProven) trust.addUnproven('ommers');
  }
}

/** Compares a single transaction with its hash. Nothing proves its position in its block, nor that an unknown hash has no transaction. */
export async function verifyTransaction<T extends RpcTransaction | null>(snapshot: Snapshot, trust: TrustRecord, transaction: T) {
  trust.addUnproven('position');
  trust.checks.add('transactionHash');
  const isReread = isRefused(snapshot, transactionBy.name, transaction ?? {}, transactionContradiction(transaction));
  const found = isReread ? await snapshot.calls.refetch(provenTransactionBy, transaction!.hash) : transaction;
  if (!found || !isWhollyEncoded(found)) trust.addUnproven('transactions');
  return found;
}
