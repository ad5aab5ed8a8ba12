import type { AnvilRpc } from '../anvil/rpc.ts';

/** A mined transaction as anvil returns it; only the fields that notifications need are typed. */
export interface MinedTransaction {
  readonly [field: string]: unknown;
  readonly hash: string;
  readonly from: string;
  /** Null for a contract creation. */
  readonly to: string | null;
  /** Wei, 0x-hex. */
  readonly value: string;
}

export interface TransferLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface MinedReceipt {
  readonly transactionHash: string;
  /** 0x1 for success. */
  readonly status: string;
  /** Null unless the transaction creates a contract. */
  readonly contractAddress: string | null;
  readonly logs: readonly TransferLog[];
}

/** A block with the receipts of its transactions, in the order of the transactions. */
export interface BlockContents {
  /** 0x-hex. */
  readonly number: string;
  readonly transactions: readonly MinedTransaction[];
  readonly receipts: readonly MinedReceipt[];
}

/** Reads a block with its receipts. Resolves to undefined if the chain no longer has the block. */
export async function readBlockContents(rpc: AnvilRpc, hash: string): Promise<BlockContents | undefined> {
  const block = await rpc.call<Pick<BlockContents, 'number' | 'transactions'> | null>('eth_getBlockByHash', hash, true);
  const receipts = block && (await rpc.call<MinedReceipt[] | null>('eth_getBlockReceipts', hash));
  // Anvil has no receipts for a block that a reorg removes meanwhile.
  const isComplete = block?.transactions.every((transaction, index) => transaction.hash === receipts?.[index]?.transactionHash);
  return block && receipts && isComplete ? { number: block.number, transactions: block.transactions, receipts } : undefined;
}
