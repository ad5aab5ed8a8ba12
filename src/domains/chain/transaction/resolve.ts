import type { GraphQLResolveInfo } from 'graphql';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { authorityOf, isKnownType, typeNumber } from '../../../ethereum/encoding/transaction.ts';
import { type Data, formatWei, toBigInt } from '../../../ethereum/hex.ts';
import { matchesFilter } from '../../../ethereum/log-filters.ts';
import type { RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { chainIdOf, effectiveTip, gasPriceOf } from '../../../ethereum/transaction-values.ts';
import type {
  ArbitrumReceipt,
  ArbitrumTransaction,
  OptimismDeposit,
  OptimismReceipt,
  Resolvers,
  TransactionCreatedContractArgs,
} from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import { GraphError } from '../../../lib/errors.ts';
import { nextTurn } from '../../../lib/operation-budget.ts';
import { resolveCall, toCallAtBlock } from '../call/resolve.ts';
import { loadBlock, resolveAccount, resolveAccountAt, resolveBlockTimestamp, resolveContainingBlock } from '../links.ts';
import type { ChainContext, ChainLoaders } from '../load.ts';
import { checkTopics } from '../log/criteria.ts';
import { hashId, type PartialTransaction, rollupPart, transactionFromReceipt } from '../model.ts';
import { needsTransaction, transactionPlanByReceipt } from './plan.ts';
import { assertNotMined, submitTransaction } from './submit.ts';

const PENDING_STATE = { at: 'pending' };
const HASH: ReadonlySet<string> = new Set(['id', 'hash']);
const TRANSACTION_HASH: ReadonlySet<string> = new Set(['transactionHash']);

/** Finds a transaction by hash; without a request if only the hash is selected. */
const findTransaction = (hash: Data, chain: ChainLoaders, info: GraphQLResolveInfo) =>
  selectionOf(info).hasOnly(HASH) ? { hash } : chain.transactions.findTransaction(hash, transactionPlanByReceipt(info));

/** Whether a transaction succeeded. Null without a receipt, and before Byzantium, when receipts had a `root` and no status. */
export const succeeded = (receipt: Pick<RpcReceipt, 'status'> | null): boolean | null =>
  receipt?.status ? receipt.status === '0x1' : null;

/** Resolves a field from the receipt: synchronously when the receipts of the block are loaded; null while the transaction is pending. */
const fromReceipt =
  <T, A = object>(pick: (receipt: RpcReceipt, args: A, context: ChainContext, info: GraphQLResolveInfo) => T | Promise<T>) =>
  (transaction: PartialTransaction, args: A, context: ChainContext, info: GraphQLResolveInfo): T | null | Promise<T | null> => {
    const receipt = context.chain.transactions.receiptOf(transaction);
    if (receipt instanceof Promise) return receipt.then((loaded) => loaded && pick(loaded, args, context, info));
    return receipt && pick(receipt, args, context, info);
  };

/** Whether a transaction carries blobs: anvil returns a price per blob gas in each receipt. */
const hasBlobs = ({ blobGasUsed }: RpcReceipt): boolean => toBigInt(blobGasUsed ?? '0x0') > 0n;

async function tipOf(transaction: PartialTransaction, chain: ChainLoaders) {
  const block = transaction.blockHash && (await chain.blocks.header(transaction.blockHash));
  return block ? effectiveTip(transaction as RpcTransaction, block.baseFeePerGas) : null;
}

export const transactionResolvers = {
  Pending: {
    transactionCount: (plan, _args, { chain }) => chain.pending.transactionCount(plan),
    transactions: (plan, _args, { chain }) => chain.pending.transactions(plan),
    account: (_pending, { address }, context, info) => resolveAccount({ address, ...PENDING_STATE }, context, info),
    call: (_pending, { data }, context, info) => resolveCall(data, PENDING_STATE, context, info),
    estimateGas: (_pending, { data }, { chain }) => chain.calls.estimateGas(toCallAtBlock(data, PENDING_STATE)),
    block: (plan, _args, { chain }) => chain.pending.block(plan),
    transactionAt: (plan, { index }, { chain }) => chain.pending.transactionAt(index, plan),
    ommerCount: (plan, _args, { chain }) => chain.pending.ommerCount(plan),
    ommerAt: (_pending, { index }, { chain }) => chain.pending.ommerAt(index),
    logs: (_pending, { filter }, { chain }) => chain.pending.logs(filter),
  },
  PendingBlock: {
    ommerHash: ({ sha3Uncles }) => sha3Uncles,
    ommerHashes: ({ uncles }) => uncles ?? null,
    miner: ({ miner }, { block }, context, info) => resolveAccountAt(miner, block, context, info),
    parent: ({ parentHash }, _args, { chain }, info) => loadBlock(parentHash, chain, info),
  },
  Mutation: {
    async sendRawTransaction(_mutation, { data }, { chain }) {
      if (chain.sources.isDropIn) await assertNotMined(chain.snapshot, data);
      return (await submitTransaction(chain.snapshot, data)).hash;
    },
    async submitTransaction(_mutation, { input: { data, waitMs } }, { chain }) {
      // Check before the submission, because a submission cannot be undone.
      if (waitMs && waitMs < 0)
        throw new GraphError('BAD_USER_INPUT', 'Invalid `waitMs`. Pass a number of milliseconds, 0 or greater.');
      const submitted = await submitTransaction(chain.snapshot, data);
      return waitMs ? { ...submitted, mined: await chain.waitUntilMined(submitted.hash, waitMs) } : submitted;
    },
  },
  SubmitTransactionPayload: {
    transaction: ({ hash, mined }, _args, { chain }, info) => mined ?? findTransaction(hash, chain, info),
    receipt: ({ hash, mined }, _args, { chain }, info) =>
      mined?.blockHash ? chain.transactions.findReceipt(hash, needsTransaction(info), mined.blockHash) : null,
  },
  Receipt: {
    __resolveReference: (reference, { chain }, info) =>
      selectionOf(info).hasOnly(TRANSACTION_HASH)
        ? reference
        : chain.transactions.findReceipt(reference.transactionHash, needsTransaction(info)),
    transaction: (receipt, _args, { chain }, info) =>
      chain.transactions.completeTransaction(transactionFromReceipt(receipt), transactionPlanByReceipt(info)),
    block: (receipt, _args, context, info) => resolveContainingBlock(receipt, context, info),
    blockTimestamp: resolveBlockTimestamp,
    from: ({ from }, { block }, context, info) => resolveAccountAt(from, block, context, info)!,
    to: ({ to }, { block }, context, info) => resolveAccountAt(to, block, context, info),
    contract: ({ contractAddress }, { block }, context, info) => resolveAccountAt(contractAddress, block, context, info),
    logs: ({ logs }, { filter }) => {
      if (!filter) return logs;
      checkTopics(filter);
      // The value is null for a malformed receipt without a list of logs; this non-null field then reports the error.
      return listOrNull<RpcLog>(logs)?.filter((log) => matchesFilter(log, filter)) as RpcLog[];
    },
    succeeded,
    optimism: rollupPart<OptimismReceipt>('l1Fee', 'depositNonce'),
    arbitrum: rollupPart<ArbitrumReceipt>('gasUsedForL1'),
  },
  Transaction: {
    __resolveReference: ({ hash }, { chain }, info) => findTransaction(hash, chain, info),
    id: ({ hash }) => hashId(hash),
    index: ({ transactionIndex }) => transactionIndex ?? null,
    from: ({ from }, { block }, context, info) => resolveAccountAt(from, block, context, info)!,
    to: ({ to }, { block }, context, info) => resolveAccountAt(to, block, context, info),
    effectiveTip: (transaction, _args, { chain }) => tipOf(transaction, chain),
    state: ({ blockHash }) => (blockHash ? 'MINED' : 'PENDING'),
    confirmations: ({ blockNumber, blockHash }, _args, { chain }) =>
      blockNumber && blockHash ? chain.finality.confirmations(blockNumber, blockHash) : null,
    inputData: ({ input }) => input!,
    decoded: (transaction, _args, { chain }) => chain.decoder.decodedCall(transaction),
    block: (transaction, _args, context, info) => resolveContainingBlock(transaction, context, info),
    blockTimestamp: resolveBlockTimestamp,
    status: fromReceipt(({ status }) => status ?? null),
    gasUsed: fromReceipt(({ gasUsed }) => gasUsed),
    cumulativeGasUsed: fromReceipt(({ cumulativeGasUsed }) => cumulativeGasUsed),
    effectiveGasPrice: fromReceipt(({ effectiveGasPrice }) => effectiveGasPrice ?? null),
    blobGasUsed: fromReceipt((receipt) => (hasBlobs(receipt) ? receipt.blobGasUsed! : null)),
    blobGasPrice: fromReceipt((receipt) => (hasBlobs(receipt) ? (receipt.blobGasPrice ?? null) : null)),
    createdContract: fromReceipt(({ contractAddress }, { block }: Partial<TransactionCreatedContractArgs>, context, info) =>
      resolveAccountAt(contractAddress, block, context, info),
    ),
    logs: (transaction, _args, { chain }) => chain.transactions.logsOf(transaction),
    receipt: fromReceipt((receipt) => receipt),
    // Zero if the node has no value, as geth returns for transactions without a signature or a price.
    gasPrice: (transaction) => gasPriceOf(transaction)!,
    authorizationList: ({ authorizationList }) => authorizationList ?? null,
    optimism: rollupPart<OptimismDeposit>('sourceHash'),
    arbitrum: rollupPart<ArbitrumTransaction>('requestId', 'ticketId'),
    r: ({ r }) => r ?? '0x0',
    s: ({ s }) => s ?? '0x0',
    // Nodes may omit `v` of a typed transaction, which equals the parity.
    v: ({ v, yParity }) => v ?? yParity ?? '0x0',
    yParity: ({ v, yParity, type }) => (typeNumber(type) === 0 ? null : (yParity ?? (isKnownType(type) ? v! : null))),
    chainID: chainIdOf,
    valueIn: ({ value }, { unit }) => formatWei(value!, unit),
    gasPriceIn: (transaction, { unit }) => formatWei(gasPriceOf(transaction)!, unit),
    raw: (transaction, _args, { chain }) => chain.encodings.rawTransaction(transaction),
    rawReceipt: (transaction, _args, { chain }) => chain.encodings.rawReceipt(transaction),
    revertReason: fromReceipt((receipt, _args, { chain }) => chain.calls.revertPayload(receipt)),
    revertError: fromReceipt(async (receipt, _args, { chain }) =>
      chain.decoder.revertError(await chain.calls.revertPayload(receipt), receipt.to),
    ),
    trace: (transaction, _args, { chain }) => chain.traces.calls(transaction),
    stateDiff: (transaction, _args, { chain }) => chain.traces.stateDiff(transaction),
    executionTrace: (transaction, options, { chain }) => chain.traces.execution(transaction, options),
  },
  Authorization: {
    chainID: ({ chainId }) => chainId,
    async authority(authorization, { block }, context, info) {
      // A block can have thousands of signatures, each of which takes a millisecond.
      await nextTurn(context);
      return resolveAccountAt(authorityOf(authorization), block, context, info);
    },
  },
} satisfies Resolvers;
