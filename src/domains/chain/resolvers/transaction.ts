import type { GraphQLResolveInfo } from 'graphql';
import { effectiveTip } from '../../../ethereum/fees.ts';
import type { RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { chainIdOf, gasPriceOf } from '../../../ethereum/transaction-values.ts';
import { formatWei } from '../../../ethereum/units.ts';
import type { TransactionCreatedContractArgs, TransactionResolvers } from '../../../generated/chain.ts';
import type { ChainContext } from '../context.ts';
import { hashId } from '../ids.ts';
import type { ChainLoaders } from '../loaders/index.ts';
import type { PartialTransaction } from '../model.ts';
import { selectsOnlyHash, transactionPlanByReceipt } from '../plan.ts';
import { resolveAccountAt, resolveContainingBlock } from './links.ts';

/** Resolves a field from the receipt: synchronously when the receipts of the block are loaded; null while the transaction is pending. */
const fromReceipt =
  <T, A = object>(pick: (receipt: RpcReceipt, args: A, context: ChainContext, info: GraphQLResolveInfo) => T | Promise<T>) =>
  (transaction: PartialTransaction, args: A, context: ChainContext, info: GraphQLResolveInfo): T | null | Promise<T | null> => {
    const receipt = context.chain.transactions.receiptOf(transaction);
    if (receipt instanceof Promise) return receipt.then((loaded) => loaded && pick(loaded, args, context, info));
    return receipt && pick(receipt, args, context, info);
  };

async function tipOf(transaction: PartialTransaction, chain: ChainLoaders) {
  const block = transaction.blockHash && (await chain.blocks.header(transaction.blockHash));
  return block ? effectiveTip(transaction as RpcTransaction, block.baseFeePerGas) : null;
}

export const chainTransactionResolvers: TransactionResolvers = {
  __resolveReference: ({ hash }, { chain }, info) =>
    selectsOnlyHash(info) ? { hash } : chain.transactions.findTransaction(hash, transactionPlanByReceipt(info)),
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
  status: fromReceipt(({ status }) => status ?? null),
  gasUsed: fromReceipt(({ gasUsed }) => gasUsed),
  cumulativeGasUsed: fromReceipt(({ cumulativeGasUsed }) => cumulativeGasUsed),
  effectiveGasPrice: fromReceipt(({ effectiveGasPrice }) => effectiveGasPrice ?? null),
  blobGasUsed: fromReceipt(({ blobGasUsed }) => blobGasUsed ?? null),
  blobGasPrice: fromReceipt(({ blobGasPrice }) => blobGasPrice ?? null),
  createdContract: fromReceipt(({ contractAddress }, { block }: Partial<TransactionCreatedContractArgs>, context, info) =>
    resolveAccountAt(contractAddress, block, context, info),
  ),
  logs: (transaction, _args, { chain }) => chain.transactions.logsOf(transaction),
  receipt: fromReceipt((receipt) => receipt),
  // Zero where the node has no value, as geth returns for transactions without a signature or a price.
  gasPrice: (transaction) => gasPriceOf(transaction)!,
  r: ({ r }) => r ?? '0x0',
  s: ({ s }) => s ?? '0x0',
  // Nodes may omit `v` of a typed transaction, which equals the parity.
  v: ({ v, yParity }) => v ?? yParity ?? '0x0',
  chainID: chainIdOf,
  valueIn: ({ value }, { unit }) => formatWei(value!, unit),
  gasPriceIn: (transaction, { unit }) => formatWei(gasPriceOf(transaction)!, unit),
  raw: (transaction, _args, { chain }) => chain.encodings.rawTransaction(transaction),
  rawReceipt: (transaction, _args, { chain }) => chain.encodings.rawReceipt(transaction),
  revertReason: fromReceipt((receipt, _args, { chain }) => chain.revertPayload(receipt)),
};
