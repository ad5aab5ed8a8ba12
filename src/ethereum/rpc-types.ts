import type { Data, Quantity } from './hex.ts';

// The objects of the JSON-RPC interface of a node, unconverted: QUANTITY and DATA stay 0x-hex strings from the node to the client. A
// property without a value is undefined or null.

/** Reference to a block: a height, a tag or a hash. Only a hash has 66 characters. */
export type BlockRef = string;

/** A mined block; an ommer has no `transactions`. Source: `eth_getBlockByNumber`, `eth_getBlockByHash`. */
export interface RpcBlock {
  readonly number: Quantity;
  readonly hash: Data;
  readonly parentHash: Data;
  readonly nonce: Data;
  readonly sha3Uncles: Data;
  readonly logsBloom: Data;
  readonly transactionsRoot: Data;
  readonly stateRoot: Data;
  readonly receiptsRoot: Data;
  readonly miner: Data;
  readonly difficulty: Quantity;
  readonly totalDifficulty?: Quantity | null;
  readonly extraData: Data;
  readonly size?: Quantity | null;
  readonly gasLimit: Quantity;
  readonly gasUsed: Quantity;
  readonly timestamp: Quantity;
  readonly mixHash: Data;
  readonly baseFeePerGas?: Quantity | null;
  readonly blobGasUsed?: Quantity | null;
  readonly excessBlobGas?: Quantity | null;
  readonly withdrawalsRoot?: Data | null;
  readonly withdrawals?: readonly RpcWithdrawal[] | null;
  readonly parentBeaconBlockRoot?: Data | null;
  readonly requestsHash?: Data | null;
  readonly slotNumber?: Quantity | null;
  readonly blockAccessListHash?: Data | null;
  /** Hashes, or whole objects when full transactions were requested. */
  readonly transactions?: readonly Data[] | readonly RpcTransaction[] | null;
  readonly uncles?: readonly Data[] | null;
}

type UndeterminedField = 'number' | 'hash' | 'nonce' | 'logsBloom' | 'miner' | 'mixHash';

/** The pending block; nodes disagree on which of its properties are null. Source: `eth_getBlockByNumber`. */
export type RpcPendingBlock = Omit<RpcBlock, UndeterminedField> & {
  readonly [Field in UndeterminedField]?: string | null;
};

/** A withdrawal of a block (EIP-4895). The amount is gwei. */
export interface RpcWithdrawal {
  readonly index: Quantity;
  readonly validatorIndex: Quantity;
  readonly address: Data;
  readonly amount: Quantity;
}

/** A transaction; the three block fields are null while it is pending. Source: `eth_getTransactionByHash`, full blocks. */
export interface RpcTransaction {
  readonly hash: Data;
  readonly blockHash?: Data | null;
  readonly blockNumber?: Quantity | null;
  readonly blockTimestamp?: Quantity | null;
  readonly transactionIndex?: Quantity | null;
  readonly nonce: Quantity;
  readonly from: Data;
  readonly to?: Data | null;
  readonly value: Quantity;
  readonly gas: Quantity;
  readonly gasPrice: Quantity;
  readonly maxFeePerGas?: Quantity | null;
  readonly maxPriorityFeePerGas?: Quantity | null;
  readonly maxFeePerBlobGas?: Quantity | null;
  readonly input: Data;
  readonly r: Quantity;
  readonly s: Quantity;
  readonly v: Quantity;
  readonly yParity?: Quantity | null;
  readonly type?: Quantity | null;
  readonly accessList?: readonly RpcAccessTuple[] | null;
  readonly blobVersionedHashes?: readonly Data[] | null;
  readonly chainId?: Quantity | null;
  readonly authorizationList?: readonly RpcAuthorization[] | null;
}

/** One entry of an authorization list (EIP-7702). */
export interface RpcAuthorization {
  readonly chainId: Quantity;
  readonly address: Data;
  readonly nonce: Quantity;
  readonly yParity: Quantity;
  readonly r: Quantity;
  readonly s: Quantity;
}

/** One entry of an access list (EIP-2930). */
export interface RpcAccessTuple {
  readonly address: Data;
  readonly storageKeys: readonly Data[];
}

/** A receipt. Source: `eth_getTransactionReceipt`, `eth_getBlockReceipts`. One of `root` and `status` is set. */
export interface RpcReceipt {
  readonly transactionHash: Data;
  readonly transactionIndex: Quantity;
  readonly blockHash: Data;
  readonly blockNumber: Quantity;
  readonly blockTimestamp?: Quantity | null;
  readonly from: Data;
  readonly to?: Data | null;
  readonly cumulativeGasUsed: Quantity;
  readonly gasUsed: Quantity;
  readonly effectiveGasPrice?: Quantity | null;
  readonly blobGasUsed?: Quantity | null;
  readonly blobGasPrice?: Quantity | null;
  readonly contractAddress?: Data | null;
  readonly logs: readonly RpcLog[];
  readonly logsBloom: Data;
  readonly root?: Data | null;
  readonly status?: Quantity | null;
  readonly type?: Quantity | null;
  /** Payload of the revert; only Besu returns it. */
  readonly revertReason?: Data | null;
}

/** An event log; block and transaction fields are null while it is pending. Source: `eth_getLogs`, receipts. */
export interface RpcLog {
  readonly address: Data;
  readonly topics: readonly Data[];
  readonly data: Data;
  readonly logIndex: Quantity;
  readonly blockNumber?: Quantity | null;
  readonly blockHash?: Data | null;
  readonly blockTimestamp?: Quantity | null;
  readonly transactionHash: Data;
  readonly transactionIndex?: Quantity | null;
  readonly removed?: boolean | null;
}

/** Progress of a synchronizing node. Source: `eth_syncing`, which returns false for a synchronized node. */
export type RpcSyncState = Readonly<Record<'startingBlock' | 'currentBlock' | 'highestBlock', Quantity>>;

/** Base fees of a range of blocks, and of the next block after it. Source: `eth_feeHistory`. */
export interface RpcFeeHistory {
  readonly oldestBlock: Quantity;
  readonly baseFeePerGas?: readonly (Quantity | null)[] | null;
  readonly gasUsedRatio?: readonly number[] | null;
  readonly baseFeePerBlobGas?: readonly (Quantity | null)[] | null;
  readonly blobGasUsedRatio?: readonly number[] | null;
  /** For each block, the priority fees at the requested percentiles. */
  readonly reward?: readonly (readonly Quantity[])[] | null;
}
