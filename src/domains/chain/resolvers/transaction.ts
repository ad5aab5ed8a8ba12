import { effectiveTip } from '../../../evm/fees.ts';
import type { RpcReceipt, RpcTransaction } from '../../../evm/rpc.ts';
import type { TransactionResolvers } from '../../../generated/chain.ts';
import type { ChainContext } from '../context.ts';
import type { ChainLoaders } from '../loaders/index.ts';
import type { TransactionPart } from '../model.ts';
import { accountAt, blockLink } from './links.ts';

/** A field that the receipt answers: at once when the block brought its receipts, null while the transaction is pending. */
const fromReceipt =
  <T, A = object>(pick: (receipt: RpcReceipt, args: A) => T) =>
  (transaction: TransactionPart, args: A, { chain }: ChainContext): T | null | Promise<T | null> => {
    const receipt = chain.receiptOf(transaction);
    return receipt instanceof Promise ? receipt.then((found) => found && pick(found, args)) : receipt && pick(receipt, args);
  };

async function tipOf(transaction: TransactionPart, chain: ChainLoaders) {
  const block = transaction.blockHash && (await chain.header(transaction.blockHash));
  return block ? effectiveTip(transaction as RpcTransaction, block.baseFeePerGas) : null;
}

export const Transaction: TransactionResolvers = {
  index: ({ transactionIndex }) => transactionIndex ?? null,
  from: ({ from }, { block }) => accountAt(from, block)!,
  to: ({ to }, { block }) => accountAt(to, block),
  effectiveTip: (transaction, _args, { chain }) => tipOf(transaction, chain),
  inputData: ({ input }) => input!,
  block: (transaction, _args, context, info) => blockLink(transaction, context, info),
  status: fromReceipt(({ status }) => status ?? null),
  gasUsed: fromReceipt(({ gasUsed }) => gasUsed),
  cumulativeGasUsed: fromReceipt(({ cumulativeGasUsed }) => cumulativeGasUsed),
  effectiveGasPrice: fromReceipt(({ effectiveGasPrice }) => effectiveGasPrice ?? null),
  blobGasUsed: fromReceipt(({ blobGasUsed }) => blobGasUsed ?? null),
  blobGasPrice: fromReceipt(({ blobGasPrice }) => blobGasPrice ?? null),
  createdContract: fromReceipt(({ contractAddress }, { block }) => accountAt(contractAddress, block)),
  logs: (transaction, _args, { chain }) => chain.logsOf(transaction),
  receipt: fromReceipt((receipt) => receipt),
};
