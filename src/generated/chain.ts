import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AccountAtBlock, ChainBlock, PartialTransaction } from '../domains/chain/model.ts';
import type { RpcAccessTuple, RpcLog, RpcReceipt, RpcSyncState, RpcWithdrawal } from '../ethereum/rpc-types.ts';
import type { AnnouncedHeader } from '../domains/chain/subscriptions/heads.ts';
import type { ReorgEvent } from '../domains/chain/subscriptions/reorgs.ts';
import type { StatusUpdate } from '../domains/chain/subscriptions/transaction-status/status.ts';
import type { ChainContext } from '../domains/chain/context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A 20-byte account address as 0x-prefixed hex. Input: either case; mixed case must be a correct EIP-55 checksum. Output: lower case. */
  Address: { input: string; output: string; }
  /**
   * An unsigned integer of up to 256 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  BigInt: { input: string; output: string; }
  /** Bytes of any length as 0x-prefixed hex with an even number of digits; no bytes is `0x`. Output: lower case. */
  Bytes: { input: string; output: string; }
  /** Exactly 32 bytes as 0x-prefixed hex. Input: 64 digits in either case. Output: lower case, always 66 characters. */
  Bytes32: { input: string; output: string; }
  /** An instant in UTC as ISO 8601, for example `2026-01-01T00:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /**
   * An integer of any size in base 10, as a string: exact, however large. Input: a JSON integer or a decimal string, with a minus sign where it is below
   * zero; at most 1,000 digits.
   */
  Decimal: { input: string; output: string; }
  /**
   * An unsigned integer of up to 64 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  Long: { input: string; output: string; }
  _FieldSet: { input: string; output: string; }
};

/** One contract of an access list, with its slots (EIP-2930). */
export type AccessTuple = {
  /** Address of the contract. */
  readonly address: Scalars['Address']['output'];
  /** Storage slots of that contract. */
  readonly storageKeys: ReadonlyArray<Scalars['Bytes32']['output']>;
};

/**
 * An account with its state at one block: that block under `Block.account`, the height given as `block`, else the most recent block.
 * Asked for its address alone it costs nothing.
 */
export type Account = {
  /** Hash or height of the block whose state counts; the operation's block when null. */
  readonly _at?: Maybe<Scalars['String']['output']>;
  /** Address of the account. */
  readonly address: Scalars['Address']['output'];
  /** Balance in wei. */
  readonly balance: Scalars['BigInt']['output'];
  /** Deployed code; `0x` for an account that has none. */
  readonly code: Scalars['Bytes']['output'];
  /** The value in one storage slot; zeros when never set. */
  readonly storage: Scalars['Bytes32']['output'];
  /** How many transactions it has sent; for a contract, how many contracts it has created. Also called the nonce. */
  readonly transactionCount: Scalars['Long']['output'];
};


/**
 * An account with its state at one block: that block under `Block.account`, the height given as `block`, else the most recent block.
 * Asked for its address alone it costs nothing.
 */
export type AccountStorageArgs = {
  slot: Scalars['Bytes32']['input'];
};

/** A mined block. */
export type Block = Header & {
  /** An account with its state after this block. */
  readonly account: Account;
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Blob gas that the block's transactions used. Null before Cancun. */
  readonly blobGasUsed?: Maybe<Scalars['Long']['output']>;
  /** Hash of the block's access list (EIP-7928). Null where the header has none. */
  readonly blockAccessListHash?: Maybe<Scalars['Bytes32']['output']>;
  /**
   * How deep the block lies in the chain that this answer is made from (`extensions.block` names its head): 1 for the head itself. Null for an ommer,
   * an abandoned block, and one above that head.
   */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Blob gas used above the target, running total before this block. Null before Cancun. */
  readonly excessBlobGas?: Maybe<Scalars['Long']['output']>;
  /** Free bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /**
   * Whether the block can no longer be reorganised without slashing. False for an abandoned block, null on a chain without finality.
   * Source: `eth_getBlockByNumber("finalized")`, asked at most once a head.
   */
  readonly finalized?: Maybe<Scalars['Boolean']['output']>;
  /** The most gas that the block's transactions could use. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. */
  readonly hash: Scalars['Bytes32']['output'];
  /** The block's event logs that match a filter, in order. */
  readonly logs: ReadonlyArray<Log>;
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** The account that received the block's fees. */
  readonly miner: Account;
  /** Proof-of-work mix hash; the beacon chain's randomness since the merge. */
  readonly mixHash: Scalars['Bytes32']['output'];
  /** Base fee in wei per gas of the block that follows; of the most recent block, as the node reckons it. Null before London, off the canonical chain, and where the node does not tell. */
  readonly nextBaseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Proof-of-work nonce, 8 bytes; zeros since the merge. */
  readonly nonce: Scalars['Bytes']['output'];
  /** Height of the block; the genesis block is 0. */
  readonly number: Scalars['Long']['output'];
  /** One ommer by position. Null when out of bounds. An ommer has no transactions. */
  readonly ommerAt?: Maybe<Block>;
  /** How many ommers the block names. Null when the node does not list them. */
  readonly ommerCount?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hashes of the ommers that the block names. */
  readonly ommerHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The ommers that the block names. Null when the node does not list them; an entry is null when its block is gone. */
  readonly ommers?: Maybe<ReadonlyArray<Maybe<Block>>>;
  /** The block before this one. Null for the genesis block. */
  readonly parent?: Maybe<Block>;
  /** Hash of the block before this one; all zeros for the genesis block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Receipts of the block's transactions in order. Null for an ommer. */
  readonly receipts?: Maybe<ReadonlyArray<Receipt>>;
  /** Root of the trie of this block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** Size of the encoded block in bytes. */
  readonly size?: Maybe<Scalars['Long']['output']>;
  /** Beacon chain slot of the block (EIP-7843). Null where the header has none. */
  readonly slotNumber?: Maybe<Scalars['Long']['output']>;
  /** Root of the state trie after this block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** When the block was produced, in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** When the block was produced. */
  readonly timestampISO: Scalars['DateTime']['output'];
  /** Sum of the difficulties up to this block. Null where the node no longer tells it. */
  readonly totalDifficulty?: Maybe<Scalars['BigInt']['output']>;
  /** One transaction by position. Null when out of bounds, and for an ommer. */
  readonly transactionAt?: Maybe<Transaction>;
  /** How many transactions the block has. Null for an ommer. */
  readonly transactionCount?: Maybe<Scalars['Long']['output']>;
  /** Hashes of the block's transactions in order. Null for an ommer. */
  readonly transactionHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The block's transactions in order. Asking no more than their hashes is much cheaper. Null for an ommer. */
  readonly transactions?: Maybe<ReadonlyArray<Transaction>>;
  /** Root of the trie of this block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
  /** Withdrawals from the beacon chain (EIP-4895). Null before Shanghai. */
  readonly withdrawals?: Maybe<ReadonlyArray<Withdrawal>>;
  /** Root of the trie of withdrawals. Null before Shanghai. */
  readonly withdrawalsRoot?: Maybe<Scalars['Bytes32']['output']>;
};


/** A mined block. */
export type BlockAccountArgs = {
  address: Scalars['Address']['input'];
};


/** A mined block. */
export type BlockLogsArgs = {
  filter: BlockFilterCriteria;
};


/** A mined block. */
export type BlockMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A mined block. */
export type BlockOmmerAtArgs = {
  index: Scalars['Long']['input'];
};


/** A mined block. */
export type BlockTransactionAtArgs = {
  index: Scalars['Long']['input'];
};

/** Which logs of one block are wanted. What is left out does not filter. */
export type BlockFilterCriteria = {
  /** Contracts whose logs are wanted; empty or omitted = any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /**
   * Wanted topics by position, at most four positions. An empty position matches anything, several values in one position are
   * alternatives, and a log may have more topics than are named: `[[], ["0xB…"]]` = anything first, B second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

/** The header of a block as the node announced it. None of its own fields is asked for. */
export type BlockHeader = Header & {
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** The whole block. What the header tells of it costs nothing. Null when the node has it no longer, as after a reorg. */
  readonly block?: Maybe<Block>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Free bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /** The most gas that the block's transactions could use. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. Behind it a subscriber goes on by `newHeads(after:)`. */
  readonly hash?: Maybe<Scalars['Bytes32']['output']>;
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** The account that received the block's fees. */
  readonly miner?: Maybe<Account>;
  /** Proof-of-work nonce, 8 bytes; zeros since the merge. */
  readonly nonce?: Maybe<Scalars['Bytes']['output']>;
  /** Height of the block. */
  readonly number: Scalars['Long']['output'];
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hash of the block before this one. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** True when another block of this height was of the chain before, whether this subscription told of it or not. */
  readonly replaces: Scalars['Boolean']['output'];
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** When the block was produced, in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Root of the trie of the block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
};


/** The header of a block as the node announced it. None of its own fields is asked for. */
export type BlockHeaderMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** Positions on the chain that always denote a mined block. */
export type BlockTag =
  /** The first block the node has, normally the genesis block. */
  | 'EARLIEST'
  /** The most recent block that cannot be reorganised without slashing. */
  | 'FINALIZED'
  /** The most recent block. */
  | 'LATEST'
  /** The most recent block that is safe from reorgs under honest-majority assumptions. */
  | 'SAFE';

/** Which logs are wanted. What is left out does not filter; with no block named, the most recent block is searched. */
export type FilterCriteria = {
  /** Contracts whose logs are wanted; empty or omitted = any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Only the block with this hash; not together with any other bound. */
  readonly blockHash?: InputMaybe<Scalars['Bytes32']['input']>;
  /** First height, inclusive; the most recent block when omitted. */
  readonly fromBlock?: InputMaybe<Scalars['Long']['input']>;
  /** First block by tag, in place of `fromBlock`. */
  readonly fromBlockTag?: InputMaybe<BlockTag>;
  /** Last height, inclusive; the most recent block when omitted, and never past it. */
  readonly toBlock?: InputMaybe<Scalars['Long']['input']>;
  /** Last block by tag, in place of `toBlock`. */
  readonly toBlockTag?: InputMaybe<BlockTag>;
  /** True takes in the pending block as the last one, in place of `toBlock`. */
  readonly toPending?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Wanted topics by position, at most four positions. An empty position matches anything, several values in one position are
   * alternatives, and a log may have more topics than are named: `[[], ["0xB…"]]` = anything first, B second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

/** The header of a block, whether the block was asked for or announced. */
export type Header = {
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Free bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /** The most gas that the block's transactions could use. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. */
  readonly hash?: Maybe<Scalars['Bytes32']['output']>;
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom?: Maybe<Scalars['Bytes']['output']>;
  /** The account that received the block's fees. */
  readonly miner?: Maybe<Account>;
  /** Proof-of-work nonce, 8 bytes; zeros since the merge. */
  readonly nonce?: Maybe<Scalars['Bytes']['output']>;
  /** Height of the block; the genesis block is 0. */
  readonly number?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hash of the block before this one; all zeros for the genesis block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** When the block was produced, in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Root of the trie of the block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
};


/** The header of a block, whether the block was asked for or announced. */
export type HeaderMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** An event that a contract emitted. */
export type Log = {
  /** The contract that emitted it. */
  readonly account: Account;
  /** The block. Null while pending, and when the node has it no longer, as after a reorg. */
  readonly block?: Maybe<Block>;
  /** Hash of the block. Null while pending. */
  readonly blockHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Height of the block. Null while pending. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /**
   * Names this log among all of the chain, and whether it was removed, for `Subscription.logs(after:)`: a text to be handed back as it is. Null while
   * pending.
   */
  readonly cursor?: Maybe<Scalars['String']['output']>;
  /** What is not indexed, ABI-encoded. */
  readonly data: Scalars['Bytes']['output'];
  /** Position in the block, from 0. */
  readonly index: Scalars['Long']['output'];
  /** True when a reorg abandoned the log's block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Up to four indexed topics; for most events the first is the hash of the event's signature. */
  readonly topics: ReadonlyArray<Scalars['Bytes32']['output']>;
  /** The transaction that emitted it. */
  readonly transaction: Transaction;
  /** Hash of that transaction. */
  readonly transactionHash: Scalars['Bytes32']['output'];
  /** Position of that transaction in its block, from 0. Null while pending. */
  readonly transactionIndex?: Maybe<Scalars['Long']['output']>;
};


/** An event that a contract emitted. */
export type LogAccountArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** Which logs are wanted. What is left out does not filter. */
export type LogSubscriptionFilter = {
  /** Contracts whose logs are wanted, at most 1,000; empty or omitted = any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /**
   * Wanted topics by position, at most four positions. An empty position matches anything, several values in one position, at most
   * 1,000, are alternatives, and a log may have more topics than are named: `[[], ["0xB…"]]` = anything first, B second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

export type Mutation = {
  /**
   * Hands a signed transaction to the network and returns its hash, which is computed here from the bytes.
   * Sending what the node already has returns its hash again. A refusal is an error with a stable code, such as NONCE_TOO_LOW,
   * INSUFFICIENT_FUNDS or TX_UNDERPRICED; TX_STATUS_UNKNOWN when the node's answer was lost, with the hash to look for.
   */
  readonly sendRawTransaction: Scalars['Bytes32']['output'];
};


export type MutationSendRawTransactionArgs = {
  data: Scalars['Bytes']['input'];
};

/** What a node says about itself and its network. */
export type Network = {
  /** Accounts whose keys the node holds; empty on any hosted node. */
  readonly accounts?: Maybe<ReadonlyArray<Scalars['Address']['output']>>;
  /** Height of the most recent block. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /** Whether the node accepts connections from peers. */
  readonly listening?: Maybe<Scalars['Boolean']['output']>;
  /** Network id in decimal, as peers use it; the chain id is `Query.chainID`. */
  readonly networkID?: Maybe<Scalars['String']['output']>;
  /** Version of the Ethereum wire protocol, in the node's own spelling. Few current nodes answer this. */
  readonly protocolVersion?: Maybe<Scalars['String']['output']>;
};

/** Which pending transactions are wanted. Where both lists name accounts, both must hold. */
export type PendingTransactionFilter = {
  /** Sent by any of these; empty or omitted = by anybody. */
  readonly from?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Sent to any of these; empty or omitted = to anybody, contract creations included. */
  readonly to?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
};

export type Query = {
  /** An account at the most recent block. For its state at another block, ask `block { account }`. */
  readonly account?: Maybe<Account>;
  /**
   * One mined block: by number, by hash or by tag, at most one of the three; the most recent one when none is given.
   * Null when the node has no such block.
   */
  readonly block?: Maybe<Block>;
  /**
   * All blocks of an inclusive range, oldest first. `to` past the most recent block is cut there; an empty range is an empty list.
   * More blocks than the server allows is RESULT_TOO_LARGE, never a silent cut.
   */
  readonly blocks: ReadonlyArray<Block>;
  /** Chain id that replay-protected signatures carry (EIP-155). */
  readonly chainID: Scalars['BigInt']['output'];
  /** The node's suggestion for the gas price of a legacy transaction, in wei per gas. */
  readonly gasPrice: Scalars['BigInt']['output'];
  /**
   * Event logs that match a filter, in chain order. With no block named in the filter: those of the most recent block.
   * More logs than the server allows is RESULT_TOO_LARGE, never a silent cut.
   */
  readonly logs: ReadonlyArray<Log>;
  /** The node's suggestion for a priority fee, in wei per gas; gas price less base fee where the node makes no suggestion. */
  readonly maxPriorityFeePerGas: Scalars['BigInt']['output'];
  /** What the node says about itself and its network. Each field can be null alone, since nodes differ in what they answer. */
  readonly network?: Maybe<Network>;
  /** The receipt of one mined transaction. Null while it is pending and for an unknown hash. */
  readonly receipt?: Maybe<Receipt>;
  /** How far the node has come while it synchronises. Null when it is not synchronising, and where the node does not tell. */
  readonly syncing?: Maybe<SyncState>;
  /** One transaction, mined or pending. Null when the node does not know the hash. */
  readonly transaction?: Maybe<Transaction>;
};


export type QueryAccountArgs = {
  address: Scalars['Address']['input'];
};


export type QueryBlockArgs = {
  hash?: InputMaybe<Scalars['Bytes32']['input']>;
  number?: InputMaybe<Scalars['Long']['input']>;
  tag?: InputMaybe<BlockTag>;
};


export type QueryBlocksArgs = {
  from?: InputMaybe<Scalars['Long']['input']>;
  to?: InputMaybe<Scalars['Long']['input']>;
};


export type QueryLogsArgs = {
  filter: FilterCriteria;
};


export type QueryReceiptArgs = {
  hash: Scalars['Bytes32']['input'];
};


export type QueryTransactionArgs = {
  hash: Scalars['Bytes32']['input'];
};

/** What came of a mined transaction. */
export type Receipt = {
  /** The block. Null when the node has it no longer, as after a reorg. */
  readonly block?: Maybe<Block>;
  /** Hash of the block. */
  readonly blockHash: Scalars['Bytes32']['output'];
  /** Height of the block. */
  readonly blockNumber: Scalars['Long']['output'];
  /** The contract it created. Null for any other transaction. */
  readonly contract?: Maybe<Account>;
  /** Gas used in the block up to and including the transaction. */
  readonly cumulativeGasUsed: Scalars['Long']['output'];
  /** Wei per gas that it paid. Null where the node does not tell it. */
  readonly effectiveGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** The account that sent the transaction. */
  readonly from: Account;
  /** Gas that the transaction used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Logs it emitted, in order; those that match, when a filter is given. */
  readonly logs: ReadonlyArray<Log>;
  /** 2048-bit filter over the addresses and topics of its logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** State root after the transaction. Null since Byzantium, which put `status` in its place. */
  readonly root?: Maybe<Scalars['Bytes32']['output']>;
  /** 1 when it succeeded, 0 when it reverted or ran out of gas. Null before Byzantium. */
  readonly status?: Maybe<Scalars['Long']['output']>;
  /** Whether it succeeded. Null before Byzantium. */
  readonly succeeded?: Maybe<Scalars['Boolean']['output']>;
  /** The account called or paid. Null when a contract is created. */
  readonly to?: Maybe<Account>;
  /** The transaction. */
  readonly transaction: Transaction;
  /** Hash of the transaction. */
  readonly transactionHash: Scalars['Bytes32']['output'];
  /** Position of the transaction in its block, from 0. */
  readonly transactionIndex: Scalars['Long']['output'];
  /** Transaction type (EIP-2718). */
  readonly type?: Maybe<Scalars['Long']['output']>;
};


/** What came of a mined transaction. */
export type ReceiptContractArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** What came of a mined transaction. */
export type ReceiptFromArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** What came of a mined transaction. */
export type ReceiptLogsArgs = {
  filter?: InputMaybe<BlockFilterCriteria>;
};


/** What came of a mined transaction. */
export type ReceiptToArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** A change of the chain that took blocks away. */
export type Reorg = {
  /** The blocks that came in their place: oldest first, up to the head of the chain. Empty when none has come yet. */
  readonly added: ReadonlyArray<BlockHeader>;
  /** The highest block that is of the chain both before and after. Null when the node has it no longer. */
  readonly commonAncestor?: Maybe<Block>;
  /** How many blocks were taken away. */
  readonly depth: Scalars['Int']['output'];
  /** The blocks that are of the chain no more: newest first, down to the child of the common ancestor. */
  readonly dropped: ReadonlyArray<BlockHeader>;
};

export type Subscription = {
  /**
   * Event logs of each block that the chain gains, in chain order. When a reorg takes blocks away, their logs come once more, last first, with `removed`
   * true, and then those of the new branch. What is asked below a log is read at its block. Below a removed log, its transaction, receipt and block are as
   * they were read before; state is read at the head. Errors of an event carry its `cursor` and `removed`. Source: `eth_getLogs` of each block, once for all clients.
   */
  readonly logs: Log;
  /**
   * Each block that the chain gains, oldest first; after a reorg all blocks of the new branch, so heights repeat and the later block is the one that counts.
   * What is asked below it is read at that very block. Source: `eth_subscribe` of `newHeads`, one for all clients, else polls.
   */
  readonly newHeads: BlockHeader;
  /**
   * Transactions as the node takes them in, whole. Best effort: what a node does not announce, or announces while it cannot be reached, is not told
   * later. Source: `eth_subscribe` of `svc_newFullPendingTransactions` or `newPendingTransactions`, one for all clients.
   */
  readonly pendingTransactions: Transaction;
  /** Each reorg as it happens, whole. What is asked below it is read at the new head. Source: as `newHeads`. */
  readonly reorgs: Reorg;
  /**
   * How a transaction fares: first how it stands now, then each change of its status, of its confirmations and of its block. Ends after CONFIRMED, REPLACED
   * and DROPPED. It is requested when the subscription starts and with each new head. Source: `eth_getTransactionByHash`, all that are watched in one request.
   */
  readonly transactionStatus: TransactionStatusUpdate;
};


export type SubscriptionLogsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<LogSubscriptionFilter>;
};


export type SubscriptionNewHeadsArgs = {
  after?: InputMaybe<Scalars['Bytes32']['input']>;
};


export type SubscriptionPendingTransactionsArgs = {
  filter?: InputMaybe<PendingTransactionFilter>;
};


export type SubscriptionTransactionStatusArgs = {
  confirmations?: InputMaybe<Scalars['Int']['input']>;
  hash: Scalars['Bytes32']['input'];
};

/** How far a synchronising node has come. */
export type SyncState = {
  /** Height reached so far. */
  readonly currentBlock: Scalars['Long']['output'];
  /** Highest height known from the network. */
  readonly highestBlock: Scalars['Long']['output'];
  /** Height at which this synchronisation began. */
  readonly startingBlock: Scalars['Long']['output'];
};

/** A signed transaction, mined or pending. */
export type Transaction = {
  /** Addresses and slots it warmed up (EIP-2930). Null for a type that has no such list. */
  readonly accessList?: Maybe<ReadonlyArray<AccessTuple>>;
  /** Wei per blob gas it paid. Null while pending and unless it carries blobs. */
  readonly blobGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Blob gas it used. Null while pending and unless it carries blobs. */
  readonly blobGasUsed?: Maybe<Scalars['Long']['output']>;
  /** Hashes of the blobs it carries (EIP-4844). Null for any other type. */
  readonly blobVersionedHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The block it was mined in. Null while pending. */
  readonly block?: Maybe<Block>;
  /** Hash of its block. Null while pending. */
  readonly blockHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Height of its block. Null while pending. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /**
   * How deep its block lies in the chain that this answer is made from (`extensions.block` names its head): 1 for the head itself. Null while the
   * transaction is pending, and where its block is above that head.
   */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** The contract it created. Null while pending and for any other transaction. */
  readonly createdContract?: Maybe<Account>;
  /** Gas used in its block up to and including it. Null while pending. */
  readonly cumulativeGasUsed?: Maybe<Scalars['Long']['output']>;
  /** Wei per gas it paid. Null while pending. */
  readonly effectiveGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Wei per gas that went to the block's producer. Null while pending. */
  readonly effectiveTip?: Maybe<Scalars['BigInt']['output']>;
  /** The account that signed and sent it. */
  readonly from: Account;
  /** The most gas it may use. */
  readonly gas: Scalars['Long']['output'];
  /** Wei per gas: offered by a legacy transaction; for a fee-market one the price paid once mined, before that the most it may pay. */
  readonly gasPrice: Scalars['BigInt']['output'];
  /** Gas it used. Null while pending. */
  readonly gasUsed?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the signed transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Position in its block, from 0. Null while pending. */
  readonly index?: Maybe<Scalars['Long']['output']>;
  /** Call data, or the initialisation code of a contract creation. */
  readonly inputData: Scalars['Bytes']['output'];
  /** Logs it emitted, in order. Null while pending. */
  readonly logs?: Maybe<ReadonlyArray<Log>>;
  /** The most wei per blob gas it may pay. Null unless it carries blobs (EIP-4844). */
  readonly maxFeePerBlobGas?: Maybe<Scalars['BigInt']['output']>;
  /** The most wei per gas it may pay, base fee included. Null before EIP-1559. */
  readonly maxFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** The most wei per gas it may pay on top of the base fee. Null before EIP-1559. */
  readonly maxPriorityFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** How many transactions its sender had sent before it. */
  readonly nonce: Scalars['Long']['output'];
  /** ECDSA signature: r. */
  readonly r: Scalars['BigInt']['output'];
  /** Its receipt. Null while pending. */
  readonly receipt?: Maybe<Receipt>;
  /** ECDSA signature: s. */
  readonly s: Scalars['BigInt']['output'];
  /** Whether the transaction lies in a block yet. */
  readonly state: TransactionState;
  /** 1 when it succeeded, 0 when it reverted or ran out of gas. Null while pending and before Byzantium. */
  readonly status?: Maybe<Scalars['Long']['output']>;
  /** The account called or paid. Null when a contract is created. */
  readonly to?: Maybe<Account>;
  /** Transaction type (EIP-2718): 0 legacy, 1 access list, 2 fee market, 3 blobs, 4 set code. */
  readonly type?: Maybe<Scalars['Long']['output']>;
  /** ECDSA signature: v, which carries the chain id in a replay-protected legacy transaction (EIP-155). */
  readonly v: Scalars['BigInt']['output'];
  /** Wei moved from sender to recipient; token transfers are not counted. */
  readonly value: Scalars['BigInt']['output'];
  /** ECDSA signature: parity of the curve point's y. Null for a legacy transaction. */
  readonly yParity?: Maybe<Scalars['BigInt']['output']>;
};


/** A signed transaction, mined or pending. */
export type TransactionCreatedContractArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionFromArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionToArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** Where a transaction that exists stands. */
export type TransactionState =
  /** In a block. */
  | 'MINED'
  /** In no block yet. */
  | 'PENDING';

/** Where a transaction stands, whether it exists or not. */
export type TransactionStatus =
  /** It lies in a block of the chain, as deep as was asked: the end. */
  | 'CONFIRMED'
  /** It was there, and the node does not know it any more, over three heads and thirty seconds: the end. */
  | 'DROPPED'
  /** It lies in a block of the chain, not as deep as was asked. */
  | 'MINED'
  /** It waits for a block. Also when a reorg took its block away, or the node has forgotten it only just now. */
  | 'PENDING'
  /** Another transaction of its sender has used its nonce: the end. */
  | 'REPLACED'
  /** The node has never shown it. */
  | 'UNKNOWN';

/** How a transaction stands, as of the head of the chain at that moment. */
export type TransactionStatusUpdate = {
  /** How deep its block lies in the chain: 1 in the head. Null in no block. */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Its receipt. Null in no block. */
  readonly receipt?: Maybe<Receipt>;
  /** Hash of the transaction that took its nonce. Null unless REPLACED, and when that one was not found. */
  readonly replacedBy?: Maybe<Scalars['Bytes32']['output']>;
  /** Where it stands. */
  readonly status: TransactionStatus;
  /**
   * True when it succeeded, false when it reverted or ran out of gas. Null in no block, and before Byzantium. Source: the `status` of
   * `eth_getTransactionReceipt`, requested only where this field is selected.
   */
  readonly succeeded?: Maybe<Scalars['Boolean']['output']>;
  /** The transaction, as it was last seen. Null while UNKNOWN, and once REPLACED or DROPPED. */
  readonly transaction?: Maybe<Transaction>;
};

/** A withdrawal from the beacon chain to an account (EIP-4895). */
export type Withdrawal = {
  /** Account that receives the amount. */
  readonly address: Scalars['Address']['output'];
  /** Amount in gwei. */
  readonly amount: Scalars['Long']['output'];
  /** Running number given by the consensus layer. */
  readonly index: Scalars['Long']['output'];
  /** Index of the validator that withdraws. */
  readonly validator: Scalars['Long']['output'];
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  Account: Account;
  Block: Block;
  Receipt: Receipt;
  Transaction: Transaction;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Account:
    ( { __typename: 'Account' }
    & GraphQLRecursivePick<FederationTypes['Account'], {"address":true,"_at":true}> );
  Block:
    ( { __typename: 'Block' }
    & GraphQLRecursivePick<FederationTypes['Block'], {"number":true}> );
  Receipt:
    ( { __typename: 'Receipt' }
    & GraphQLRecursivePick<FederationTypes['Receipt'], {"transactionHash":true}> );
  Transaction:
    ( { __typename: 'Transaction' }
    & GraphQLRecursivePick<FederationTypes['Transaction'], {"hash":true}> );
};


/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Header:
    | ( ChainBlock )
    | ( AnnouncedHeader )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AccessTuple: ResolverTypeWrapper<RpcAccessTuple>;
  Account: ResolverTypeWrapper<AccountAtBlock>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  Block: ResolverTypeWrapper<ChainBlock>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  BlockFilterCriteria: BlockFilterCriteria;
  BlockHeader: ResolverTypeWrapper<AnnouncedHeader>;
  BlockTag: BlockTag;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  FilterCriteria: FilterCriteria;
  Header: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Header']>;
  Log: ResolverTypeWrapper<RpcLog>;
  LogSubscriptionFilter: LogSubscriptionFilter;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Network: ResolverTypeWrapper<{}>;
  PendingTransactionFilter: PendingTransactionFilter;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Receipt: ResolverTypeWrapper<RpcReceipt>;
  Reorg: ResolverTypeWrapper<ReorgEvent>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  SyncState: ResolverTypeWrapper<RpcSyncState>;
  Transaction: ResolverTypeWrapper<PartialTransaction>;
  TransactionState: TransactionState;
  TransactionStatus: TransactionStatus;
  TransactionStatusUpdate: ResolverTypeWrapper<StatusUpdate>;
  Withdrawal: ResolverTypeWrapper<RpcWithdrawal>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AccessTuple: RpcAccessTuple;
  Account: AccountAtBlock;
  String: Scalars['String']['output'];
  Address: Scalars['Address']['output'];
  BigInt: Scalars['BigInt']['output'];
  Block: ChainBlock;
  Boolean: Scalars['Boolean']['output'];
  BlockFilterCriteria: BlockFilterCriteria;
  BlockHeader: AnnouncedHeader;
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  FilterCriteria: FilterCriteria;
  Header: ResolversInterfaceTypes<ResolversParentTypes>['Header'];
  Log: RpcLog;
  LogSubscriptionFilter: LogSubscriptionFilter;
  Long: Scalars['Long']['output'];
  Mutation: Record<PropertyKey, never>;
  Network: {};
  PendingTransactionFilter: PendingTransactionFilter;
  Query: Record<PropertyKey, never>;
  Receipt: RpcReceipt;
  Reorg: ReorgEvent;
  Int: Scalars['Int']['output'];
  Subscription: Record<PropertyKey, never>;
  SyncState: RpcSyncState;
  Transaction: PartialTransaction;
  TransactionStatusUpdate: StatusUpdate;
  Withdrawal: RpcWithdrawal;
};

export type AccessTupleResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccessTuple'] = ResolversParentTypes['AccessTuple']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  storageKeys?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type AccountResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  balance?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  code?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  storage?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<AccountStorageArgs, 'slot'>>;
  transactionCount?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type BlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Block'] = ResolversParentTypes['Block'], FederationReferenceType extends FederationReferenceTypes['Block'] = FederationReferenceTypes['Block']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Block']> | FederationReferenceType, FederationReferenceType, ContextType>;
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, RequireFields<BlockAccountArgs, 'address'>>;
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockAccessListHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  confirmations?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  excessBlobGas?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  finalized?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, RequireFields<BlockLogsArgs, 'filter'>>;
  logsBloom?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  miner?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<BlockMinerArgs>>;
  mixHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  nextBaseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  ommerAt?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType, RequireFields<BlockOmmerAtArgs, 'index'>>;
  ommerCount?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  ommerHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  ommerHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  ommers?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Block']>>>, ParentType, ContextType>;
  parent?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  parentHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receipts?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Receipt']>>, ParentType, ContextType>;
  receiptsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  size?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  slotNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  stateRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  timestampISO?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  totalDifficulty?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  transactionAt?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType, RequireFields<BlockTransactionAtArgs, 'index'>>;
  transactionCount?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  transactionHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  transactions?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Transaction']>>, ParentType, ContextType>;
  transactionsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  withdrawals?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Withdrawal']>>, ParentType, ContextType>;
  withdrawalsRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type BlockHeaderResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlockHeader'] = ResolversParentTypes['BlockHeader']> = {
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  logsBloom?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  miner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<BlockHeaderMinerArgs>>;
  nonce?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  ommerHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  parentHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receiptsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  replaces?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  stateRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  transactionsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface Bytes32ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes32'], any> {
  name: 'Bytes32';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type HeaderResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Header'] = ResolversParentTypes['Header']> = {
  __resolveType: TypeResolveFn<'Block' | 'BlockHeader', ParentType, ContextType>;
};

export type LogResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Log'] = ResolversParentTypes['Log']> = {
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<LogAccountArgs>>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  cursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  topics?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  transaction?: Resolver<ResolversTypes['Transaction'], ParentType, ContextType>;
  transactionHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  transactionIndex?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export type MutationResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  sendRawTransaction?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<MutationSendRawTransactionArgs, 'data'>>;
};

export type NetworkResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Network'] = ResolversParentTypes['Network']> = {
  accounts?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Address']>>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  listening?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  networkID?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  protocolVersion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  account?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, RequireFields<QueryAccountArgs, 'address'>>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType, Partial<QueryBlockArgs>>;
  blocks?: Resolver<ReadonlyArray<ResolversTypes['Block']>, ParentType, ContextType, Partial<QueryBlocksArgs>>;
  chainID?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  gasPrice?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, RequireFields<QueryLogsArgs, 'filter'>>;
  maxPriorityFeePerGas?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  network?: Resolver<Maybe<ResolversTypes['Network']>, ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType, RequireFields<QueryReceiptArgs, 'hash'>>;
  syncing?: Resolver<Maybe<ResolversTypes['SyncState']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType, RequireFields<QueryTransactionArgs, 'hash'>>;
};

export type ReceiptResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Receipt'] = ResolversParentTypes['Receipt'], FederationReferenceType extends FederationReferenceTypes['Receipt'] = FederationReferenceTypes['Receipt']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Receipt']> | FederationReferenceType, FederationReferenceType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  contract?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<ReceiptContractArgs>>;
  cumulativeGasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  effectiveGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<ReceiptFromArgs>>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, Partial<ReceiptLogsArgs>>;
  logsBloom?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  root?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  succeeded?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<ReceiptToArgs>>;
  transaction?: Resolver<ResolversTypes['Transaction'], ParentType, ContextType>;
  transactionHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  transactionIndex?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type ReorgResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Reorg'] = ResolversParentTypes['Reorg']> = {
  added?: Resolver<ReadonlyArray<ResolversTypes['BlockHeader']>, ParentType, ContextType>;
  commonAncestor?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  depth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  dropped?: Resolver<ReadonlyArray<ResolversTypes['BlockHeader']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  logs?: SubscriptionResolver<ResolversTypes['Log'], "logs", ParentType, ContextType, Partial<SubscriptionLogsArgs>>;
  newHeads?: SubscriptionResolver<ResolversTypes['BlockHeader'], "newHeads", ParentType, ContextType, Partial<SubscriptionNewHeadsArgs>>;
  pendingTransactions?: SubscriptionResolver<ResolversTypes['Transaction'], "pendingTransactions", ParentType, ContextType, Partial<SubscriptionPendingTransactionsArgs>>;
  reorgs?: SubscriptionResolver<ResolversTypes['Reorg'], "reorgs", ParentType, ContextType>;
  transactionStatus?: SubscriptionResolver<ResolversTypes['TransactionStatusUpdate'], "transactionStatus", ParentType, ContextType, RequireFields<SubscriptionTransactionStatusArgs, 'confirmations' | 'hash'>>;
};

export type SyncStateResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SyncState'] = ResolversParentTypes['SyncState']> = {
  currentBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  highestBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  startingBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type TransactionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Transaction'] = ResolversParentTypes['Transaction'], FederationReferenceType extends FederationReferenceTypes['Transaction'] = FederationReferenceTypes['Transaction']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Transaction']> | FederationReferenceType, FederationReferenceType, ContextType>;
  accessList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AccessTuple']>>, ParentType, ContextType>;
  blobGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blobVersionedHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  confirmations?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  createdContract?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<TransactionCreatedContractArgs>>;
  cumulativeGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  effectiveGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  effectiveTip?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<TransactionFromArgs>>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasPrice?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  gasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  index?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  inputData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  logs?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Log']>>, ParentType, ContextType>;
  maxFeePerBlobGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxPriorityFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  r?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType>;
  s?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['TransactionState'], ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<TransactionToArgs>>;
  type?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  v?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  yParity?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type TransactionStatusUpdateResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TransactionStatusUpdate'] = ResolversParentTypes['TransactionStatusUpdate']> = {
  confirmations?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType>;
  replacedBy?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['TransactionStatus'], ParentType, ContextType>;
  succeeded?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
};

export type WithdrawalResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Withdrawal'] = ResolversParentTypes['Withdrawal']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  amount?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  validator?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type Resolvers<ContextType = ChainContext> = {
  AccessTuple?: AccessTupleResolvers<ContextType>;
  Account?: AccountResolvers<ContextType>;
  Address?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  Block?: BlockResolvers<ContextType>;
  BlockHeader?: BlockHeaderResolvers<ContextType>;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  Header?: HeaderResolvers<ContextType>;
  Log?: LogResolvers<ContextType>;
  Long?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  Network?: NetworkResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Receipt?: ReceiptResolvers<ContextType>;
  Reorg?: ReorgResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  SyncState?: SyncStateResolvers<ContextType>;
  Transaction?: TransactionResolvers<ContextType>;
  TransactionStatusUpdate?: TransactionStatusUpdateResolvers<ContextType>;
  Withdrawal?: WithdrawalResolvers<ContextType>;
};

