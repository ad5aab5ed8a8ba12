import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, isBlockHash, sameData, toBigInt, toIsoTimestamp } from '../../../ethereum/hex.ts';
import { isRootOfBlobs, receiptsRootContradiction, transactionsRootContradiction } from '../../../ethereum/root-checks.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { TRANSFER_TOPIC } from '../../../ethereum/tokens.ts';
import { withTimeout } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { finishYielding, OperationBudget } from '../../../lib/operation-budget.ts';
import { ResponseDependencies } from '../../../operation/response-dependencies.ts';
import { Snapshot, type SnapshotSources } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import { blockBy, provenBlockBy, provenReceiptsOf, receiptBy, receiptsOf } from '../../../snapshot/state-methods.ts';
import { logsWithTopic } from '../rpc-methods.ts';
import { groupBy } from './batches.ts';
import { blockFacts, type FindToken, type TransferReceipt } from './block-facts.ts';
import type { ReadInternal } from './internal-transfers.ts';

/** Timeout of one read with its retries. */
const READ_TIMEOUT_MS = 30_000;

/** Runs a read of the chain through a new snapshot. Rejects with the error of the node. */
export type ReadChain = <T>(read: (snapshot: Snapshot) => Promise<T>) => Promise<T>;

/** Creates the reads of the deriver, which reject with the reason of `stopped` once it aborts. */
export const createChainReads =
  (sources: SnapshotSources, stopped: AbortSignal): ReadChain =>
  (read) => {
    const readOnce = (signal: AbortSignal) => {
      signal.throwIfAborted();
      const dependencies = new ResponseDependencies();
      return read(new Snapshot(sources, { requestId: 'webhookDerivation', signal, extensions: {}, dependencies }));
    };
    return withTimeout(READ_TIMEOUT_MS, readOnce, undefined, stopped);
  };

/** A block with its facts. */
export type ReadBlock = Awaited<ReturnType<typeof readBlock>>;

/** The inputs, besides the node, from which the contents of a block follow. */
export interface BlockLookups {
  /** Resolves with the registered addresses in this list. */
  readonly findRegistered: (addresses: readonly Data[]) => Promise<ReadonlySet<Data>>;
  readonly findToken: FindToken;
  /** Symbol of the native coin. @default ETH */
  readonly nativeAsset?: string | undefined;
  /** Reads the transfers inside the transactions of a block, which are otherwise no facts. */
  readonly readInternal?: ReadInternal;
}

type BlockWithTransactions = RpcBlock & { readonly transactions: readonly RpcTransaction[] };

/**
 * Reads a block by hash or height with its facts: two calls in one POST. On a node without receipts of whole blocks,
 * two calls and one POST with the receipts of the transactions whose value concerns a registered address. Rejects with
 * BLOCK_NOT_AVAILABLE while the node lacks a part of the block. Source: `eth_getBlockByHash` or `eth_getBlockByNumber`,
 * `eth_getBlockReceipts`; else `eth_getLogs`, `eth_getTransactionReceipt`.
 */
export async function readBlock(snapshot: Snapshot, ref: BlockRef, lookups: BlockLookups) {
  const { calls, session } = snapshot;
  const [block, receipts] = await withFallback(
    session,
    receiptsOf.name,
    async () => {
      const [found, list] = await Promise.all([calls.call(blockBy, ref, true), calls.call(receiptsOf, ref)]);
      const whole = wholeBlock(found);
      if (list === null) throw notAvailableError();
      if (areOwn(whole, list) && !(await isContradicted(snapshot, whole, list))) return [whole, list] as const;
      // The results may be of two blocks, or another operation has cached a false one, which was not compared with the roots.
      const again = wholeBlock(await calls.refetch(provenBlockBy, whole.hash, true));
      const receipts = await calls.refetch(provenReceiptsOf, again.hash, undefined, again);
      if (!receipts || !areOwn(again, receipts)) throw notAvailableError();
      return [again, receipts] as const;
    },
    async () => {
      const [found, logs] = await Promise.all([
        calls.call(blockBy, ref, true),
        isBlockHash(ref) ? readTransfers(snapshot, ref) : undefined,
      ]);
      const whole = wholeBlock(found);
      const transfers = logs ?? (await readTransfers(snapshot, whole.hash));
      return [whole, await receiptsWithin(snapshot, whole, transfers, lookups)] as const;
    },
  );
  const internal = await lookups.readInternal?.(snapshot, block);
  return {
    height: Number(block.number),
    hash: block.hash.toLowerCase(),
    parentHash: block.parentHash.toLowerCase(),
    /** ISO 8601. */
    timestamp: toIsoTimestamp(block.timestamp),
    facts: await blockFacts(block, receipts, lookups.findToken, internal, lookups.nativeAsset),
  };
}

function wholeBlock(block: RpcBlock | null): BlockWithTransactions {
  const transactions = listOrNull<RpcTransaction>(block?.transactions);
  if (!block || !transactions) throw notAvailableError();
  return { ...block, transactions };
}

/** Whether the receipts belong to the block, one for each transaction: a reorg may occur between the two calls. */
const areOwn = ({ hash, transactions }: BlockWithTransactions, receipts: readonly RpcReceipt[]): boolean =>
  receipts.length === transactions.length &&
  receipts.every((receipt, i) => sameData(receipt.blockHash, hash) && sameData(receipt.transactionHash, transactions[i]!.hash));

/** Whether the transactions or the receipts of a block must be read again because they contradict their roots. */
async function isContradicted({ node }: Snapshot, block: BlockWithTransactions, receipts: readonly RpcReceipt[]) {
  const { headerChecks, endpoints } = node;
  const budget = new OperationBudget();
  const transactionsRoot = await finishYielding(transactionsRootContradiction(block), budget);
  const coversBlobs = isRootOfBlobs(transactionsRoot, block, endpoints.length);
  const receiptsRoot = await finishYielding(receiptsRootContradiction(receipts, block), budget);
  return (
    headerChecks.errorOf('eth_getBlockByHash', block, coversBlobs ? undefined : transactionsRoot) !== undefined ||
    headerChecks.errorOf(receiptsOf.name, receipts, receiptsRoot) !== undefined
  );
}

const readTransfers = ({ calls }: Snapshot, hash: Data): Promise<readonly RpcLog[]> =>
  calls.call(logsWithTopic, hash, TRANSFER_TOPIC);

/**
 * The receipts that show whether native transfers succeeded, completed by the logs of transfers, which only successful
 * transactions have.
 */
async function receiptsWithin(
  { calls }: Snapshot,
  { hash, transactions }: BlockWithTransactions,
  logs: readonly RpcLog[],
  { findRegistered }: Pick<BlockLookups, 'findRegistered'>,
): Promise<readonly TransferReceipt[]> {
  const paying = transactions.filter(({ value }) => toBigInt(value) > 0n);
  const registered = await findRegistered([
    ...new Set(paying.flatMap(({ from, to }) => [from, to]).flatMap((address) => address?.toLowerCase() ?? [])),
  ]);
  // Only the receipt contains the address of a created contract.
  const concerns = ({ from, to }: RpcTransaction): boolean =>
    !to || registered.has(from.toLowerCase()) || registered.has(to.toLowerCase());
  const read = await Promise.all(paying.filter(concerns).map((transaction) => calls.call(receiptBy, transaction.hash)));
  if (read.some((receipt) => !sameData(receipt?.blockHash, hash))) throw notAvailableError();
  const logsByHash = groupBy(logs, ({ transactionHash }) => transactionHash?.toLowerCase());
  const receipts = new Map(read.map((receipt) => [receipt!.transactionHash.toLowerCase(), receipt!]));
  return transactions.map(({ hash: transactionHash }) => {
    const receipt = receipts.get(transactionHash.toLowerCase());
    // A transaction without a receipt has no native transfer that concerns a registration.
    const status = receipt ? (receipt.status ?? null) : '0x0';
    const own = logsByHash.get(transactionHash.toLowerCase()) ?? [];
    return { transactionHash, status, contractAddress: receipt?.contractAddress ?? null, logs: own };
  });
}

const notAvailableError = (): GraphError =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the block with its receipts yet, or no longer.');
