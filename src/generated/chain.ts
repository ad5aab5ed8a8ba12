import type { AbiInput } from '../ethereum/abi/writer.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AccountAtBlock, ChainBlock, ExecutedRead, DuelKey, SubmittedTransaction, CallInSimulation, BlockInSimulation, TransactionInSimulation, LogInSimulation, TransferInSimulation, AccessListAtBlock, BlockPage, BlockPageEdge, ExecutedCall, LogConnectionModel, LogEdgeModel, TokenKey, TokenTransferConnectionModel, TokenTransferEdgeModel, PartialTransaction, BlockTransactionsPage, TransactionPageEdge, TransactionPage } from '../domains/chain/model.ts';
import type { RpcAccountAccess, RpcSlotChanges } from '../ethereum/block-access-list.ts';
import type { RpcAccessTuple, RpcAuthorization, RpcLog, RpcPendingBlock, RpcReceipt, RpcSyncState, RpcWithdrawal } from '../ethereum/rpc-types.ts';
import type { RpcAccountProof } from '../ethereum/account-proof.ts';
import type { AbiArgument, DecodedAbi } from '../ethereum/abi/registry.ts';
import type { FeeHistoryRange, FeeHistoryRow } from '../domains/chain/node/load.ts';
import type { SimulationAtBlock } from '../domains/chain/call/simulate.ts';
import type { AnnouncedHeader, ReorgEvent } from '../domains/chain/subscriptions/heads.ts';
import type { PendingPlan } from '../domains/chain/transaction/plan.ts';
import type { ChainService, ChainContext } from '../domains/chain/load.ts';
import type { AccountDiff as AccountDiffModel } from '../ethereum/state-diff.ts';
import type { CallFrame as CallFrameModel } from '../ethereum/call-frames.ts';
import type { Execution, TransactionCalls } from '../domains/chain/trace/load.ts';
import type { RawStructLog } from '../domains/chain/trace/resolve.ts';
import type { TokenTransfer as TokenTransferModel } from '../ethereum/tokens.ts';
import type { StatusUpdate } from '../domains/chain/subscriptions/transaction-status/status.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * An argument of a contract function, only as input. Integers: a JSON integer, a decimal string with a minus sign when negative, or a 0x-prefixed hex
   * string; `bool`: a boolean; addresses, bytes and strings: a string; an array: a list; a tuple: a list of its members in order.
   */
  AbiValue: { input: AbiInput; output: AbiInput; }
  /** A 20-byte account address as 0x-prefixed hex. Input: either case; mixed case must be a correct EIP-55 checksum. Output: lower case. */
  Address: { input: string; output: string; }
  /**
   * An unsigned integer of up to 256 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  BigInt: { input: string; output: string; }
  /** Bytes of any length as 0x-prefixed hex with an even number of digits; empty is `0x`. Output: lower case. */
  Bytes: { input: string; output: string; }
  /** Exactly 32 bytes as 0x-prefixed hex. Input: 64 digits in either case. Output: lower case, always 66 characters. */
  Bytes32: { input: string; output: string; }
  /** Id of a chain (EIP-155). Input: a JSON integer, a decimal string or a 0x-prefixed hex string. Output: 0x-prefixed hex without leading zeros. */
  ChainId: { input: string; output: string; }
  /** An instant in UTC as ISO 8601, for example `2026-01-01T00:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /**
   * An integer of any size as a decimal string, without loss of precision. Input: a JSON integer or a decimal string, with a minus sign when negative;
   * at most 1,000 digits.
   */
  Decimal: { input: string; output: string; }
  /**
   * An unsigned integer of up to 64 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  Long: { input: string; output: string; }
  _FieldSet: { input: string; output: string; }
};

/**
 * The accounts and storage slots that a call reads and writes, as an access list (EIP-2930). Passing the list in a transaction can lower its gas.
 * Source: `eth_createAccessList`.
 */
export type AccessListResult = {
  /** Contracts and their storage slots. */
  readonly accessList: ReadonlyArray<AccessTuple>;
  /** Gas that the call used with the access list. */
  readonly gasUsed: Scalars['Long']['output'];
  /** The error with which the call failed, decoded as for `revertReason`, in one call with it. Null for a payload that no ABI or several ABIs describe. */
  readonly revertError?: Maybe<DecodedError>;
  /**
   * Text of `Error(string)`, code and meaning of `Panic(uint256)`, or a custom error by the ABIs of `ABI_DIR` and of the standards. Null when the call
   * succeeded, and for any other failure. Source: `eth_call`, only for a failed call.
   */
  readonly revertReason?: Maybe<Scalars['String']['output']>;
  /** 1 when the call succeeded, 0 when it failed; the list then ends at the failure. */
  readonly status: Scalars['Long']['output'];
};

/** One contract of an access list, with its storage slots (EIP-2930). */
export type AccessTuple = {
  /** Address of the contract. */
  readonly address: Scalars['Address']['output'];
  /** Storage slots of that contract. */
  readonly storageKeys: ReadonlyArray<Scalars['Bytes32']['output']>;
};

/** One contract of an access list, with its storage slots (EIP-2930). */
export type AccessTupleInput = {
  /** Address of the contract. */
  readonly address: Scalars['Address']['input'];
  /** Storage slots of that contract. */
  readonly storageKeys: ReadonlyArray<Scalars['Bytes32']['input']>;
};

/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type Account = {
  /** Hash or height of the block at which the state is read, or `pending`; the operation's block when null. */
  readonly _at?: Maybe<Scalars['String']['output']>;
  /** Address of the account. */
  readonly address: Scalars['Address']['output'];
  /**
   * Value of a storage slot of an element of a Solidity array; the whole slot also where it has several elements. All zeros when the element was never set.
   * Source: `eth_getStorageAt`.
   */
  readonly arrayStorage: Scalars['Bytes32']['output'];
  /** Balance in wei. */
  readonly balance: Scalars['BigInt']['output'];
  /**
   * Balance in a unit: an exact decimal number without trailing zeros, such as `1.5`.
   * Source: `eth_getBalance`, in one call with `balance`.
   */
  readonly balanceIn: Scalars['String']['output'];
  /** Deployed code; `0x` for an account without code. */
  readonly code: Scalars['Bytes']['output'];
  /**
   * Identity for client caches: the address and the block at which the state is read, so that the account at another block is another object. The block is
   * its hash, or its height where the hash is not known without a request; at the head the hash of the operation's block, after `pending` for the pending state.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * Whether the account has code of its own. False for an account that delegates to a contract (EIP-7702), which its key still controls: its `code` is
   * `0xef0100` and the address of the contract. Source: `eth_getCode`, in one call with `code`.
   */
  readonly isContract: Scalars['Boolean']['output'];
  /**
   * Value of an element of a Solidity mapping: the storage slot keccak(key . slot), with key and slot padded to 32 bytes on the left. For a nested
   * mapping, pass one key for each level. All zeros when the element was never set. Source: `eth_getStorageAt`.
   */
  readonly mappingStorage: Scalars['Bytes32']['output'];
  /**
   * Merkle proof of the account and of storage slots against the `stateRoot` of the block. The server verifies the proof
   * only for requests with `x-graph-verify: state`. An error with
   * METHOD_NOT_SUPPORTED when the node has no `eth_getProof`.
   */
  readonly proof?: Maybe<AccountProof>;
  /**
   * Calls a function of the account's contract, without a transaction, and decodes the outputs. All reads of an operation share one request, and equal reads
   * are sent once. Null with an error where the call cannot start, as for `Block.call`. BAD_USER_INPUT, before any call, for an unknown or ambiguous `function`
   * and for arguments that do not have its types; the message has their position, such as `args[1][0]`. Source: `eth_call` at the block of the account.
   */
  readonly read?: Maybe<ContractRead>;
  /** Value of one storage slot; all zeros when it was never set. */
  readonly storage: Scalars['Bytes32']['output'];
  /**
   * Values of storage slots, in their order. Source: `eth_getStorageValues`, one call for all accounts at a block; `eth_getStorageAt` for each slot on a node
   * without the method, in one request.
   */
  readonly storageMany: ReadonlyArray<Scalars['Bytes32']['output']>;
  /** Number of transactions sent; for a contract, number of contracts created. Also called the nonce. */
  readonly transactionCount: Scalars['Long']['output'];
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountArrayStorageArgs = {
  elementSize?: Scalars['Int']['input'];
  fixed?: Scalars['Boolean']['input'];
  index: Scalars['BigInt']['input'];
  slot: Scalars['BigInt']['input'];
  word?: Scalars['Int']['input'];
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountBalanceInArgs = {
  unit?: Unit;
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountMappingStorageArgs = {
  keys: ReadonlyArray<Scalars['Bytes']['input']>;
  slot: Scalars['BigInt']['input'];
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountProofArgs = {
  storageKeys?: ReadonlyArray<Scalars['Bytes32']['input']>;
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountReadArgs = {
  args?: ReadonlyArray<Scalars['AbiValue']['input']>;
  from?: InputMaybe<Scalars['Address']['input']>;
  function: Scalars['String']['input'];
  value?: InputMaybe<Scalars['BigInt']['input']>;
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountStorageArgs = {
  slot: Scalars['Bytes32']['input'];
};


/**
 * An account with its state at one block: below `Block.account` that block, below `Pending.account` the pending state, otherwise the most recent block, or the
 * height in the argument `block` of a field that has one, such as `Receipt.from`. For the state at another block, use `block { account }`.
 * Selecting only `address` sends no request to the node.
 */
export type AccountStorageManyArgs = {
  slots: ReadonlyArray<Scalars['Bytes32']['input']>;
};

/** What the transactions of a block read and changed of one account (EIP-7928). */
export type AccountAccess = {
  /** Address of the account. */
  readonly address: Scalars['Address']['output'];
  /** Balances after each change. */
  readonly balanceChanges: ReadonlyArray<BalanceChange>;
  /** Code after each change. */
  readonly codeChanges: ReadonlyArray<CodeChange>;
  /** Nonces after each change. */
  readonly nonceChanges: ReadonlyArray<NonceChange>;
  /** Storage slots that were changed, ascending. */
  readonly storageChanges: ReadonlyArray<SlotChanges>;
  /** Storage slots that were read and not changed, ascending. */
  readonly storageReads: ReadonlyArray<Scalars['Bytes32']['output']>;
};

/** What a transaction changed of an account. Both values are null where it did not change a value; a value before the account existed is zero. */
export type AccountDiff = {
  /** The account. */
  readonly account: Account;
  /** Address of the account. */
  readonly address: Scalars['Address']['output'];
  /** Balance in wei after it. Null if unchanged. */
  readonly balanceAfter?: Maybe<Scalars['BigInt']['output']>;
  /** Balance in wei before the transaction. Null if unchanged. */
  readonly balanceBefore?: Maybe<Scalars['BigInt']['output']>;
  /** Code after it. Null if unchanged. */
  readonly codeAfter?: Maybe<Scalars['Bytes']['output']>;
  /** Code before the transaction. Null if unchanged. */
  readonly codeBefore?: Maybe<Scalars['Bytes']['output']>;
  /** Nonce after it. Null if unchanged. */
  readonly nonceAfter?: Maybe<Scalars['Long']['output']>;
  /** Nonce before the transaction. Null if unchanged. */
  readonly nonceBefore?: Maybe<Scalars['Long']['output']>;
  /** The storage slots that it changed, by slot. */
  readonly storage: ReadonlyArray<StorageDiff>;
};


/** What a transaction changed of an account. Both values are null where it did not change a value; a value before the account existed is zero. */
export type AccountDiffAccountArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** The state of an account in a simulation. An omitted field keeps its value. */
export type AccountOverride = {
  /** The account. */
  readonly address: Scalars['Address']['input'];
  /** Balance in wei. */
  readonly balance?: InputMaybe<Scalars['BigInt']['input']>;
  /** Code. `0x` removes the code. */
  readonly code?: InputMaybe<Scalars['Bytes']['input']>;
  /** Moves the precompiled contract of the address to this address, before `code` takes effect. BAD_USER_INPUT if the address has none. */
  readonly movePrecompileTo?: InputMaybe<Scalars['Address']['input']>;
  /** Number of transactions sent. */
  readonly nonce?: InputMaybe<Scalars['Long']['input']>;
  /** The whole storage: all other slots are zero. Excludes `stateDiff`. BAD_USER_INPUT if a slot occurs twice. */
  readonly state?: InputMaybe<ReadonlyArray<StorageValueInput>>;
  /** Single storage slots: all others keep their values. BAD_USER_INPUT if a slot occurs twice. */
  readonly stateDiff?: InputMaybe<ReadonlyArray<StorageValueInput>>;
};

/** Merkle proof of an account in the state after a block (EIP-1186). Source: `eth_getProof`. */
export type AccountProof = {
  /** RLP-encoded nodes of the state trie, from the root along the Keccak-256 hash of the address. */
  readonly accountProof: ReadonlyArray<Scalars['Bytes']['output']>;
  /** Address of the account. */
  readonly address: Scalars['Address']['output'];
  /** Balance in wei. */
  readonly balance: Scalars['BigInt']['output'];
  /** Keccak-256 of the account's code, or of no bytes for an account without code. Some nodes return zeros for an account that does not exist. */
  readonly codeHash: Scalars['Bytes32']['output'];
  /** Number of transactions sent. */
  readonly nonce: Scalars['Long']['output'];
  /** Root of the account's storage trie. Some nodes return zeros for an account that does not exist. */
  readonly storageHash: Scalars['Bytes32']['output'];
  /** Proofs of the requested storage slots, in the order of the request. */
  readonly storageProof: ReadonlyArray<StorageProof>;
};

/** What a block has on a chain of Arbitrum, beside the fields of Ethereum. */
export type ArbitrumBlock = {
  /** Height of L1 that the block knows. */
  readonly l1BlockNumber: Scalars['Long']['output'];
  /** Number of messages from the L2 to L1 up to this block. Null where the node does not return it. */
  readonly sendCount?: Maybe<Scalars['Long']['output']>;
  /** Root of the Merkle tree of messages from the L2 to L1. Null where the node does not return it. */
  readonly sendRoot?: Maybe<Scalars['Bytes32']['output']>;
};

/** What the receipt of a transaction has on a chain of Arbitrum, beside the fields of Ethereum. */
export type ArbitrumReceipt = {
  /** Part of `gasUsed` that pays for the data of the transaction on L1. */
  readonly gasUsedForL1: Scalars['Long']['output'];
  /** Height of L1 that the transaction knew. Null where the node does not return it. */
  readonly l1BlockNumber?: Maybe<Scalars['Long']['output']>;
};

/**
 * What a transaction has that only Arbitrum knows: a deposit (type 0x64), a call from a contract on L1 (0x66), the submission of a retryable ticket (0x69) or its
 * execution (0x68). Each field is null for the types without it.
 */
export type ArbitrumTransaction = {
  /** The account that receives the value of a ticket that expires or is cancelled. */
  readonly beneficiary?: Maybe<Scalars['Address']['output']>;
  /** Wei that L1 sends with the submission of a ticket. */
  readonly depositValue?: Maybe<Scalars['BigInt']['output']>;
  /** Base fee of L1 in wei per gas at the submission of a ticket. */
  readonly l1BaseFee?: Maybe<Scalars['BigInt']['output']>;
  /** Highest refund in wei to `refundTo`. */
  readonly maxRefund?: Maybe<Scalars['BigInt']['output']>;
  /** Highest fee in wei for the storage of the ticket. */
  readonly maxSubmissionFee?: Maybe<Scalars['BigInt']['output']>;
  /** The account that receives what gas and storage do not use. */
  readonly refundTo?: Maybe<Scalars['Address']['output']>;
  /** Identifies the message from L1 that caused the transaction. */
  readonly requestId?: Maybe<Scalars['Bytes32']['output']>;
  /** Call data of the ticket. */
  readonly retryData?: Maybe<Scalars['Bytes']['output']>;
  /** The account that the ticket calls. Null for the creation of a contract. */
  readonly retryTo?: Maybe<Scalars['Address']['output']>;
  /** Wei that the ticket sends with its call. */
  readonly retryValue?: Maybe<Scalars['BigInt']['output']>;
  /** Wei that the execution refunds of the submission fee. */
  readonly submissionFeeRefund?: Maybe<Scalars['BigInt']['output']>;
  /** The ticket that is executed. */
  readonly ticketId?: Maybe<Scalars['Bytes32']['output']>;
};

/** A signed delegation of an account to the code of a contract (EIP-7702). */
export type Authorization = {
  /** Contract to whose code the account delegates; the zero address ends a delegation. */
  readonly address: Scalars['Address']['output'];
  /**
   * The account that delegates, which the server computes from the signature. Null for a signature of no account, which has no effect. Whether an authorization
   * took effect is visible in `code` of the account.
   */
  readonly authority?: Maybe<Account>;
  /** Id of the chain on which it is valid; 0 for every chain. */
  readonly chainID: Scalars['BigInt']['output'];
  /** Number of transactions that the account must have sent; otherwise the authorization has no effect. */
  readonly nonce: Scalars['Long']['output'];
  /** ECDSA signature: r. */
  readonly r: Scalars['BigInt']['output'];
  /** ECDSA signature: s. */
  readonly s: Scalars['BigInt']['output'];
  /** ECDSA signature: parity of the curve point's y. */
  readonly yParity: Scalars['BigInt']['output'];
};


/** A signed delegation of an account to the code of a contract (EIP-7702). */
export type AuthorizationAuthorityArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** A signed delegation of an account to the code of a contract (EIP-7702). */
export type AuthorizationInput = {
  /** Contract to whose code the account delegates. */
  readonly address: Scalars['Address']['input'];
  /** Id of the chain on which it is valid; 0 for every chain. */
  readonly chainID: Scalars['BigInt']['input'];
  /** Number of transactions that the account must have sent. */
  readonly nonce: Scalars['Long']['input'];
  /** ECDSA signature: r. */
  readonly r: Scalars['BigInt']['input'];
  /** ECDSA signature: s. */
  readonly s: Scalars['BigInt']['input'];
  /** ECDSA signature: parity of the curve point's y. */
  readonly yParity: Scalars['BigInt']['input'];
};

/** The balance of an account after a change. */
export type BalanceChange = {
  /** When it changed, as `StorageChange.index`. */
  readonly index: Scalars['Long']['output'];
  /** Balance in wei. */
  readonly value: Scalars['BigInt']['output'];
};

/** Limits on the blobs of a block (EIP-7840). */
export type BlobSchedule = {
  /** Divisor of the change of the base fee of blobs. */
  readonly baseFeeUpdateFraction: Scalars['Long']['output'];
  /** Maximum number of blobs. */
  readonly max: Scalars['Int']['output'];
  /** Number of blobs at which the base fee of blobs stays as it is. */
  readonly target: Scalars['Int']['output'];
};

/** A mined block. */
export type Block = Header & {
  /**
   * What the transactions of the block read and changed, by account, ascending (EIP-7928). The server checks the list against `blockAccessListHash`. Null where
   * the header has no such hash; BLOCK_NOT_AVAILABLE if the node no longer has the list. Source: `eth_getBlockAccessList`, else
   * `eth_getBlockAccessListByBlockHash`, one call; METHOD_NOT_SUPPORTED on a node with neither.
   */
  readonly accessList?: Maybe<ReadonlyArray<AccountAccess>>;
  /** An account with its state after the block. */
  readonly account: Account;
  /** Messages to L1 of a chain of Arbitrum. Null on any other chain. */
  readonly arbitrum?: Maybe<ArbitrumBlock>;
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Blob gas that the block's transactions used. Null before Cancun. */
  readonly blobGasUsed?: Maybe<Scalars['Long']['output']>;
  /** Hash of the block's access list (EIP-7928). Null where the header has none. */
  readonly blockAccessListHash?: Maybe<Scalars['Bytes32']['output']>;
  /**
   * Executes a message call with the state after the block. A revert is a result with status 0, not an error. Null with an error for a call that
   * cannot start, such as one whose sender cannot pay for it. Source: `eth_call`.
   */
  readonly call?: Maybe<CallResult>;
  /**
   * Number of blocks from this one to the head of the chain, both included: 1 for the head. The head is the block in `extensions.block`. Null for an
   * ommer, for a block that a reorg removed, and for a block above the head.
   */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** Proof-of-work difficulty; zero since the merge, and where the node returns none. */
  readonly difficulty: Scalars['BigInt']['output'];
  /**
   * Gas that a transaction with this call needs, estimated with the state after the block; at most the given gas, or the block's limit when none is given.
   * EXECUTION_REVERTED, with the payload of the revert in `data` and its text in `reason`, when the call fails. Source: `eth_estimateGas`.
   */
  readonly estimateGas: Scalars['Long']['output'];
  /** Running total of the blob gas used above the target, before this block. Null before Cancun. */
  readonly excessBlobGas?: Maybe<Scalars['Long']['output']>;
  /**
   * Each step of the execution of each transaction, in order; the options are those of `Transaction.executionTrace`. Null for an ommer. Source: one call of
   * `debug_traceBlockByHash`, else one of `debug_traceTransaction` for each transaction; METHOD_NOT_SUPPORTED on a node with neither. RESULT_TOO_LARGE for more bytes than the server accepts.
   */
  readonly executionTraces?: Maybe<ReadonlyArray<ExecutionTrace>>;
  /** Arbitrary bytes set by the block's producer; `0x` where the node returns none. */
  readonly extraData: Scalars['Bytes']['output'];
  /**
   * Whether the block is final: a reorg cannot remove it without slashing. False for a block that a reorg removed, null on a chain without finality.
   * Source: `eth_getBlockByNumber("finalized")`, requested at most once per head.
   */
  readonly finalized?: Maybe<Scalars['Boolean']['output']>;
  /** Maximum total gas of the block's transactions. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Identity for client caches: the hash of the block. */
  readonly id: Scalars['ID']['output'];
  /** The block's event logs that match a filter, in order. */
  readonly logs: ReadonlyArray<Log>;
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** The account that received the block's fees. */
  readonly miner: Account;
  /** Proof-of-work mix hash; the beacon chain's randomness since the merge. All zeros where the node returns none. */
  readonly mixHash: Scalars['Bytes32']['output'];
  /**
   * Base fee of the next block in wei per gas; for the most recent block, the node's prediction. Null before London, for a block that a reorg removed, and
   * where the node has no prediction.
   */
  readonly nextBaseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Proof-of-work nonce, 8 bytes; all zeros since the merge, and where the node returns none. */
  readonly nonce: Scalars['Bytes']['output'];
  /** Height of the block; the genesis block is 0. */
  readonly number: Scalars['Long']['output'];
  /** One ommer by position. Null when out of bounds. An ommer has no transactions. */
  readonly ommerAt?: Maybe<Block>;
  /** Number of ommers that the block lists. Null when the node does not return the list. */
  readonly ommerCount?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the list of ommers, or of an empty list where the node returns none, as on chains without ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hashes of the ommers that the block lists. */
  readonly ommerHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The ommers that the block lists. Null when the node does not return the list; an entry is null when the node no longer has that block. */
  readonly ommers?: Maybe<ReadonlyArray<Maybe<Block>>>;
  /** The parent block. Null for the genesis block. */
  readonly parent?: Maybe<Block>;
  /** Root of the parent beacon block (EIP-4788). Null before Cancun. */
  readonly parentBeaconBlockRoot?: Maybe<Scalars['Bytes32']['output']>;
  /** Hash of the parent block; all zeros for the genesis block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /**
   * The RLP-encoded block: header, transactions, ommers and, since Shanghai, withdrawals. The server encodes the node's values and checks them against `hash` and
   * the roots in the header. Each ommer is one call. `0x` for an ommer, whose contents are unknown.
   */
  readonly raw: Scalars['Bytes']['output'];
  /** The RLP-encoded header. The server encodes the node's values and checks the result against `hash`. */
  readonly rawHeader: Scalars['Bytes']['output'];
  /** Receipts of the block's transactions in order. Null for an ommer. */
  readonly receipts?: Maybe<ReadonlyArray<Receipt>>;
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** SHA-256 of the block's requests to the consensus layer: deposits, withdrawals and consolidations (EIP-7685). Null before Prague. */
  readonly requestsHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Size of the encoded block in bytes. */
  readonly size?: Maybe<Scalars['Long']['output']>;
  /** Beacon chain slot of the block (EIP-7843). Null where the header has none. */
  readonly slotNumber?: Maybe<Scalars['Long']['output']>;
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** Time of the block in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Time of the block. The last second of the year 9999 for every later time, as of a chain that counts milliseconds. */
  readonly timestampISO: Scalars['DateTime']['output'];
  /** Sum of the difficulties up to this block. Null where the node does not return it. */
  readonly totalDifficulty?: Maybe<Scalars['BigInt']['output']>;
  /**
   * The calls of each transaction, in order. Null for an ommer. Source: one call of `debug_traceBlockByHash` with `callTracer`, else of `trace_block`, else one for
   * each transaction as for `Transaction.trace`; none for a block without transactions. METHOD_NOT_SUPPORTED on a node that has none of these methods, HISTORY_PRUNED
   * where the node no longer has the state before the block.
   */
  readonly traces?: Maybe<ReadonlyArray<TransactionTrace>>;
  /** One transaction by position. Null when out of bounds, and for an ommer. */
  readonly transactionAt?: Maybe<Transaction>;
  /** Number of transactions in the block. Null for an ommer. */
  readonly transactionCount?: Maybe<Scalars['Long']['output']>;
  /** Hashes of the block's transactions in order. Null for an ommer. */
  readonly transactionHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The block's transactions in order. Selecting only their hashes is much cheaper. Null for an ommer. */
  readonly transactions?: Maybe<ReadonlyArray<Transaction>>;
  /** A page of the block's transactions that match a filter, in order. Costs what `transactions` does. Null for an ommer. */
  readonly transactionsConnection?: Maybe<TransactionConnection>;
  /** Root of the trie of the block's transactions. */
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
export type BlockCallArgs = {
  data: CallData;
};


/** A mined block. */
export type BlockEstimateGasArgs = {
  data: CallData;
};


/** A mined block. */
export type BlockExecutionTracesArgs = {
  disableStack?: InputMaybe<Scalars['Boolean']['input']>;
  disableStorage?: InputMaybe<Scalars['Boolean']['input']>;
  enableMemory?: InputMaybe<Scalars['Boolean']['input']>;
  enableReturnData?: InputMaybe<Scalars['Boolean']['input']>;
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


/** A mined block. */
export type BlockTransactionsConnectionArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of blocks, oldest first. */
export type BlockConnection = {
  /** The blocks of the page with their cursors. */
  readonly edges: ReadonlyArray<BlockEdge>;
  /** The blocks of the page. Selecting only `number` costs no request. */
  readonly nodes: ReadonlyArray<Maybe<Block>>;
  /** Where the page lies in the range. */
  readonly pageInfo: PageInfo;
  /** Number of blocks of the whole range, up to the most recent one. Costs no request beside that for the head. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A block of a page. */
export type BlockEdge = {
  /** Position of the block: its height and its hash. */
  readonly cursor: Scalars['String']['output'];
  /** The block. */
  readonly node?: Maybe<Block>;
};

/** Filter for the logs of one block. An omitted field matches any log. */
export type BlockFilterCriteria = {
  /** Contracts that emitted the logs; empty or omitted matches any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /**
   * Topics by position, at most four positions. An empty position matches any topic, several values in one position are alternatives, and a log
   * may have more topics: `[[], ["0xB…"]]` matches any first topic and B as the second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

/** The header of a block as the node announced it. Its own fields need no request to the node. */
export type BlockHeader = Header & {
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** The whole block. Fields that the header contains need no request. Null when the node no longer has the block, for example after a reorg. */
  readonly block?: Maybe<Block>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Arbitrary bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /** Maximum total gas of the block's transactions. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. `newHeads(after:)` resumes after it. */
  readonly hash: Scalars['Bytes32']['output'];
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** The account that received the block's fees. */
  readonly miner?: Maybe<Account>;
  /** Proof-of-work nonce, 8 bytes; all zeros since the merge. */
  readonly nonce?: Maybe<Scalars['Bytes']['output']>;
  /** Height of the block. */
  readonly number: Scalars['Long']['output'];
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hash of the parent block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** True when this block replaced another canonical block of its height, also when this subscription did not deliver the other block. */
  readonly replaces: Scalars['Boolean']['output'];
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** Time of the block in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Root of the trie of the block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
};


/** The header of a block as the node announced it. Its own fields need no request to the node. */
export type BlockHeaderMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** Values of a simulated block. An omitted field has the value that the node computes. */
export type BlockOverrides = {
  /** Base fee in wei per gas. When omitted, zero, with `validation` the base fee that follows from the previous block. */
  readonly baseFeePerGas?: InputMaybe<Scalars['BigInt']['input']>;
  /** Base fee in wei per blob gas. */
  readonly blobBaseFee?: InputMaybe<Scalars['BigInt']['input']>;
  /** The account that receives the fees. */
  readonly feeRecipient?: InputMaybe<Scalars['Address']['input']>;
  /** Maximum total gas of the calls, at least 21,000 if the block has calls. */
  readonly gasLimit?: InputMaybe<Scalars['Long']['input']>;
  /**
   * Height, above the height of the previous block. The node inserts empty blocks in between, at most 256 blocks in all; these are in the result. One above the previous height
   * when omitted.
   */
  readonly number?: InputMaybe<Scalars['Long']['input']>;
  /** Root of the parent beacon block (EIP-4788). Few nodes accept it. */
  readonly parentBeaconBlockRoot?: InputMaybe<Scalars['Bytes32']['input']>;
  /** Randomness of the block: the opcode PREVRANDAO. */
  readonly prevRandao?: InputMaybe<Scalars['Bytes32']['input']>;
  /** Time in seconds since 1970, after the time of the previous block. Some nodes add twelve seconds when omitted, others one. */
  readonly timestamp?: InputMaybe<Scalars['Long']['input']>;
  /** Withdrawals from the beacon chain, at most 16. Few nodes accept them. */
  readonly withdrawals?: InputMaybe<ReadonlyArray<WithdrawalInput>>;
};

/** A range of blocks. */
export type BlockRange = {
  /** Lowest height of the range. */
  readonly first: Scalars['Long']['output'];
  /** Highest height of the range: the most recent block. */
  readonly last: Scalars['Long']['output'];
};

/** Tags that always denote a mined block. */
export type BlockTag =
  /** The first block that the node has, usually the genesis block. */
  | 'EARLIEST'
  /** The most recent block that no reorg can remove without slashing. */
  | 'FINALIZED'
  /** The most recent block. */
  | 'LATEST'
  /** The most recent block that no reorg removes as long as a majority of validators is honest. */
  | 'SAFE';

/** A message call to execute without a transaction. All fields may be omitted; amounts default to zero. */
export type CallData = {
  /** Accounts and storage slots that the call declares (EIP-2930). */
  readonly accessList?: InputMaybe<ReadonlyArray<AccessTupleInput>>;
  /** Delegations of accounts to contracts that the call carries (EIP-7702). */
  readonly authorizationList?: InputMaybe<ReadonlyArray<AuthorizationInput>>;
  /** Hashes of the blobs that the call carries (EIP-4844). */
  readonly blobVersionedHashes?: InputMaybe<ReadonlyArray<Scalars['Bytes32']['input']>>;
  /** Call data, or the initialisation code of a contract creation. */
  readonly data?: InputMaybe<Scalars['Bytes']['input']>;
  /** The account that calls; the zero address when omitted. */
  readonly from?: InputMaybe<Scalars['Address']['input']>;
  /** Maximum gas of the execution; when omitted, the limit that the node sets. */
  readonly gas?: InputMaybe<Scalars['Long']['input']>;
  /** Gas price in wei per gas. Excludes `maxFeePerGas` and `maxPriorityFeePerGas`. The sender needs no balance for gas when all three are omitted. */
  readonly gasPrice?: InputMaybe<Scalars['BigInt']['input']>;
  /** Maximum price in wei per blob gas (EIP-4844). */
  readonly maxFeePerBlobGas?: InputMaybe<Scalars['BigInt']['input']>;
  /** Maximum price in wei per gas, base fee included (EIP-1559). */
  readonly maxFeePerGas?: InputMaybe<Scalars['BigInt']['input']>;
  /** Maximum priority fee in wei per gas, on top of the base fee (EIP-1559). */
  readonly maxPriorityFeePerGas?: InputMaybe<Scalars['BigInt']['input']>;
  /** Nonce of the sender; its next nonce when omitted. Checked only by `simulate` with `validation`. */
  readonly nonce?: InputMaybe<Scalars['Long']['input']>;
  /** The account called; omitted for a contract creation. */
  readonly to?: InputMaybe<Scalars['Address']['input']>;
  /** Wei sent with the call. */
  readonly value?: InputMaybe<Scalars['BigInt']['input']>;
};

/**
 * A call of a transaction, or its own call. Nothing in the header of a block proves a trace; the server compares the outermost call with the transaction. Nodes
 * without `debug_traceTransaction` leave out calls of precompiled contracts.
 */
export type CallFrame = {
  /** The decoded call, as in `Transaction.decoded`. */
  readonly decoded?: Maybe<DecodedCall>;
  /** Why it failed. Null when it succeeded. The server derives it from the text of the node, which it does not pass on. */
  readonly error?: Maybe<ExecutionFailure>;
  /** The account that calls, creates or destroys itself. */
  readonly from: Account;
  /** Gas that it may use. The gas limit of the transaction for its own call; null for a SELFDESTRUCT. */
  readonly gas?: Maybe<Scalars['Long']['output']>;
  /**
   * Gas that it used. Gas of the transaction for its own call: one more call for the receipts, only where `trace_transaction` or `trace_block` is the source. Null for a
   * SELFDESTRUCT, and for a failed call where the node does not return it.
   */
  readonly gasUsed?: Maybe<Scalars['Long']['output']>;
  /** Call data, or the initialisation code of a creation. `0x` for a SELFDESTRUCT. */
  readonly input: Scalars['Bytes']['output'];
  /** Returned data, the code of a creation, or the payload of a revert. Null for any other failure, and for a revert where the node does not return the payload. */
  readonly output?: Maybe<Scalars['Bytes']['output']>;
  /** The error with which it reverted, decoded as for `revertReason`. Null when it did not revert, and for a payload that no ABI or several ABIs describe. */
  readonly revertError?: Maybe<DecodedError>;
  /**
   * Text of `Error(string)`, code and meaning of `Panic(uint256)`, or a custom error by the ABIs of `ABI_DIR` and of the standards. Null when it did not revert, and
   * for any other payload.
   */
  readonly revertReason?: Maybe<Scalars['String']['output']>;
  /** Number of calls that it makes itself. */
  readonly subtraces: Scalars['Int']['output'];
  /** The account called, created, or paid by a SELFDESTRUCT. Null for a creation that failed. */
  readonly to?: Maybe<Account>;
  /** Position below the own call of the transaction: `[]` is that call, `[1, 0]` the first call in its second call. */
  readonly traceAddress: ReadonlyArray<Scalars['Int']['output']>;
  /** Kind of the call. A node without `debug_traceTransaction` can report CREATE for a CREATE2. */
  readonly type: CallType;
  /** Wei that it moves from `from` to `to`; nothing is moved if it, or a call above it, failed. Null for a STATICCALL and a DELEGATECALL, which move none. */
  readonly value?: Maybe<Scalars['BigInt']['output']>;
};


/**
 * A call of a transaction, or its own call. Nothing in the header of a block proves a trace; the server compares the outermost call with the transaction. Nodes
 * without `debug_traceTransaction` leave out calls of precompiled contracts.
 */
export type CallFrameFromArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/**
 * A call of a transaction, or its own call. Nothing in the header of a block proves a trace; the server compares the outermost call with the transaction. Nodes
 * without `debug_traceTransaction` leave out calls of precompiled contracts.
 */
export type CallFrameToArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** The result of a message call that was executed without a transaction. Source: `eth_call`. */
export type CallResult = {
  /**
   * Returned data; for a failed call the payload of the revert, `0x` when the node sends none or one above 1 MiB. The field fails with RESULT_TOO_LARGE when the call
   * returns more than 1 MiB.
   */
  readonly data: Scalars['Bytes']['output'];
  /**
   * Gas that the execution uses, intrinsic gas included. Source: `eth_simulateV1`, whose execution is in a block after this one, else
   * `debug_traceCall`; METHOD_NOT_SUPPORTED on a node that has neither. Sent only when selected.
   */
  readonly gasUsed: Scalars['Long']['output'];
  /** The error with which the call failed, decoded as for `revertReason`. Null when the call succeeded, and for a payload that no ABI or several ABIs describe. */
  readonly revertError?: Maybe<DecodedError>;
  /**
   * Text of `Error(string)`, code and meaning of `Panic(uint256)`, or a custom error by the ABIs of `ABI_DIR` and of the standards:
   * `InsufficientBalance(available: 1, required: 2)`. Null when the call succeeded, and for any other payload.
   */
  readonly revertReason?: Maybe<Scalars['String']['output']>;
  /** 1 when the call succeeded, 0 when it reverted or failed in another way, such as out of gas. */
  readonly status: Scalars['Long']['output'];
};

/** Kind of a call inside a transaction. */
export type CallType =
  /** A call with the state of the called account. */
  | 'CALL'
  /** A call of code with the state of the caller; replaced by DELEGATECALL. */
  | 'CALLCODE'
  /** Creates a contract at an address from its creator and the creator's nonce. */
  | 'CREATE'
  /** Creates a contract at an address from its creator, a salt and its code (EIP-1014). */
  | 'CREATE2'
  /** A call of code with the state, the sender and the value of the caller. */
  | 'DELEGATECALL'
  /** Sends the balance of a contract to another account. */
  | 'SELFDESTRUCT'
  /** A call that cannot change the state. */
  | 'STATICCALL';

/** The code of an account after a change. */
export type CodeChange = {
  /** Code of the account. */
  readonly code: Scalars['Bytes']['output'];
  /** When it changed, as `StorageChange.index`. */
  readonly index: Scalars['Long']['output'];
};

/** The result of a function of a contract that was called without a transaction. Source: `eth_call`. */
export type ContractRead = {
  /**
   * Returned data; for a failed call the payload of the revert, `0x` when the node sends none or one above 1 MiB. The field above fails with RESULT_TOO_LARGE
   * when the call returns more than 1 MiB.
   */
  readonly data: Scalars['Bytes']['output'];
  /** The outputs, in order. Null when the call failed, and when `data` is not exactly the encoding of the outputs, such as the `0x` of an account without code. */
  readonly results?: Maybe<ReadonlyArray<DecodedArgument>>;
  /**
   * The error with which the call failed, by the ABIs of `ABI_DIR` and of the standards. Null when the call succeeded, and for a payload that no ABI or several
   * ABIs describe.
   */
  readonly revertError?: Maybe<DecodedError>;
  /** Name and parameter types, as hashed for the selector: `balanceOf(address)`. */
  readonly signature: Scalars['String']['output'];
  /** 1 when the call succeeded, 0 when it reverted or failed in another way, such as out of gas. A call of an account without code succeeds and returns `0x`. */
  readonly status: Scalars['Long']['output'];
};

/** An argument of a decoded call, event or error, or an output of a function. */
export type DecodedArgument = {
  /** The account of an argument of type `address`, at the most recent block. Null for any other type. */
  readonly account?: Maybe<Account>;
  /** Whether the value is a topic of the log. Null for an argument of a call or an error, and for an output. */
  readonly indexed?: Maybe<Scalars['Boolean']['output']>;
  /** Name of the parameter. Null if the ABI has none, or if ABIs have different names. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** Type of the parameter, as in the signature: `uint256`, `(address,uint256)[]`. */
  readonly type: Scalars['String']['output'];
  /**
   * Integers in base 10; bytes and addresses as lower-case 0x-hex; `true` or `false`; a string as it is. An array or a tuple is JSON text: a tuple with
   * names an object, otherwise a list, integers as strings. An indexed string, array, tuple or value of type `bytes` is the Keccak-256 that the log has.
   */
  readonly value: Scalars['String']['output'];
};

/**
 * A call whose input is decoded by the ABI of the called address in `ABI_DIR`, else by the other files there, else ERC-20, ERC-721, ERC-1155 and the
 * tournament. Sends no request; it is not checked whether the address has code.
 */
export type DecodedCall = {
  /** The arguments, in order. */
  readonly arguments: ReadonlyArray<DecodedArgument>;
  /** Name of the function. */
  readonly name: Scalars['String']['output'];
  /** First 4 bytes of the input. */
  readonly selector: Scalars['Bytes']['output'];
  /** Name and parameter types, as hashed for the selector: `transfer(address,uint256)`. */
  readonly signature: Scalars['String']['output'];
  /** Standard that defines the signature: `ERC-20`, `ERC-721`, `ERC-1155` or `Tournament`. Null if none does, or several do. */
  readonly standard?: Maybe<Scalars['String']['output']>;
};

/** An error of a reverted call, decoded by an ABI as for a call: that of the called address in `ABI_DIR`, else the others. Sends no request. */
export type DecodedError = {
  /** The arguments, in order. */
  readonly arguments: ReadonlyArray<DecodedArgument>;
  /** Name of the error: `Error` for a text, `Panic` for a failure that the compiler checks, else that of a custom error. */
  readonly name: Scalars['String']['output'];
  /** First 4 bytes of the payload. */
  readonly selector: Scalars['Bytes']['output'];
  /** Name and parameter types, as hashed for the selector: `Error(string)`, `ERC20InvalidSender(address)`. */
  readonly signature: Scalars['String']['output'];
  /** Standard that defines the error, as in `DecodedCall`; null for `Error(string)` and `Panic(uint256)`. */
  readonly standard?: Maybe<Scalars['String']['output']>;
};

/** An event whose log is decoded by the ABI of the log's address in `ABI_DIR`, else by the other ABIs as for a call. Sends no request. */
export type DecodedEvent = {
  /** The arguments, in the order of the signature. */
  readonly arguments: ReadonlyArray<DecodedArgument>;
  /** Name of the event. */
  readonly name: Scalars['String']['output'];
  /** Name and parameter types, as hashed for the first topic: `Transfer(address,address,uint256)`. */
  readonly signature: Scalars['String']['output'];
  /**
   * Standard that defines the event with these indexed parameters, as in `DecodedCall`; `EIP-7708` for a transfer of ether, which is no transfer of a token. Null if none does, or
   * several do.
   */
  readonly standard?: Maybe<Scalars['String']['output']>;
};

export type Duel = {
  readonly endBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** The event `DuelEnd` or `DuelTimeOut` of the tournament. Null while in progress, and as `startLog`; read together with it. */
  readonly endLog?: Maybe<Log>;
  readonly id: Scalars['ID']['output'];
  readonly startBlockNumber: Scalars['Long']['output'];
  /**
   * The event `DuelStart` of the tournament. Null if the tournament's contract is unknown (TOURNAMENT_ADDRESS), and if the node does not have the event.
   * Source: `eth_getLogs`, one call for the duels of an operation whose blocks lie within 10,000, or within the smaller range that the node accepts.
   */
  readonly startLog?: Maybe<Log>;
  /** The transaction that started it, that of `startLog`. Null as `startLog`. */
  readonly transaction?: Maybe<Transaction>;
};

/** Why an execution failed. */
export type ExecutionFailure =
  /** The address of the new contract is in use. */
  | 'ADDRESS_COLLISION'
  /** More than 1,024 calls inside each other. */
  | 'CALL_DEPTH'
  /** The caller has less than the value. */
  | 'INSUFFICIENT_BALANCE'
  /** The code of the new contract is too large, or not allowed. */
  | 'INVALID_CODE'
  /** A jump to a position that is no destination. */
  | 'INVALID_JUMP'
  /** An opcode that does not exist, or INVALID. */
  | 'INVALID_OPCODE'
  /** Too few or too many words on the stack. */
  | 'INVALID_STACK'
  /** Any other failure. */
  | 'OTHER'
  /** The gas was not enough. */
  | 'OUT_OF_GAS'
  /** The contract reverted. */
  | 'REVERTED'
  /** A change of the state inside a STATICCALL. */
  | 'WRITE_PROTECTION';

/** The execution of a transaction, step by step, as the node reports it. */
export type ExecutionTrace = {
  /** Whether the execution failed. */
  readonly failed: Scalars['Boolean']['output'];
  /** Gas that the transaction used. */
  readonly gas: Scalars['Long']['output'];
  /** Returned data, the code of a creation, or the payload of a revert. */
  readonly returnValue: Scalars['Bytes']['output'];
  /** The steps in order; empty for a transfer. Some nodes report none unless they are started for it (anvil: `--steps-tracing`). */
  readonly structLogs: ReadonlyArray<StructLog>;
  /** The transaction. */
  readonly transaction: Transaction;
};

/** Fees and utilisation of consecutive blocks, and the fees of the block after them. */
export type FeeHistory = {
  /** The blocks, oldest first. */
  readonly blocks: ReadonlyArray<FeeHistoryBlock>;
  /** Price in wei per blob gas in the block after the last one. Null where the node does not return it. */
  readonly nextBaseFeePerBlobGas?: Maybe<Scalars['BigInt']['output']>;
  /**
   * Base fee in wei per gas of the block after the last one; for the most recent block, the node's prediction. Zero before London. Null where the node
   * does not return it.
   */
  readonly nextBaseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
};

/** Fees and utilisation of one block. */
export type FeeHistoryBlock = {
  /** Price in wei per blob gas. Null where the node does not return it. */
  readonly baseFeePerBlobGas?: Maybe<Scalars['BigInt']['output']>;
  /** Base fee in wei per gas; zero before London. Null where the node does not return it. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Blob gas used divided by the limit, from 0 to 1. Null where the node does not return it. */
  readonly blobGasUsedRatio?: Maybe<Scalars['Float']['output']>;
  /** The block. Null when a reorg removed it. */
  readonly block?: Maybe<Block>;
  /** Gas used divided by the gas limit, from 0 to 1. */
  readonly gasUsedRatio: Scalars['Float']['output'];
  /** Height of the block. */
  readonly number: Scalars['Long']['output'];
  /**
   * Priority fees in wei per gas at the requested percentiles of the block's gas, in the order of the request; zero for a block without transactions.
   * Null without percentiles.
   */
  readonly rewards?: Maybe<ReadonlyArray<Scalars['BigInt']['output']>>;
};

/** Filter for logs. An omitted field matches any log; without a block or range, the most recent block is searched. */
export type FilterCriteria = {
  /** Contracts that emitted the logs; empty or omitted matches any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Search only the block with this hash. Excludes all other bounds. */
  readonly blockHash?: InputMaybe<Scalars['Bytes32']['input']>;
  /** First height, inclusive; the most recent block when omitted. BAD_USER_INPUT if it is above `toBlock`. */
  readonly fromBlock?: InputMaybe<Scalars['Long']['input']>;
  /** First block by tag, instead of `fromBlock`. */
  readonly fromBlockTag?: InputMaybe<BlockTag>;
  /** Last height, inclusive, cut at the most recent block; the most recent block when omitted. */
  readonly toBlock?: InputMaybe<Scalars['Long']['input']>;
  /** Last block by tag, instead of `toBlock`. */
  readonly toBlockTag?: InputMaybe<BlockTag>;
  /** True searches up to the pending block, instead of `toBlock`. */
  readonly toPending?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Topics by position, at most four positions. An empty position matches any topic, several values in one position are alternatives, and a log
   * may have more topics: `[[], ["0xB…"]]` matches any first topic and B as the second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

/** The rules that hold from a fork on. */
export type ForkConfig = {
  /** Time of the fork in seconds since 1970; 0 for a fork of the first block. */
  readonly activationTime: Scalars['Long']['output'];
  /** Limits on the blobs of a block. Null before Cancun. */
  readonly blobSchedule?: Maybe<BlobSchedule>;
  /** Chain id that replay-protected signatures carry (EIP-155). */
  readonly chainID: Scalars['BigInt']['output'];
  /** Identifies the forks up to this one among peers, 4 bytes (EIP-6122). */
  readonly forkId: Scalars['Bytes']['output'];
  /** Precompiled contracts, in the order of the node. */
  readonly precompiles: ReadonlyArray<NamedContract>;
  /** Contracts that the protocol uses, in the order of the node. */
  readonly systemContracts: ReadonlyArray<NamedContract>;
};

/** The rules of the chain at present and at its next fork. */
export type ForkConfigs = {
  /** The rules at present. */
  readonly current: ForkConfig;
  /** The rules of the last fork that is planned. Null when none is planned. */
  readonly last?: Maybe<ForkConfig>;
  /** The rules of the next fork. Null when none is planned. */
  readonly next?: Maybe<ForkConfig>;
};

/** The header of a queried, announced or pending block. */
export type Header = {
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Arbitrary bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /** Maximum total gas of the block's transactions. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Keccak-256 of the RLP-encoded header. */
  readonly hash?: Maybe<Scalars['Bytes32']['output']>;
  /** 2048-bit filter over the addresses and topics of the block's logs. */
  readonly logsBloom?: Maybe<Scalars['Bytes']['output']>;
  /** The account that received the block's fees. */
  readonly miner?: Maybe<Account>;
  /** Proof-of-work nonce, 8 bytes; all zeros since the merge. */
  readonly nonce?: Maybe<Scalars['Bytes']['output']>;
  /** Height of the block; the genesis block is 0. */
  readonly number?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hash of the parent block; all zeros for the genesis block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** Time of the block in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Root of the trie of the block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
};


/** The header of a queried, announced or pending block. */
export type HeaderMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** An event that a contract emitted. */
export type Log = {
  /** The contract that emitted the log. */
  readonly account: Account;
  /** The block that contains the log. Null while pending, and when the node no longer has the block, for example after a reorg. */
  readonly block?: Maybe<Block>;
  /** Hash of the block. Null while pending. */
  readonly blockHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Height of the block. Null while pending. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /** Time of the block in seconds since 1970. Null while pending, and when the node no longer has the block. Costs no call where the node returns it with the log. */
  readonly blockTimestamp?: Maybe<Scalars['Long']['output']>;
  /**
   * Opaque position of this log event in the chain, for `Subscription.logs(after:)` and `Query.logsConnection`. Added and removed logs have different
   * cursors. Null while pending.
   */
  readonly cursor?: Maybe<Scalars['String']['output']>;
  /** The parameters that are not indexed, ABI-encoded. */
  readonly data: Scalars['Bytes']['output'];
  /** The decoded event. Null for an anonymous or unknown event, for data that is not exactly the encoding of the arguments, and if several events fit. */
  readonly decoded?: Maybe<DecodedEvent>;
  /**
   * Identity for client caches: the hash of the block and the index; while pending, `pending`, the hash of the transaction and the index. The log has the same
   * id before and after a reorg removes it.
   */
  readonly id: Scalars['ID']['output'];
  /** Position in the block, from 0. */
  readonly index: Scalars['Long']['output'];
  /** True when a reorg removed the log's block. */
  readonly removed: Scalars['Boolean']['output'];
  /** Up to four indexed topics; for most events the first is the hash of the event's signature. */
  readonly topics: ReadonlyArray<Scalars['Bytes32']['output']>;
  /** The transaction that emitted the log. */
  readonly transaction: Transaction;
  /** Hash of the transaction. */
  readonly transactionHash: Scalars['Bytes32']['output'];
  /** Position of the transaction in its block, from 0. Null while pending. */
  readonly transactionIndex?: Maybe<Scalars['Long']['output']>;
};


/** An event that a contract emitted. */
export type LogAccountArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** A page of logs. */
export type LogConnection = {
  /** The logs of the page with their cursors, in chain order. */
  readonly edges: ReadonlyArray<LogEdge>;
  /** The logs of the page in chain order. */
  readonly nodes: ReadonlyArray<Maybe<Log>>;
  /**
   * Position of the page in the list. False means that no log follows or precedes the page. True in the direction of the page may be followed by an
   * empty page: the server does not search beyond a full page, and ends a page that takes too many searches before it is full. Then `endCursor`, or
   * `startCursor` of a page with `last`, is the position where the search continues.
   */
  readonly pageInfo: PageInfo;
  /**
   * Height up to which the page is complete, from which with `last`: no matching log between the start of the page and this block, which is included,
   * is missing. Null if the page ends inside the first block that it searched, if it searched none, and for a filter with `blockHash`.
   */
  readonly searchedTo?: Maybe<Scalars['Long']['output']>;
};

/** A log in a page. */
export type LogEdge = {
  /** Cursor of this log, for `after` and `before`; the same as `Log.cursor`. */
  readonly cursor: Scalars['String']['output'];
  /** The log. */
  readonly node?: Maybe<Log>;
};

/** Consecutive events of a subscription to logs. */
export type LogPage = {
  /** Position after the page, for `after` of `logPages` and `logs`. */
  readonly cursor: Scalars['String']['output'];
  /** The logs, in the order of the events. All are removed logs, or none is. Empty where no log matches. */
  readonly nodes: ReadonlyArray<Log>;
  /** Height of the last block whose logs were all sent. After removed logs, the height below their block. */
  readonly searchedTo: Scalars['Long']['output'];
};

/** Filter for logs. An omitted field matches any log. */
export type LogSubscriptionFilter = {
  /** Contracts that emitted the logs, at most 1,000; empty or omitted matches any. */
  readonly addresses?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /**
   * Topics by position, at most four positions. An empty position matches any topic, several values in one position, at most 1,000, are
   * alternatives, and a log may have more topics: `[[], ["0xB…"]]` matches any first topic and B as the second.
   */
  readonly topics?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Bytes32']['input']>>>;
};

export type Mutation = {
  /**
   * Stores the position of a stream: its next subscription continues after this event. STREAM_NOT_FOUND for a name that no subscription of the caller has used.
   * Source: the database of the server; STREAMS_NOT_CONFIGURED without one.
   */
  readonly acknowledge: Stream;
  /** Deletes a stream, and ends its subscription. False if the caller has none with this name. */
  readonly deleteStream: Scalars['Boolean']['output'];
  /**
   * Submits a signed transaction and returns its hash, which the server computes from the bytes.
   * Submitting a transaction that the node already has returns its hash again. A rejection is an error with a stable code, such as NONCE_TOO_LOW,
   * INSUFFICIENT_FUNDS or TX_UNDERPRICED. If the node's response is lost, the mutation fails with TX_STATUS_UNKNOWN and the hash to look up.
   */
  readonly sendRawTransaction: Scalars['Bytes32']['output'];
  /**
   * Submits a signed transaction as `sendRawTransaction` does, and waits for its receipt if `waitMs` is given. All waiting clients share the requests of
   * the wait. Follow the transaction with `Subscription.transactionStatus`. Source: `eth_sendRawTransaction`.
   */
  readonly submitTransaction?: Maybe<SubmitTransactionPayload>;
};


export type MutationAcknowledgeArgs = {
  cursor: Scalars['String']['input'];
  stream: Scalars['String']['input'];
};


export type MutationDeleteStreamArgs = {
  name: Scalars['String']['input'];
};


export type MutationSendRawTransactionArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  data: Scalars['Bytes']['input'];
};


export type MutationSubmitTransactionArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  input: SubmitTransactionInput;
};

/** A contract that the protocol names. */
export type NamedContract = {
  /** Address of the contract. */
  readonly address: Scalars['Address']['output'];
  /** Name of the contract, such as `ECREC`. */
  readonly name: Scalars['String']['output'];
};

/** A transfer of the native currency. */
export type NativeTransfer = {
  /** Hash of the simulated block. */
  readonly blockHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Height of the simulated block. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /** Time of the simulated block in seconds since 1970. Null where the node does not return it. */
  readonly blockTimestamp?: Maybe<Scalars['Long']['output']>;
  /** The account that paid, with its state before the simulation. */
  readonly from: Account;
  /** Position among the logs and the native transfers of the simulated block, from 0. */
  readonly index?: Maybe<Scalars['Long']['output']>;
  /** The account that received, with its state before the simulation. */
  readonly to: Account;
  /** Hash of the transaction that the node has made of the call. */
  readonly transactionHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Position of the call in the simulated block, from 0. */
  readonly transactionIndex?: Maybe<Scalars['Long']['output']>;
  /** Amount in wei. */
  readonly value: Scalars['BigInt']['output'];
};

/** Information of a node about itself and its network. */
export type Network = {
  /** Accounts whose keys the node stores; empty on hosted nodes. */
  readonly accounts?: Maybe<ReadonlyArray<Scalars['Address']['output']>>;
  /** Height of the most recent block. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /** The rules of the chain by fork. Source: `eth_config` (EIP-7910). */
  readonly config?: Maybe<ForkConfigs>;
  /** Whether the node accepts connections from peers. */
  readonly listening?: Maybe<Scalars['Boolean']['output']>;
  /** Network id in decimal, used between peers; the chain id is `Query.chainID`. */
  readonly networkID?: Maybe<Scalars['String']['output']>;
  /** Version of the Ethereum wire protocol, as the node formats it. Few current nodes support it. */
  readonly protocolVersion?: Maybe<Scalars['String']['output']>;
};

/** The nonce of an account after a change. */
export type NonceChange = {
  /** When it changed, as `StorageChange.index`. */
  readonly index: Scalars['Long']['output'];
  /** Nonce of the account. */
  readonly value: Scalars['Long']['output'];
};

/** A deposit from L1 on a chain of the OP Stack: a transaction of type 0x7e, without a signature and without a price. */
export type OptimismDeposit = {
  /** Whether the deposit does not use gas of the L2 block. False since Regolith; null where the node does not return it. */
  readonly isSystemTx?: Maybe<Scalars['Boolean']['output']>;
  /** Wei that the deposit creates on the L2. Null if it creates none. */
  readonly mint?: Maybe<Scalars['BigInt']['output']>;
  /** Hash that identifies the source of the deposit on L1. */
  readonly sourceHash: Scalars['Bytes32']['output'];
};

/** What the receipt of a transaction has on a chain of the OP Stack, beside the fields of Ethereum. */
export type OptimismReceipt = {
  /** Nonce of the sender of a deposit. Null for any other transaction, and before Regolith. */
  readonly depositNonce?: Maybe<Scalars['Long']['output']>;
  /** Version of the receipt of a deposit. Null for any other transaction, and before Canyon. */
  readonly depositReceiptVersion?: Maybe<Scalars['Long']['output']>;
  /** Factor of the base fee of L1, in millionths. Null before Ecotone. */
  readonly l1BaseFeeScalar?: Maybe<Scalars['Long']['output']>;
  /** Base fee of L1 in wei per blob gas, as the L2 knows it. Null before Ecotone. */
  readonly l1BlobBaseFee?: Maybe<Scalars['BigInt']['output']>;
  /** Factor of the blob base fee of L1, in millionths. Null before Ecotone. */
  readonly l1BlobBaseFeeScalar?: Maybe<Scalars['Long']['output']>;
  /** Fee in wei for the data of the transaction on L1. Null for a deposit. */
  readonly l1Fee?: Maybe<Scalars['BigInt']['output']>;
  /** Factor of the fee on L1, a decimal number. Null since Ecotone. */
  readonly l1FeeScalar?: Maybe<Scalars['String']['output']>;
  /** Base fee of L1 in wei per gas, as the L2 knows it. Null for a deposit. */
  readonly l1GasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Gas for the data of the transaction on L1. Null for a deposit, and where the node does not return it. */
  readonly l1GasUsed?: Maybe<Scalars['Long']['output']>;
  /** Constant part of the operator's fee, in wei. Null before Isthmus. */
  readonly operatorFeeConstant?: Maybe<Scalars['BigInt']['output']>;
  /** Factor of the operator's fee per gas, in millionths. Null before Isthmus. */
  readonly operatorFeeScalar?: Maybe<Scalars['Long']['output']>;
};

/** Position of a page in its list. */
export type PageInfo = {
  /** Cursor of the last entry of the page. Null if the page is empty. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are entries after the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether there are entries before the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first entry of the page. Null if the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type Pending = {
  /** An account with its pending state: `transactionCount` is the next nonce to use. */
  readonly account: Account;
  /** The pending block. Null when the node has none. Source: `eth_getBlockByNumber`. */
  readonly block?: Maybe<PendingBlock>;
  /** Executes a message call with the pending state. A revert is a result with status 0, not an error. Source: `eth_call`. */
  readonly call?: Maybe<CallResult>;
  /** Gas that a transaction with this call needs, estimated with the pending state. EXECUTION_REVERTED when the call fails. Source: `eth_estimateGas`. */
  readonly estimateGas: Scalars['Long']['output'];
  /** Event logs of the pending block that match a filter, in order. Source: `eth_getLogs`, else `eth_getBlockReceipts`. */
  readonly logs: ReadonlyArray<Log>;
  /** One ommer of the pending block by position. Null when out of bounds. Source: `eth_getUncleByBlockNumberAndIndex`. */
  readonly ommerAt?: Maybe<Block>;
  /** Number of ommers of the pending block. Null when the node has none. Source: `eth_getUncleCountByBlockNumber`. */
  readonly ommerCount?: Maybe<Scalars['Long']['output']>;
  /** One transaction of the pending block by position. Null when out of bounds. Source: `eth_getTransactionByBlockNumberAndIndex`. */
  readonly transactionAt?: Maybe<Transaction>;
  /** Number of transactions in the pending block; 0 when the node has none. Source: `eth_getBlockTransactionCountByNumber`. */
  readonly transactionCount: Scalars['Long']['output'];
  /**
   * Transactions of the pending block, in order. Selecting only their hashes is much cheaper. Null when the node has no pending block.
   * Source: `eth_getBlockByNumber`.
   */
  readonly transactions?: Maybe<ReadonlyArray<Transaction>>;
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingAccountArgs = {
  address: Scalars['Address']['input'];
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingCallArgs = {
  data: CallData;
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingEstimateGasArgs = {
  data: CallData;
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingLogsArgs = {
  filter: BlockFilterCriteria;
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingOmmerAtArgs = {
  index: Scalars['Long']['input'];
};


/**
 * The pending state of the node. Other nodes can have another one, and two reads of one operation can differ. Some nodes build no pending block and return
 * their most recent block, or its state, instead.
 */
export type PendingTransactionAtArgs = {
  index: Scalars['Long']['input'];
};

/** The block that the node would produce next. Nodes leave out the values that the producer has not determined. */
export type PendingBlock = Header & {
  /** Base fee in wei per gas. Null before London. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Proof-of-work difficulty; zero since the merge. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Arbitrary bytes set by the block's producer. */
  readonly extraData: Scalars['Bytes']['output'];
  /** Maximum total gas of the block's transactions. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the block's transactions use. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Hash of the unfinished block, which no other node knows. Null where the node leaves it out. */
  readonly hash?: Maybe<Scalars['Bytes32']['output']>;
  /** 2048-bit filter over the addresses and topics of the block's logs. Null where the node leaves it out. */
  readonly logsBloom?: Maybe<Scalars['Bytes']['output']>;
  /** The account that receives the block's fees. Null where the node leaves it out. */
  readonly miner?: Maybe<Account>;
  /** Proof-of-work mix hash; the beacon chain's randomness since the merge. Null where the node leaves it out. */
  readonly mixHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Proof-of-work nonce, 8 bytes. Null where the node leaves it out. */
  readonly nonce?: Maybe<Scalars['Bytes']['output']>;
  /** Height that the block will have. Null where the node leaves it out. */
  readonly number?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the list of ommers. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hashes of the ommers that the block lists. Null when the node does not return the list. */
  readonly ommerHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The parent block: the node's most recent one. Null when the node no longer has it. */
  readonly parent?: Maybe<Block>;
  /** Hash of the parent block. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of the block's receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** Size of the encoded block in bytes. Null where the node leaves it out. */
  readonly size?: Maybe<Scalars['Long']['output']>;
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** Time of the block in seconds since 1970, as the node assumes it. */
  readonly timestamp: Scalars['Long']['output'];
  /** Sum of the difficulties up to this block. Null where the node does not return it. */
  readonly totalDifficulty?: Maybe<Scalars['BigInt']['output']>;
  /** Root of the trie of the block's transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
};


/** The block that the node would produce next. Nodes leave out the values that the producer has not determined. */
export type PendingBlockMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** Filter for pending transactions. A transaction must match both lists. */
export type PendingTransactionFilter = {
  /** Senders; empty or omitted matches any. */
  readonly from?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  /** Recipients; empty or omitted matches any, contract creations included. */
  readonly to?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
};

export type Query = {
  /** An account at the most recent block. For its state at another block, use `block { account }`. */
  readonly account?: Maybe<Account>;
  /**
   * The node's base fee per blob gas, in wei: that of the most recent block or of the next one, as nodes differ. Null before Cancun. Source: `eth_blobBaseFee`,
   * else `eth_feeHistory`.
   */
  readonly blobBaseFee?: Maybe<Scalars['BigInt']['output']>;
  /**
   * One mined block by number, hash, tag, time or distance. Pass at most one of the five; the default is the most recent block.
   * Null when the node does not have the block.
   */
  readonly block?: Maybe<Block>;
  /**
   * All blocks of an inclusive range, or the last ones, oldest first; or the blocks of a list, in its order. A range past the most recent block ends there; one
   * that starts above it is empty. A list with a block that the node does not have fails with BLOCK_NOT_AVAILABLE. A list with more blocks than the server allows fails with RESULT_TOO_LARGE and is never truncated; `blocksConnection` has no such limit.
   */
  readonly blocks: ReadonlyArray<Block>;
  /**
   * A page of blocks of an inclusive range of any length, oldest first. A cursor whose block a reorg removed fails with CURSOR_EXPIRED.
   * Source: `eth_getBlockByNumber` or `eth_getBlockByHash`, once for each block of the page whose header is not known.
   */
  readonly blocksConnection?: Maybe<BlockConnection>;
  /** Chain id that replay-protected signatures carry (EIP-155). */
  readonly chainID: Scalars['BigInt']['output'];
  /**
   * The access list that a call needs. METHOD_NOT_SUPPORTED on a node without the method; EXECUTION_REVERTED for a failed call on nodes that then return no list.
   * Source: `eth_createAccessList`.
   */
  readonly createAccessList?: Maybe<AccessListResult>;
  /**
   * The history of the gas price: base fees, utilisation and priority fees of consecutive blocks. Null when the most recent block is below `newestBlock`, and
   * where the node does not support the method. Source: `eth_feeHistory`, one call.
   */
  readonly feeHistory?: Maybe<FeeHistory>;
  /** The node's suggestion for the gas price of a legacy transaction, in wei per gas. */
  readonly gasPrice: Scalars['BigInt']['output'];
  /**
   * Event logs that match a filter, in chain order. Without a block or range in the filter: the logs of the most recent block.
   * A search with more logs than the server allows fails with RESULT_TOO_LARGE; the list is never truncated.
   */
  readonly logs: ReadonlyArray<Log>;
  /**
   * A page of the event logs that match a filter, in chain order, over a range of any length. The server searches only as many blocks as the page
   * needs, from the cursor on. The range ends at the most recent block of the operation. A cursor of a block that a reorg removed fails with CURSOR_EXPIRED.
   * Null, with an error, if the node fails. Source: `eth_getLogs`.
   */
  readonly logsConnection?: Maybe<LogConnection>;
  /** The node's suggestion for a priority fee, in wei per gas; gas price minus base fee where the node makes no suggestion. */
  readonly maxPriorityFeePerGas: Scalars['BigInt']['output'];
  /**
   * Information of the node about itself and its network. Where the node does not support the method of a field, the field is null with an error
   * METHOD_NOT_SUPPORTED.
   */
  readonly network?: Maybe<Network>;
  /** The state of the block that the node would produce next. Each operation requests it. */
  readonly pending: Pending;
  /** The receipt of one mined transaction. Null while it is pending and for an unknown hash. */
  readonly receipt?: Maybe<Receipt>;
  /** The server itself: its version, its limits, and the history that its node has. */
  readonly service?: Maybe<Service>;
  /**
   * Executes calls on top of a block, in one block or in several, with replaced state and block values. Each call sees the effects of those before it. A call that reverts is a result
   * with status 0, not an error. Null with an error if a call cannot start: INSUFFICIENT_FUNDS for a sender that cannot pay its value, with `validation` also NONCE_TOO_LOW,
   * NONCE_TOO_HIGH, FEE_TOO_LOW and INTRINSIC_GAS; BAD_USER_INPUT for heights or times that do not ascend. METHOD_NOT_SUPPORTED on a node without the method.
   * Source: `eth_simulateV1`, one call.
   */
  readonly simulate?: Maybe<Simulation>;
  /** The named streams of the caller, on all chains, in the order of their names. Source: the database of the server; STREAMS_NOT_CONFIGURED without one. */
  readonly streams: ReadonlyArray<Stream>;
  /** Synchronisation progress of the node. Null when it is not synchronising, and where it does not support `eth_syncing`. */
  readonly syncing?: Maybe<SyncState>;
  /** One transaction, mined or pending. Null when the node does not know the hash. */
  readonly transaction?: Maybe<Transaction>;
  /**
   * A page of the transactions of an inclusive range of blocks that match a filter, in chain order. The server reads block after block until the page
   * is full. After MAX_BLOCKS blocks, or half of MAX_COST, it returns what it has found, possibly nothing: continue with `endCursor`
   * while `hasNextPage` is true. A cursor whose block a reorg removed fails with CURSOR_EXPIRED.
   */
  readonly transactionsConnection?: Maybe<TransactionRangeConnection>;
};


export type QueryAccountArgs = {
  address: Scalars['Address']['input'];
};


export type QueryBlockArgs = {
  hash?: InputMaybe<Scalars['Bytes32']['input']>;
  number?: InputMaybe<Scalars['Long']['input']>;
  offset?: InputMaybe<Scalars['Long']['input']>;
  tag?: InputMaybe<BlockTag>;
  timestamp?: InputMaybe<Scalars['Long']['input']>;
};


export type QueryBlocksArgs = {
  from?: InputMaybe<Scalars['Long']['input']>;
  hashes?: InputMaybe<ReadonlyArray<Scalars['Bytes32']['input']>>;
  last?: InputMaybe<Scalars['Int']['input']>;
  numbers?: InputMaybe<ReadonlyArray<Scalars['Long']['input']>>;
  to?: InputMaybe<Scalars['Long']['input']>;
};


export type QueryBlocksConnectionArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Long']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  to?: InputMaybe<Scalars['Long']['input']>;
};


export type QueryCreateAccessListArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
  data: CallData;
};


export type QueryFeeHistoryArgs = {
  blockCount?: Scalars['Int']['input'];
  newestBlock?: InputMaybe<Scalars['Long']['input']>;
  rewardPercentiles?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
};


export type QueryLogsArgs = {
  filter: FilterCriteria;
};


export type QueryLogsConnectionArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter: FilterCriteria;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


export type QueryReceiptArgs = {
  hash: Scalars['Bytes32']['input'];
};


export type QuerySimulateArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
  blocks?: InputMaybe<ReadonlyArray<SimulatedBlockInput>>;
  calls?: InputMaybe<ReadonlyArray<CallData>>;
  validation?: Scalars['Boolean']['input'];
};


export type QueryTransactionArgs = {
  hash: Scalars['Bytes32']['input'];
};


export type QueryTransactionsConnectionArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Long']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  to?: InputMaybe<Scalars['Long']['input']>;
};

/** The outcome of a mined transaction. */
export type Receipt = {
  /** Gas and height of L1 on a chain of Arbitrum. Null on any other chain. */
  readonly arbitrum?: Maybe<ArbitrumReceipt>;
  /** The block that contains the transaction. Null when the node no longer has the block, for example after a reorg. */
  readonly block?: Maybe<Block>;
  /** Hash of the block. */
  readonly blockHash: Scalars['Bytes32']['output'];
  /** Height of the block. */
  readonly blockNumber: Scalars['Long']['output'];
  /** Time of the block in seconds since 1970. Null when the node no longer has the block. Costs no call where the node returns it with the receipt. */
  readonly blockTimestamp?: Maybe<Scalars['Long']['output']>;
  /** The contract that the transaction created. Null for any other transaction. */
  readonly contract?: Maybe<Account>;
  /** Gas used in the block up to and including the transaction. */
  readonly cumulativeGasUsed: Scalars['Long']['output'];
  /** Price paid in wei per gas. Null where the node does not return it. */
  readonly effectiveGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** The account that sent the transaction. */
  readonly from: Account;
  /** Gas that the transaction used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Logs that the transaction emitted, in order; with a filter, the matching logs. */
  readonly logs: ReadonlyArray<Log>;
  /** 2048-bit filter over the addresses and topics of the transaction's logs. */
  readonly logsBloom: Scalars['Bytes']['output'];
  /** Fees and deposits of a chain of the OP Stack. Null on any other chain. */
  readonly optimism?: Maybe<OptimismReceipt>;
  /** State root after the transaction. Null since Byzantium, which replaced it by `status`. */
  readonly root?: Maybe<Scalars['Bytes32']['output']>;
  /** 1 when the transaction succeeded, 0 when it reverted or ran out of gas. Null before Byzantium. */
  readonly status?: Maybe<Scalars['Long']['output']>;
  /** Whether the transaction succeeded. Null before Byzantium. */
  readonly succeeded?: Maybe<Scalars['Boolean']['output']>;
  /** The account called or paid. Null for a contract creation. */
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


/** The outcome of a mined transaction. */
export type ReceiptContractArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** The outcome of a mined transaction. */
export type ReceiptFromArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** The outcome of a mined transaction. */
export type ReceiptLogsArgs = {
  filter?: InputMaybe<BlockFilterCriteria>;
};


/** The outcome of a mined transaction. */
export type ReceiptToArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** A chain change that removed blocks. */
export type Reorg = {
  /** The blocks that replaced them: oldest first, up to the head of the chain. Empty when there are none yet. */
  readonly added: ReadonlyArray<BlockHeader>;
  /** The highest block that is canonical before and after the reorg. Null when the node no longer has it. */
  readonly commonAncestor?: Maybe<Block>;
  /** Number of removed blocks. */
  readonly depth: Scalars['Int']['output'];
  /** The removed blocks: newest first, down to the child of the common ancestor. */
  readonly dropped: ReadonlyArray<BlockHeader>;
};

/** What a node stores of each block, and prunes separately. */
export type Resource =
  /** Headers, transactions and ommers. */
  | 'BLOCKS'
  /** Event logs. */
  | 'LOGS'
  /** Receipts of transactions. */
  | 'RECEIPTS'
  /** Balances, nonces, code and storage, and calls of contracts. */
  | 'STATE';

/** The server itself: its version, its limits, and the history that its node has. */
export type Service = {
  /**
   * Blocks for which the node serves a resource without a gap, at most a minute old. Null when it does not serve the resource, or has no method to
   * find out. Requests outside of the range fail with HISTORY_PRUNED. Source: `eth_capabilities`; a search by probes on a node without it.
   */
  readonly availableRange?: Maybe<BlockRange>;
  /** The limits on requests that are set, with their present values; behind a router, the limits of this subgraph. */
  readonly limits: ReadonlyArray<ServiceLimit>;
  /** Version of the server. */
  readonly version: Scalars['String']['output'];
};


/** The server itself: its version, its limits, and the history that its node has. */
export type ServiceAvailableRangeArgs = {
  resource: Resource;
};

/** A limit on requests. */
export type ServiceLimit = {
  /** Name of the limit: the setting in camel case. */
  readonly name: Scalars['String']['output'];
  /** Environment variable that sets the limit. */
  readonly setting: Scalars['String']['output'];
  /** Value of the limit, in the unit of the setting. */
  readonly value: Scalars['Long']['output'];
};

/** A simulated block. It exists on no chain. A field is null where the node does not return it. */
export type SimulatedBlock = Header & {
  /** Base fee in wei per gas. */
  readonly baseFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Blob gas that the calls used. */
  readonly blobGasUsed?: Maybe<Scalars['Long']['output']>;
  /** Hash of the block's access list (EIP-7928). */
  readonly blockAccessListHash?: Maybe<Scalars['Bytes32']['output']>;
  /** The results of the calls of this block, in order; empty for an inserted block. */
  readonly calls: ReadonlyArray<SimulatedCall>;
  /** Proof-of-work difficulty: zero. */
  readonly difficulty: Scalars['BigInt']['output'];
  /** Running total of the blob gas used above the target, before this block. */
  readonly excessBlobGas?: Maybe<Scalars['Long']['output']>;
  /** Arbitrary bytes set by the block's producer; `0x` where the node returns none. */
  readonly extraData: Scalars['Bytes']['output'];
  /** Maximum total gas of the calls. */
  readonly gasLimit: Scalars['Long']['output'];
  /** Gas that the calls used. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Hash of the header. */
  readonly hash: Scalars['Bytes32']['output'];
  /** 2048-bit filter over the addresses and topics of the logs. */
  readonly logsBloom?: Maybe<Scalars['Bytes']['output']>;
  /** The account that receives the fees. */
  readonly miner?: Maybe<Account>;
  /** Randomness of the block. All zeros unless overridden. */
  readonly mixHash: Scalars['Bytes32']['output'];
  /** Proof-of-work nonce, 8 bytes: all zeros. */
  readonly nonce: Scalars['Bytes']['output'];
  /** Height of the block. */
  readonly number: Scalars['Long']['output'];
  /** Keccak-256 of the list of ommers, which is empty. */
  readonly ommerHash: Scalars['Bytes32']['output'];
  /** Hashes of the ommers: empty. */
  readonly ommerHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** Root of the parent beacon block (EIP-4788). */
  readonly parentBeaconBlockRoot?: Maybe<Scalars['Bytes32']['output']>;
  /** Hash of the previous simulated block; for the first block, of the block below it. */
  readonly parentHash: Scalars['Bytes32']['output'];
  /** Root of the trie of receipts. */
  readonly receiptsRoot: Scalars['Bytes32']['output'];
  /** Hash of the requests to the consensus layer (EIP-7685). */
  readonly requestsHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Size of the encoded block in bytes. */
  readonly size?: Maybe<Scalars['Long']['output']>;
  /** Beacon chain slot of the block (EIP-7843). */
  readonly slotNumber?: Maybe<Scalars['Long']['output']>;
  /** Root of the state trie after the block. */
  readonly stateRoot: Scalars['Bytes32']['output'];
  /** Time of the block in seconds since 1970. */
  readonly timestamp: Scalars['Long']['output'];
  /** Hashes of the transactions that the node has made of the calls, in order. */
  readonly transactionHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** The transactions that the node has made of the calls, in order. Fields besides the hash and the position are requested only when selected. */
  readonly transactions?: Maybe<ReadonlyArray<SimulatedTransaction>>;
  /** Root of the trie of transactions. */
  readonly transactionsRoot: Scalars['Bytes32']['output'];
  /** Withdrawals from the beacon chain (EIP-4895). */
  readonly withdrawals?: Maybe<ReadonlyArray<Withdrawal>>;
  /** Root of the trie of withdrawals. */
  readonly withdrawalsRoot?: Maybe<Scalars['Bytes32']['output']>;
};


/** A simulated block. It exists on no chain. A field is null where the node does not return it. */
export type SimulatedBlockMinerArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** A block to simulate. All fields may be omitted; an empty block is executed, too. */
export type SimulatedBlockInput = {
  /** Values of the block that replace the node's: by default the block follows the previous one. */
  readonly blockOverrides?: InputMaybe<BlockOverrides>;
  /** The calls in the block, one after the other. Each sees the effects of the calls before it, in this block and in earlier ones. */
  readonly calls?: InputMaybe<ReadonlyArray<CallData>>;
  /** Accounts whose state is replaced before the first call of the block. BAD_USER_INPUT if an address occurs twice. */
  readonly stateOverrides?: InputMaybe<ReadonlyArray<AccountOverride>>;
};

/** The result of one simulated call. */
export type SimulatedCall = {
  /**
   * Returned data; for a failed call the payload of the revert, `0x` when the node sends none or one above 1 MiB. The simulation fails with RESULT_TOO_LARGE when a call
   * returns more than 1 MiB.
   */
  readonly data: Scalars['Bytes']['output'];
  /** Why the call failed. Null when it succeeded. */
  readonly error?: Maybe<SimulationError>;
  /** Gas that the call used, intrinsic gas included. */
  readonly gasUsed: Scalars['Long']['output'];
  /** Logs that the call emitted, in order. On chains with EIP-7708 with the logs of native transfers, whose account is `0xff…fe`. */
  readonly logs: ReadonlyArray<SimulatedLog>;
  /** Maximum gas in use during the call, before refunds: a lower limit would fail. Null where the node does not return it. */
  readonly maxUsedGas?: Maybe<Scalars['Long']['output']>;
  /** The error with which the call failed, decoded as for `revertReason`. Null for a payload that no ABI or several ABIs describe. */
  readonly revertError?: Maybe<DecodedError>;
  /**
   * Text of `Error(string)`, code and meaning of `Panic(uint256)`, or a custom error by the ABIs of `ABI_DIR` and of the standards. Null when the call
   * succeeded, and for any other payload.
   */
  readonly revertReason?: Maybe<Scalars['String']['output']>;
  /** 1 when the call succeeded, 0 when it reverted or failed in another way, such as out of gas. */
  readonly status: Scalars['Long']['output'];
  /**
   * Transfers of the native currency that the call caused, in order, including the transfer of its value. Transfers of tokens are logs. Source: `traceTransfers`, set only when
   * selected, else the logs of EIP-7708.
   */
  readonly transfers: ReadonlyArray<NativeTransfer>;
};

/** An event that a contract emitted in a simulated call. */
export type SimulatedLog = {
  /** The contract that emitted the log, with its state before the simulation. */
  readonly account: Account;
  /** Hash of the simulated block. */
  readonly blockHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Height of the simulated block. */
  readonly blockNumber?: Maybe<Scalars['Long']['output']>;
  /** Time of the simulated block in seconds since 1970. Null where the node does not return it. */
  readonly blockTimestamp?: Maybe<Scalars['Long']['output']>;
  /** The parameters that are not indexed, ABI-encoded. */
  readonly data: Scalars['Bytes']['output'];
  /** Position in the simulated block, from 0. The native transfers count, too, if `transfers` is selected. */
  readonly index?: Maybe<Scalars['Long']['output']>;
  /** Up to four indexed topics; for most events the first is the hash of the event's signature. */
  readonly topics: ReadonlyArray<Scalars['Bytes32']['output']>;
  /** Hash of the transaction that the node has made of the call. */
  readonly transactionHash?: Maybe<Scalars['Bytes32']['output']>;
  /** Position of the call in the simulated block, from 0. */
  readonly transactionIndex?: Maybe<Scalars['Long']['output']>;
};

/** The unsigned transaction that the node has made of a simulated call. It exists on no chain. */
export type SimulatedTransaction = {
  /** Addresses and storage slots of its access list (EIP-2930). Null for a type without one. */
  readonly accessList?: Maybe<ReadonlyArray<AccessTuple>>;
  /** Delegations of accounts to contracts that it carries, in order (EIP-7702). Null for any other type. */
  readonly authorizationList?: Maybe<ReadonlyArray<Authorization>>;
  /** Hashes of the blobs it carries (EIP-4844). Null for any other type. */
  readonly blobVersionedHashes?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** Hash of the block. */
  readonly blockHash: Scalars['Bytes32']['output'];
  /** Height of the block. */
  readonly blockNumber: Scalars['Long']['output'];
  /** Time of the block in seconds since 1970. */
  readonly blockTimestamp: Scalars['Long']['output'];
  /** Id of the chain. */
  readonly chainID?: Maybe<Scalars['BigInt']['output']>;
  /** The account that calls, with its state before the simulation. */
  readonly from: Account;
  /** Gas limit: of the call, or what is left of the limit of the block or of the node. */
  readonly gas: Scalars['Long']['output'];
  /** Price in wei per gas. */
  readonly gasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Position in the block, from 0. */
  readonly index: Scalars['Long']['output'];
  /** Call data, or the initialisation code of a contract creation. */
  readonly inputData: Scalars['Bytes']['output'];
  /** Maximum price in wei per blob gas. Null unless it carries blobs (EIP-4844). */
  readonly maxFeePerBlobGas?: Maybe<Scalars['BigInt']['output']>;
  /** Maximum price in wei per gas, base fee included. Null for types before EIP-1559. */
  readonly maxFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Maximum priority fee in wei per gas. Null for types before EIP-1559. */
  readonly maxPriorityFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Nonce of the call, or the next nonce of its sender. */
  readonly nonce: Scalars['Long']['output'];
  /** ECDSA signature: r. Zero, as there is no signature. */
  readonly r?: Maybe<Scalars['BigInt']['output']>;
  /** ECDSA signature: s. Zero, as there is no signature. */
  readonly s?: Maybe<Scalars['BigInt']['output']>;
  /** The account called, with its state before the simulation. Null for a contract creation. */
  readonly to?: Maybe<Account>;
  /** Transaction type (EIP-2718). */
  readonly type?: Maybe<Scalars['Long']['output']>;
  /** ECDSA signature: v. Zero, as there is no signature. */
  readonly v?: Maybe<Scalars['BigInt']['output']>;
  /** Wei sent with the call. */
  readonly value: Scalars['BigInt']['output'];
  /** ECDSA signature: parity of the curve point's y. Zero, as there is no signature. */
  readonly yParity?: Maybe<Scalars['BigInt']['output']>;
};

/**
 * The results of calls that were executed on top of a block, without transactions. Unless `validation` is set, the base fee is zero and no call needs a valid nonce.
 * Source: `eth_simulateV1`.
 */
export type Simulation = {
  /** The block on whose state the first call was executed. Null when a reorg removed it. */
  readonly block?: Maybe<Block>;
  /** The simulated blocks, oldest first, with the blocks that the node has inserted between the given heights. */
  readonly blocks: ReadonlyArray<SimulatedBlock>;
  /** The results of the calls of all blocks, in the order of the calls. */
  readonly calls: ReadonlyArray<SimulatedCall>;
};

/** Why a simulated call failed. */
export type SimulationError = {
  /** The node's error number: 3 for a revert, else mostly -32015. Null where the node sends none. */
  readonly code?: Maybe<Scalars['Int']['output']>;
  /** Payload of the revert, `0x` for a revert without one. Null where the node sends none, and for one above 1 MiB. */
  readonly data?: Maybe<Scalars['Bytes']['output']>;
  /**
   * `execution reverted`, with the text of `Error(string)` or `Panic(uint256)`, or the failure of the virtual machine, such as `out of gas`; `execution failed` for any other. In words
   * of this server: the text of a node can contain a key.
   */
  readonly message: Scalars['String']['output'];
};

/** The changes of a storage slot in a block. */
export type SlotChanges = {
  /** Values after each change. */
  readonly changes: ReadonlyArray<StorageChange>;
  /** Storage slot. */
  readonly slot: Scalars['Bytes32']['output'];
};

/** The value of a storage slot after a change. */
export type StorageChange = {
  /** 0 before the first transaction, its position plus 1 for a transaction, the number of transactions plus 1 after the last one. */
  readonly index: Scalars['Long']['output'];
  /** Value of the slot. */
  readonly value: Scalars['Bytes32']['output'];
};

/** The change of a storage slot. Zero for a slot without a value. */
export type StorageDiff = {
  /** Value after it. */
  readonly after: Scalars['Bytes32']['output'];
  /** Value before the transaction. */
  readonly before: Scalars['Bytes32']['output'];
  /** Slot of the account's storage. */
  readonly slot: Scalars['Bytes32']['output'];
};

/** A storage slot with its value. */
export type StorageEntry = {
  /** Slot of the storage. */
  readonly slot: Scalars['Bytes32']['output'];
  /** Its value. */
  readonly value: Scalars['Bytes32']['output'];
};

/** Merkle proof of one storage slot (EIP-1186). */
export type StorageProof = {
  /** The storage slot. */
  readonly key: Scalars['BigInt']['output'];
  /** RLP-encoded nodes of the storage trie, from `storageHash` along the Keccak-256 hash of the slot. Empty where the storage is empty. */
  readonly proof: ReadonlyArray<Scalars['Bytes']['output']>;
  /** Value in the slot; zero when it was never set. */
  readonly value: Scalars['BigInt']['output'];
};

/** The value of a storage slot. */
export type StorageValueInput = {
  /** Storage slot. */
  readonly slot: Scalars['Bytes32']['input'];
  /** Its value. */
  readonly value: Scalars['Bytes32']['input'];
};

/** The position of a subscription, which the server stores under a name. */
export type Stream = {
  /** Time of the last acknowledgement. Null before the first. */
  readonly acknowledgedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The chain of the subscription. Null for the default chain. */
  readonly chainId?: Maybe<Scalars['ChainId']['output']>;
  /** Time of the first subscription. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** The last acknowledged event. Null before the first. */
  readonly cursor?: Maybe<Scalars['String']['output']>;
  /** Height of the first block that is sent while no event is acknowledged. Null for a stream that began after a cursor. */
  readonly fromBlock?: Maybe<Scalars['Long']['output']>;
  /** Whether a subscription consumes the stream. */
  readonly isActive: Scalars['Boolean']['output'];
  /** The name. */
  readonly name: Scalars['String']['output'];
  /** The subscription that it belongs to: `logs`, also for `logPages`, or `newHeads`. */
  readonly subscription: Scalars['String']['output'];
};

/** One step of an execution: an opcode, and the state of the machine before it. */
export type StructLog = {
  /** Depth of calls inside each other, from 1. */
  readonly depth: Scalars['Int']['output'];
  /** Why the step failed. Null if it did not. */
  readonly error?: Maybe<ExecutionFailure>;
  /** Gas that is left before the opcode. */
  readonly gas: Scalars['Long']['output'];
  /** Gas that the opcode costs. */
  readonly gasCost: Scalars['Long']['output'];
  /** Memory in words of 32 bytes. Null without `enableMemory`. */
  readonly memory?: Maybe<ReadonlyArray<Scalars['Bytes32']['output']>>;
  /** Name of the opcode; INVALID for one without a name. */
  readonly op: Scalars['String']['output'];
  /** Position of the opcode in the code. */
  readonly pc: Scalars['Long']['output'];
  /** Refund of gas so far. Null where the node does not return it. */
  readonly refund?: Maybe<Scalars['Long']['output']>;
  /** Data that the last call returned. Null without `enableReturnData`, and where it is empty. */
  readonly returnData?: Maybe<Scalars['Bytes']['output']>;
  /** Words on the stack, the top last. Null with `disableStack`. */
  readonly stack?: Maybe<ReadonlyArray<Scalars['BigInt']['output']>>;
  /** Slots of the contract that its execution has read or written so far. Null with `disableStorage`, and for a step that uses no storage. */
  readonly storage?: Maybe<ReadonlyArray<StorageEntry>>;
};

/** A transaction to submit. */
export type SubmitTransactionInput = {
  /** The signed transaction in network encoding: RLP, or a type byte and RLP (EIP-2718). */
  readonly data: Scalars['Bytes']['input'];
  /**
   * Maximum time in milliseconds to wait until the transaction is in a block of the canonical chain. The server ends the wait early enough to respond within
   * the time limit of the operation. No wait when omitted.
   */
  readonly waitMs?: InputMaybe<Scalars['Int']['input']>;
};

/** A submitted transaction. */
export type SubmitTransactionPayload = {
  /** True when the node had the transaction already. */
  readonly alreadyKnown: Scalars['Boolean']['output'];
  /** Keccak-256 of the signed transaction, computed by the server. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Its receipt. Null without `waitMs`, and when it was not mined within that time. */
  readonly receipt?: Maybe<Receipt>;
  /** The transaction. Null when the node does not return it yet. */
  readonly transaction?: Maybe<Transaction>;
};

export type Subscription = {
  /**
   * The events of `logs` in pages, with a cursor after each: for clients that store events together with their position. A page has the logs of one block, or, far
   * in the past, at most 200 logs of consecutive blocks. A page is empty where nothing matches: in the past, a page arrives for every few seconds of searches, later for at most ten seconds while blocks arrive. The fields below a log are read at its block, and state at the last block of the page.
   */
  readonly logPages: LogPage;
  /**
   * Event logs of each block added to the chain, in chain order. When a reorg removes blocks, their logs are delivered again, last first, with `removed` true,
   * then those of the new branch. The fields below a log are read at its block. Below a removed log, the transaction, its receipt and the block have the
   * values that were read before the reorg, and state is read at the head. The errors of an event contain its `cursor` and `removed`.
   * Source: `eth_getBlockReceipts` of each block, else `eth_getLogs`, shared by all clients.
   */
  readonly logs: Log;
  /**
   * Each block added to the chain, oldest first. After a reorg, all blocks of the new branch: heights repeat, and the later block is canonical.
   * The fields below are read at that block. Source: `eth_subscribe` of `newHeads`, shared by all clients, else polling.
   */
  readonly newHeads: BlockHeader;
  /**
   * Whole transactions as the node adds them to its pool. Best effort: transactions that the node does not announce, or announces while the connection
   * is down, are not delivered later. Source: `eth_subscribe` of the node's full pending transactions or of `newPendingTransactions`, shared by all
   * clients, else polling `eth_getFilterChanges`.
   */
  readonly pendingTransactions: Transaction;
  /** Each reorg as one event. The fields below are read at the new head. Source: as for `newHeads`. */
  readonly reorgs: Reorg;
  /**
   * The status of a transaction: first the current one, then each change of its status, its confirmations or its block. Completes after CONFIRMED, REPLACED
   * or DROPPED. Source: `eth_getTransactionByHash` at the start, and at each new head while the transaction is in no canonical block; one request for all
   * watched transactions.
   */
  readonly transactionStatus: TransactionStatusUpdate;
};


export type SubscriptionLogPagesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  filter?: InputMaybe<LogSubscriptionFilter>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  stream?: InputMaybe<Scalars['String']['input']>;
};


export type SubscriptionLogsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  filter?: InputMaybe<LogSubscriptionFilter>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  stream?: InputMaybe<Scalars['String']['input']>;
};


export type SubscriptionNewHeadsArgs = {
  after?: InputMaybe<Scalars['Bytes32']['input']>;
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  stream?: InputMaybe<Scalars['String']['input']>;
};


export type SubscriptionPendingTransactionsArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  filter?: InputMaybe<PendingTransactionFilter>;
};


export type SubscriptionReorgsArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
};


export type SubscriptionTransactionStatusArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  confirmations?: InputMaybe<Scalars['Int']['input']>;
  hash: Scalars['Bytes32']['input'];
};

/** Progress of a synchronising node. */
export type SyncState = {
  /** Height reached so far. */
  readonly currentBlock: Scalars['Long']['output'];
  /** Highest block known from the network. */
  readonly highestBlock: Scalars['Long']['output'];
  /** Height at which the synchronisation started. */
  readonly startingBlock: Scalars['Long']['output'];
};

export type Token = {
  readonly address: Scalars['Address']['output'];
  /**
   * A page of the token's transfers in an inclusive range of blocks of any length, in chain order: its `Transfer` events with an amount (ERC-20).
   * The server searches only as many blocks as the page needs. Cursors are the cursors of the logs; a cursor of a block that a reorg removed fails with CURSOR_EXPIRED.
   * Null, with an error, if the node fails. Source: `eth_getLogs`.
   */
  readonly transfers?: Maybe<TokenTransferConnection>;
};


export type TokenTransfersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Address']['input']>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  to?: InputMaybe<Scalars['Address']['input']>;
  toBlock?: InputMaybe<Scalars['Long']['input']>;
};

/** A transfer of a token: a `Transfer` event of ERC-20. */
export type TokenTransfer = {
  /** Amount in the token's smallest unit; `Token.decimals` scales it. */
  readonly amount: Scalars['BigInt']['output'];
  /** Account that sent the tokens, at the operation's block; the zero address when they were minted. */
  readonly from: Account;
  /** The event. */
  readonly log: Log;
  /** Account that received the tokens, at the operation's block; the zero address when they were burned. */
  readonly to: Account;
};

/** A page of transfers of a token. */
export type TokenTransferConnection = {
  /** The transfers of the page with their cursors, in chain order. */
  readonly edges: ReadonlyArray<TokenTransferEdge>;
  /**
   * The transfers of the page in chain order. Events of this name without an amount, such as those of an NFT, are left out, so a page may have fewer
   * transfers than its size.
   */
  readonly nodes: ReadonlyArray<TokenTransfer>;
  /** Position of the page in the list, as in `LogConnection`. */
  readonly pageInfo: PageInfo;
  /**
   * Sum of the amounts of the page, in the token's smallest unit: the sum of the whole range if there is no other page.
   * At most 2^256 - 1, also for a contract whose events state more.
   */
  readonly totalAmount: Scalars['BigInt']['output'];
};

/** A transfer in a page. */
export type TokenTransferEdge = {
  /** Cursor of this transfer, for `after` and `before`: `Log.cursor` of its event. */
  readonly cursor: Scalars['String']['output'];
  /** The transfer. */
  readonly node: TokenTransfer;
};

/** A signed transaction, mined or pending. */
export type Transaction = {
  /** Addresses and storage slots of its access list (EIP-2930). Null for a type without one. */
  readonly accessList?: Maybe<ReadonlyArray<AccessTuple>>;
  /** Fields of the types of transactions that only Arbitrum knows. Null for any other transaction. */
  readonly arbitrum?: Maybe<ArbitrumTransaction>;
  /** Delegations of accounts to contracts that it carries, in order (EIP-7702). Null for any other type. */
  readonly authorizationList?: Maybe<ReadonlyArray<Authorization>>;
  /** Price paid in wei per blob gas. Null while pending and unless it carries blobs. */
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
  /** Time of the block in seconds since 1970. Null while pending, and when the node no longer has the block. Costs no call where the node returns it with the transaction. */
  readonly blockTimestamp?: Maybe<Scalars['Long']['output']>;
  /** Id of the chain for which it is signed: of the transaction, or from `v` (EIP-155). Null for a signature that is valid on every chain. */
  readonly chainID?: Maybe<Scalars['BigInt']['output']>;
  /**
   * Number of blocks from its block to the head of the chain, both included: 1 for the head. The head is the block in `extensions.block`. Null while
   * the transaction is pending, and when its block is above the head.
   */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** The contract it created. Null while pending and for any other transaction. */
  readonly createdContract?: Maybe<Account>;
  /** Gas used in its block up to and including it. Null while pending. */
  readonly cumulativeGasUsed?: Maybe<Scalars['Long']['output']>;
  /**
   * The decoded call. Null for a contract creation, for an unknown selector, for an input that is not exactly the encoding of the arguments, and if
   * several functions fit.
   */
  readonly decoded?: Maybe<DecodedCall>;
  /** Price paid in wei per gas. Null while pending. */
  readonly effectiveGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Wei per gas paid to the block's producer. Null while pending. */
  readonly effectiveTip?: Maybe<Scalars['BigInt']['output']>;
  /**
   * Each step of its execution. Null while pending. The node decides on options that are omitted: by default it sends stack and storage, but neither memory nor
   * returned data. Source: `debug_traceTransaction`; METHOD_NOT_SUPPORTED on a node without it. RESULT_TOO_LARGE for more bytes than the server accepts.
   */
  readonly executionTrace?: Maybe<ExecutionTrace>;
  /** The account that signed it. */
  readonly from: Account;
  /** Gas limit. */
  readonly gas: Scalars['Long']['output'];
  /** Price in wei per gas. Legacy transaction: the offered price. Fee-market transaction: the paid price once mined, the maximum price while pending. Zero for a type without a price, as some chains have. */
  readonly gasPrice: Scalars['BigInt']['output'];
  /** `gasPrice` in a unit: an exact decimal number without trailing zeros, such as `1.5`. */
  readonly gasPriceIn: Scalars['String']['output'];
  /** Gas it used. Null while pending. */
  readonly gasUsed?: Maybe<Scalars['Long']['output']>;
  /** Keccak-256 of the signed transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Identity for client caches: the hash of the transaction. */
  readonly id: Scalars['ID']['output'];
  /** Position in its block, from 0. Null while pending. */
  readonly index?: Maybe<Scalars['Long']['output']>;
  /** Call data, or the initialisation code of a contract creation. */
  readonly inputData: Scalars['Bytes']['output'];
  /** Logs it emitted, in order. Null while pending. */
  readonly logs?: Maybe<ReadonlyArray<Log>>;
  /** Maximum price in wei per blob gas. Null unless it carries blobs (EIP-4844). */
  readonly maxFeePerBlobGas?: Maybe<Scalars['BigInt']['output']>;
  /** Maximum price in wei per gas, base fee included. Null for types before EIP-1559. */
  readonly maxFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Maximum priority fee in wei per gas, on top of the base fee. Null for types before EIP-1559. */
  readonly maxPriorityFeePerGas?: Maybe<Scalars['BigInt']['output']>;
  /** Number of transactions that its sender sent before it. */
  readonly nonce: Scalars['Long']['output'];
  /** Deposit of a chain of the OP Stack. Null for any other transaction. */
  readonly optimism?: Maybe<OptimismDeposit>;
  /** ECDSA signature: r. Zero for a transaction without a signature, as some chains have. */
  readonly r: Scalars['BigInt']['output'];
  /**
   * The signed transaction, encoded as it is in a block (EIP-2718), without blobs. The server encodes the node's values and checks the result against `hash`.
   * Source for a type that the server does not know: `eth_getRawTransactionByHash`; METHOD_NOT_SUPPORTED where the node has no such method.
   */
  readonly raw: Scalars['Bytes']['output'];
  /**
   * Its receipt, encoded as the receipts root of its block commits to it (EIP-2718). The server encodes all receipts of the block and checks them against that
   * root. `0x` while pending.
   */
  readonly rawReceipt: Scalars['Bytes']['output'];
  /** Its receipt. Null while pending. */
  readonly receipt?: Maybe<Receipt>;
  /**
   * The error in the payload of `revertReason`, decoded by an ABI, in one call with it. Null where `revertReason` is, and for a payload that no ABI or several
   * ABIs describe. The errors of a contract creation are those of the ABIs for all contracts and of the standards.
   */
  readonly revertError?: Maybe<DecodedError>;
  /**
   * Payload of the revert, ABI-encoded; `0x` for a revert without one. Null while pending, when it succeeded or failed otherwise, above 1 MiB, and where
   * the node neither sends it nor supports traces. Source: `revertReason` of the receipt (Besu), else `debug_traceTransaction`, only for a failed transaction.
   */
  readonly revertReason?: Maybe<Scalars['Bytes']['output']>;
  /** ECDSA signature: s. Zero for a transaction without a signature. */
  readonly s: Scalars['BigInt']['output'];
  /** Whether the transaction is in a block. */
  readonly state: TransactionState;
  /**
   * The accounts that it changed, by address. Null while pending. Source: `debug_traceTransaction` with `prestateTracer`;
   * METHOD_NOT_SUPPORTED on a node without it.
   */
  readonly stateDiff?: Maybe<ReadonlyArray<AccountDiff>>;
  /** 1 when it succeeded, 0 when it reverted or ran out of gas. Null while pending and before Byzantium. */
  readonly status?: Maybe<Scalars['Long']['output']>;
  /** The account called or paid. Null for a contract creation. */
  readonly to?: Maybe<Account>;
  /**
   * Its calls in depth-first order, its own call first. Null while pending. Source: `debug_traceTransaction` with `callTracer`, else `trace_transaction`; below a
   * block of which at least half of the transactions are traced, one call for the block. METHOD_NOT_SUPPORTED on a node that has neither, HISTORY_PRUNED where the
   * node no longer has the state before the block.
   */
  readonly trace?: Maybe<ReadonlyArray<CallFrame>>;
  /** Transaction type (EIP-2718): 0 legacy, 1 access list, 2 fee market, 3 blobs, 4 set code. */
  readonly type?: Maybe<Scalars['Long']['output']>;
  /** ECDSA signature: v, which carries the chain id in a replay-protected legacy transaction (EIP-155). Zero for a transaction without a signature. */
  readonly v: Scalars['BigInt']['output'];
  /** Wei moved from sender to recipient; token transfers are not counted. */
  readonly value: Scalars['BigInt']['output'];
  /** `value` in a unit: an exact decimal number without trailing zeros, such as `1.5`. */
  readonly valueIn: Scalars['String']['output'];
  /** ECDSA signature: parity of the curve point's y. Null for a legacy transaction. */
  readonly yParity?: Maybe<Scalars['BigInt']['output']>;
};


/** A signed transaction, mined or pending. */
export type TransactionCreatedContractArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionExecutionTraceArgs = {
  disableStack?: InputMaybe<Scalars['Boolean']['input']>;
  disableStorage?: InputMaybe<Scalars['Boolean']['input']>;
  enableMemory?: InputMaybe<Scalars['Boolean']['input']>;
  enableReturnData?: InputMaybe<Scalars['Boolean']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionFromArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionGasPriceInArgs = {
  unit?: Unit;
};


/** A signed transaction, mined or pending. */
export type TransactionToArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};


/** A signed transaction, mined or pending. */
export type TransactionValueInArgs = {
  unit?: Unit;
};

/** A page of the transactions of one block, in order. */
export type TransactionConnection = {
  /** The transactions of the page with their cursors. */
  readonly edges: ReadonlyArray<TransactionEdge>;
  /** The transactions of the page. Selecting only `hash` without a filter requests no full transactions. */
  readonly nodes: ReadonlyArray<Maybe<Transaction>>;
  /** Where the page lies in the list. */
  readonly pageInfo: PageInfo;
  /** Number of transactions of the block that match the filter. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A transaction of a page. */
export type TransactionEdge = {
  /** Position of the transaction: the height and the hash of its block, and its index. */
  readonly cursor: Scalars['String']['output'];
  /** The transaction. */
  readonly node?: Maybe<Transaction>;
};

/** Filter for transactions. A transaction must match every field that is given. */
export type TransactionFilter = {
  /** Whether the transaction creates a contract, which means that it has no recipient. */
  readonly contractCreation?: InputMaybe<Scalars['Boolean']['input']>;
  /** The sender. */
  readonly from?: InputMaybe<Scalars['Address']['input']>;
  /** The sender or the recipient. */
  readonly participant?: InputMaybe<Scalars['Address']['input']>;
  /** The recipient. A transaction that creates a contract has none. */
  readonly to?: InputMaybe<Scalars['Address']['input']>;
  /** Whether the transaction has input data. */
  readonly withInput?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A page of the transactions of a range of blocks, in chain order. Their total number is unknown. */
export type TransactionRangeConnection = {
  /** The transactions of the page with their cursors. */
  readonly edges: ReadonlyArray<TransactionEdge>;
  /** The transactions of the page. */
  readonly nodes: ReadonlyArray<Maybe<Transaction>>;
  /**
   * Where the page lies in the range. The search for a page that is not full ends at `endCursor`, or at `startCursor` of a page from the end, which
   * may be the position of no transaction. `hasNextPage` and `hasPreviousPage` are true while blocks remain to be searched.
   */
  readonly pageInfo: PageInfo;
};

/** State of an existing transaction. */
export type TransactionState =
  /** In a block. */
  | 'MINED'
  /** In no block yet. */
  | 'PENDING';

/** Status of a transaction hash. */
export type TransactionStatus =
  /** In a canonical block with the requested confirmations. Final. */
  | 'CONFIRMED'
  /** The node once returned the transaction, and has not returned it for at least three heads and 30 seconds. Final. */
  | 'DROPPED'
  /** In a canonical block with fewer confirmations than requested. */
  | 'MINED'
  /** In no block yet. Also after a reorg removed its block, and when the node no longer knows it but it is not DROPPED yet. */
  | 'PENDING'
  /** Another transaction of the same sender used its nonce. Final. */
  | 'REPLACED'
  /** The node has never returned this transaction. */
  | 'UNKNOWN';

/** The status of a transaction at a head of the chain. */
export type TransactionStatusUpdate = {
  /** Number of blocks from its block to the head, both included. Null while it is in no block. */
  readonly confirmations?: Maybe<Scalars['Long']['output']>;
  /** Hash of the transaction. */
  readonly hash: Scalars['Bytes32']['output'];
  /** Its receipt. Null while it is in no block. */
  readonly receipt?: Maybe<Receipt>;
  /** Hash of the transaction that used its nonce. Null unless REPLACED, and when that transaction was not found. */
  readonly replacedBy?: Maybe<Scalars['Bytes32']['output']>;
  /** Current status. */
  readonly status: TransactionStatus;
  /**
   * True when it succeeded, false when it reverted or ran out of gas. Null while it is in no block, and before Byzantium. Source: `status` of
   * `eth_getTransactionReceipt`, requested only when this field is selected.
   */
  readonly succeeded?: Maybe<Scalars['Boolean']['output']>;
  /** The transaction as the node last returned it. Null while UNKNOWN, and once REPLACED or DROPPED. */
  readonly transaction?: Maybe<Transaction>;
};

/** A transaction of a block with its calls. */
export type TransactionTrace = {
  /** Its calls in depth-first order, its own call first. */
  readonly calls: ReadonlyArray<CallFrame>;
  /** The transaction. */
  readonly transaction: Transaction;
};

/** Unit of an amount of ether. */
export type Unit =
  /** 10^18 wei. */
  | 'ETHER'
  /** 10^9 wei. */
  | 'GWEI'
  /** The smallest unit. */
  | 'WEI';

/** A withdrawal from the beacon chain to an account (EIP-4895). */
export type Withdrawal = {
  /** Account that receives the amount. */
  readonly address: Scalars['Address']['output'];
  /** Amount in gwei. */
  readonly amount: Scalars['Long']['output'];
  /** Sequence number assigned by the consensus layer. */
  readonly index: Scalars['Long']['output'];
  /** Index of the validator that withdraws. */
  readonly validator: Scalars['Long']['output'];
};

/** A withdrawal of a simulated block (EIP-4895). */
export type WithdrawalInput = {
  /** Account that receives the amount. */
  readonly address: Scalars['Address']['input'];
  /** Amount in gwei. */
  readonly amount: Scalars['Long']['input'];
  /** Sequence number assigned by the consensus layer. */
  readonly index: Scalars['Long']['input'];
  /** Index of the validator that withdraws. */
  readonly validator: Scalars['Long']['input'];
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
  Duel: Duel;
  Receipt: Receipt;
  Token: Token;
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
  Duel:
    ( { __typename: 'Duel' }
    & GraphQLRecursivePick<FederationTypes['Duel'], {"id":true}>
    & ( Record<PropertyKey, never>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"endBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"endBlockNumber":true,"startBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"endBlockNumber":true,"startBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"endBlockNumber":true,"startBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"startBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"startBlockNumber":true}>
        | GraphQLRecursivePick<FederationTypes['Duel'], {"startBlockNumber":true}> ) );
  Receipt:
    ( { __typename: 'Receipt' }
    & GraphQLRecursivePick<FederationTypes['Receipt'], {"transactionHash":true}> );
  Token:
    ( { __typename: 'Token' }
    & GraphQLRecursivePick<FederationTypes['Token'], {"address":true}> );
  Transaction:
    ( { __typename: 'Transaction' }
    & GraphQLRecursivePick<FederationTypes['Transaction'], {"hash":true}> );
};


/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Header:
    | ( ChainBlock )
    | ( AnnouncedHeader )
    | ( RpcPendingBlock )
    | ( BlockInSimulation )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AbiValue: ResolverTypeWrapper<Scalars['AbiValue']['output']>;
  AccessListResult: ResolverTypeWrapper<AccessListAtBlock>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  AccessTuple: ResolverTypeWrapper<RpcAccessTuple>;
  AccessTupleInput: AccessTupleInput;
  Account: ResolverTypeWrapper<AccountAtBlock>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  AccountAccess: ResolverTypeWrapper<RpcAccountAccess>;
  AccountDiff: ResolverTypeWrapper<AccountDiffModel>;
  AccountOverride: AccountOverride;
  AccountProof: ResolverTypeWrapper<RpcAccountProof>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  ArbitrumBlock: ResolverTypeWrapper<ArbitrumBlock>;
  ArbitrumReceipt: ResolverTypeWrapper<ArbitrumReceipt>;
  ArbitrumTransaction: ResolverTypeWrapper<ArbitrumTransaction>;
  Authorization: ResolverTypeWrapper<RpcAuthorization>;
  AuthorizationInput: AuthorizationInput;
  BalanceChange: ResolverTypeWrapper<BalanceChange>;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  BlobSchedule: ResolverTypeWrapper<BlobSchedule>;
  Block: ResolverTypeWrapper<ChainBlock>;
  BlockConnection: ResolverTypeWrapper<BlockPage>;
  BlockEdge: ResolverTypeWrapper<BlockPageEdge>;
  BlockFilterCriteria: BlockFilterCriteria;
  BlockHeader: ResolverTypeWrapper<AnnouncedHeader>;
  BlockOverrides: BlockOverrides;
  BlockRange: ResolverTypeWrapper<BlockRange>;
  BlockTag: BlockTag;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  CallData: CallData;
  CallFrame: ResolverTypeWrapper<CallFrameModel>;
  CallResult: ResolverTypeWrapper<ExecutedCall>;
  CallType: CallType;
  ChainId: ResolverTypeWrapper<Scalars['ChainId']['output']>;
  CodeChange: ResolverTypeWrapper<CodeChange>;
  ContractRead: ResolverTypeWrapper<ExecutedRead>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  DecodedArgument: ResolverTypeWrapper<AbiArgument>;
  DecodedCall: ResolverTypeWrapper<DecodedAbi>;
  DecodedError: ResolverTypeWrapper<DecodedAbi>;
  DecodedEvent: ResolverTypeWrapper<DecodedAbi>;
  Duel: ResolverTypeWrapper<DuelKey>;
  ExecutionFailure: ExecutionFailure;
  ExecutionTrace: ResolverTypeWrapper<Execution>;
  FeeHistory: ResolverTypeWrapper<FeeHistoryRange>;
  FeeHistoryBlock: ResolverTypeWrapper<FeeHistoryRow>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  FilterCriteria: FilterCriteria;
  ForkConfig: ResolverTypeWrapper<ForkConfig>;
  ForkConfigs: ResolverTypeWrapper<ForkConfigs>;
  Header: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Header']>;
  Log: ResolverTypeWrapper<RpcLog>;
  LogConnection: ResolverTypeWrapper<LogConnectionModel>;
  LogEdge: ResolverTypeWrapper<LogEdgeModel>;
  LogPage: ResolverTypeWrapper<Omit<LogPage, 'nodes'> & { nodes: ReadonlyArray<ResolversTypes['Log']> }>;
  LogSubscriptionFilter: LogSubscriptionFilter;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  NamedContract: ResolverTypeWrapper<NamedContract>;
  NativeTransfer: ResolverTypeWrapper<TransferInSimulation>;
  Network: ResolverTypeWrapper<{}>;
  NonceChange: ResolverTypeWrapper<NonceChange>;
  OptimismDeposit: ResolverTypeWrapper<OptimismDeposit>;
  OptimismReceipt: ResolverTypeWrapper<OptimismReceipt>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Pending: ResolverTypeWrapper<PendingPlan>;
  PendingBlock: ResolverTypeWrapper<RpcPendingBlock>;
  PendingTransactionFilter: PendingTransactionFilter;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Receipt: ResolverTypeWrapper<RpcReceipt>;
  Reorg: ResolverTypeWrapper<ReorgEvent>;
  Resource: Resource;
  Service: ResolverTypeWrapper<ChainService>;
  ServiceLimit: ResolverTypeWrapper<ServiceLimit>;
  SimulatedBlock: ResolverTypeWrapper<BlockInSimulation>;
  SimulatedBlockInput: SimulatedBlockInput;
  SimulatedCall: ResolverTypeWrapper<CallInSimulation>;
  SimulatedLog: ResolverTypeWrapper<LogInSimulation>;
  SimulatedTransaction: ResolverTypeWrapper<TransactionInSimulation>;
  Simulation: ResolverTypeWrapper<SimulationAtBlock>;
  SimulationError: ResolverTypeWrapper<SimulationError>;
  SlotChanges: ResolverTypeWrapper<RpcSlotChanges>;
  StorageChange: ResolverTypeWrapper<StorageChange>;
  StorageDiff: ResolverTypeWrapper<StorageDiff>;
  StorageEntry: ResolverTypeWrapper<StorageEntry>;
  StorageProof: ResolverTypeWrapper<StorageProof>;
  StorageValueInput: StorageValueInput;
  Stream: ResolverTypeWrapper<Stream>;
  StructLog: ResolverTypeWrapper<RawStructLog>;
  SubmitTransactionInput: SubmitTransactionInput;
  SubmitTransactionPayload: ResolverTypeWrapper<SubmittedTransaction>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  SyncState: ResolverTypeWrapper<RpcSyncState>;
  Token: ResolverTypeWrapper<TokenKey>;
  TokenTransfer: ResolverTypeWrapper<TokenTransferModel>;
  TokenTransferConnection: ResolverTypeWrapper<TokenTransferConnectionModel>;
  TokenTransferEdge: ResolverTypeWrapper<TokenTransferEdgeModel>;
  Transaction: ResolverTypeWrapper<PartialTransaction>;
  TransactionConnection: ResolverTypeWrapper<BlockTransactionsPage>;
  TransactionEdge: ResolverTypeWrapper<TransactionPageEdge>;
  TransactionFilter: TransactionFilter;
  TransactionRangeConnection: ResolverTypeWrapper<TransactionPage>;
  TransactionState: TransactionState;
  TransactionStatus: TransactionStatus;
  TransactionStatusUpdate: ResolverTypeWrapper<StatusUpdate>;
  TransactionTrace: ResolverTypeWrapper<TransactionCalls>;
  Unit: Unit;
  Withdrawal: ResolverTypeWrapper<RpcWithdrawal>;
  WithdrawalInput: WithdrawalInput;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AbiValue: Scalars['AbiValue']['output'];
  AccessListResult: AccessListAtBlock;
  String: Scalars['String']['output'];
  AccessTuple: RpcAccessTuple;
  AccessTupleInput: AccessTupleInput;
  Account: AccountAtBlock;
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
  ID: Scalars['ID']['output'];
  AccountAccess: RpcAccountAccess;
  AccountDiff: AccountDiffModel;
  AccountOverride: AccountOverride;
  AccountProof: RpcAccountProof;
  Address: Scalars['Address']['output'];
  ArbitrumBlock: ArbitrumBlock;
  ArbitrumReceipt: ArbitrumReceipt;
  ArbitrumTransaction: ArbitrumTransaction;
  Authorization: RpcAuthorization;
  AuthorizationInput: AuthorizationInput;
  BalanceChange: BalanceChange;
  BigInt: Scalars['BigInt']['output'];
  BlobSchedule: BlobSchedule;
  Block: ChainBlock;
  BlockConnection: BlockPage;
  BlockEdge: BlockPageEdge;
  BlockFilterCriteria: BlockFilterCriteria;
  BlockHeader: AnnouncedHeader;
  BlockOverrides: BlockOverrides;
  BlockRange: BlockRange;
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  CallData: CallData;
  CallFrame: CallFrameModel;
  CallResult: ExecutedCall;
  ChainId: Scalars['ChainId']['output'];
  CodeChange: CodeChange;
  ContractRead: ExecutedRead;
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  DecodedArgument: AbiArgument;
  DecodedCall: DecodedAbi;
  DecodedError: DecodedAbi;
  DecodedEvent: DecodedAbi;
  Duel: DuelKey;
  ExecutionTrace: Execution;
  FeeHistory: FeeHistoryRange;
  FeeHistoryBlock: FeeHistoryRow;
  Float: Scalars['Float']['output'];
  FilterCriteria: FilterCriteria;
  ForkConfig: ForkConfig;
  ForkConfigs: ForkConfigs;
  Header: ResolversInterfaceTypes<ResolversParentTypes>['Header'];
  Log: RpcLog;
  LogConnection: LogConnectionModel;
  LogEdge: LogEdgeModel;
  LogPage: Omit<LogPage, 'nodes'> & { nodes: ReadonlyArray<ResolversParentTypes['Log']> };
  LogSubscriptionFilter: LogSubscriptionFilter;
  Long: Scalars['Long']['output'];
  Mutation: Record<PropertyKey, never>;
  NamedContract: NamedContract;
  NativeTransfer: TransferInSimulation;
  Network: {};
  NonceChange: NonceChange;
  OptimismDeposit: OptimismDeposit;
  OptimismReceipt: OptimismReceipt;
  PageInfo: PageInfo;
  Pending: PendingPlan;
  PendingBlock: RpcPendingBlock;
  PendingTransactionFilter: PendingTransactionFilter;
  Query: Record<PropertyKey, never>;
  Receipt: RpcReceipt;
  Reorg: ReorgEvent;
  Service: ChainService;
  ServiceLimit: ServiceLimit;
  SimulatedBlock: BlockInSimulation;
  SimulatedBlockInput: SimulatedBlockInput;
  SimulatedCall: CallInSimulation;
  SimulatedLog: LogInSimulation;
  SimulatedTransaction: TransactionInSimulation;
  Simulation: SimulationAtBlock;
  SimulationError: SimulationError;
  SlotChanges: RpcSlotChanges;
  StorageChange: StorageChange;
  StorageDiff: StorageDiff;
  StorageEntry: StorageEntry;
  StorageProof: StorageProof;
  StorageValueInput: StorageValueInput;
  Stream: Stream;
  StructLog: RawStructLog;
  SubmitTransactionInput: SubmitTransactionInput;
  SubmitTransactionPayload: SubmittedTransaction;
  Subscription: Record<PropertyKey, never>;
  SyncState: RpcSyncState;
  Token: TokenKey;
  TokenTransfer: TokenTransferModel;
  TokenTransferConnection: TokenTransferConnectionModel;
  TokenTransferEdge: TokenTransferEdgeModel;
  Transaction: PartialTransaction;
  TransactionConnection: BlockTransactionsPage;
  TransactionEdge: TransactionPageEdge;
  TransactionFilter: TransactionFilter;
  TransactionRangeConnection: TransactionPage;
  TransactionStatusUpdate: StatusUpdate;
  TransactionTrace: TransactionCalls;
  Withdrawal: RpcWithdrawal;
  WithdrawalInput: WithdrawalInput;
};

export interface AbiValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AbiValue'], any> {
  name: 'AbiValue';
}

export type AccessListResultResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccessListResult'] = ResolversParentTypes['AccessListResult']> = {
  accessList?: Resolver<ReadonlyArray<ResolversTypes['AccessTuple']>, ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  revertReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type AccessTupleResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccessTuple'] = ResolversParentTypes['AccessTuple']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  storageKeys?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type AccountResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  arrayStorage?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<AccountArrayStorageArgs, 'elementSize' | 'fixed' | 'index' | 'slot' | 'word'>>;
  balance?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  balanceIn?: Resolver<ResolversTypes['String'], ParentType, ContextType, RequireFields<AccountBalanceInArgs, 'unit'>>;
  code?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  isContract?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  mappingStorage?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<AccountMappingStorageArgs, 'keys' | 'slot'>>;
  proof?: Resolver<Maybe<ResolversTypes['AccountProof']>, ParentType, ContextType, RequireFields<AccountProofArgs, 'storageKeys'>>;
  read?: Resolver<Maybe<ResolversTypes['ContractRead']>, ParentType, ContextType, RequireFields<AccountReadArgs, 'args' | 'function'>>;
  storage?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<AccountStorageArgs, 'slot'>>;
  storageMany?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType, RequireFields<AccountStorageManyArgs, 'slots'>>;
  transactionCount?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type AccountAccessResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccountAccess'] = ResolversParentTypes['AccountAccess']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  balanceChanges?: Resolver<ReadonlyArray<ResolversTypes['BalanceChange']>, ParentType, ContextType>;
  codeChanges?: Resolver<ReadonlyArray<ResolversTypes['CodeChange']>, ParentType, ContextType>;
  nonceChanges?: Resolver<ReadonlyArray<ResolversTypes['NonceChange']>, ParentType, ContextType>;
  storageChanges?: Resolver<ReadonlyArray<ResolversTypes['SlotChanges']>, ParentType, ContextType>;
  storageReads?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type AccountDiffResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccountDiff'] = ResolversParentTypes['AccountDiff']> = {
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<AccountDiffAccountArgs>>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  balanceAfter?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  balanceBefore?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  codeAfter?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  codeBefore?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  nonceAfter?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  nonceBefore?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  storage?: Resolver<ReadonlyArray<ResolversTypes['StorageDiff']>, ParentType, ContextType>;
};

export type AccountProofResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['AccountProof'] = ResolversParentTypes['AccountProof']> = {
  accountProof?: Resolver<ReadonlyArray<ResolversTypes['Bytes']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  balance?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  codeHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  storageHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  storageProof?: Resolver<ReadonlyArray<ResolversTypes['StorageProof']>, ParentType, ContextType>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export type ArbitrumBlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ArbitrumBlock'] = ResolversParentTypes['ArbitrumBlock']> = {
  l1BlockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  sendCount?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  sendRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type ArbitrumReceiptResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ArbitrumReceipt'] = ResolversParentTypes['ArbitrumReceipt']> = {
  gasUsedForL1?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  l1BlockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type ArbitrumTransactionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ArbitrumTransaction'] = ResolversParentTypes['ArbitrumTransaction']> = {
  beneficiary?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  depositValue?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  l1BaseFee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxRefund?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxSubmissionFee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  refundTo?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  requestId?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  retryData?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  retryTo?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  retryValue?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  submissionFeeRefund?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  ticketId?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type AuthorizationResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Authorization'] = ResolversParentTypes['Authorization']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  authority?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<AuthorizationAuthorityArgs>>;
  chainID?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  r?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  s?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  yParity?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type BalanceChangeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BalanceChange'] = ResolversParentTypes['BalanceChange']> = {
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type BlobScheduleResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlobSchedule'] = ResolversParentTypes['BlobSchedule']> = {
  baseFeeUpdateFraction?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  max?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  target?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type BlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Block'] = ResolversParentTypes['Block'], FederationReferenceType extends FederationReferenceTypes['Block'] = FederationReferenceTypes['Block']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Block']> | FederationReferenceType, FederationReferenceType, ContextType>;
  accessList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AccountAccess']>>, ParentType, ContextType>;
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, RequireFields<BlockAccountArgs, 'address'>>;
  arbitrum?: Resolver<Maybe<ResolversTypes['ArbitrumBlock']>, ParentType, ContextType>;
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockAccessListHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  call?: Resolver<Maybe<ResolversTypes['CallResult']>, ParentType, ContextType, RequireFields<BlockCallArgs, 'data'>>;
  confirmations?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  estimateGas?: Resolver<ResolversTypes['Long'], ParentType, ContextType, RequireFields<BlockEstimateGasArgs, 'data'>>;
  excessBlobGas?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  executionTraces?: Resolver<Maybe<ReadonlyArray<ResolversTypes['ExecutionTrace']>>, ParentType, ContextType, Partial<BlockExecutionTracesArgs>>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  finalized?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
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
  parentBeaconBlockRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  parentHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  rawHeader?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  receipts?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Receipt']>>, ParentType, ContextType>;
  receiptsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  requestsHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  size?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  slotNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  stateRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  timestampISO?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  totalDifficulty?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  traces?: Resolver<Maybe<ReadonlyArray<ResolversTypes['TransactionTrace']>>, ParentType, ContextType>;
  transactionAt?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType, RequireFields<BlockTransactionAtArgs, 'index'>>;
  transactionCount?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  transactionHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  transactions?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Transaction']>>, ParentType, ContextType>;
  transactionsConnection?: Resolver<Maybe<ResolversTypes['TransactionConnection']>, ParentType, ContextType, RequireFields<BlockTransactionsConnectionArgs, 'first'>>;
  transactionsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  withdrawals?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Withdrawal']>>, ParentType, ContextType>;
  withdrawalsRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type BlockConnectionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlockConnection'] = ResolversParentTypes['BlockConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['BlockEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Block']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type BlockEdgeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlockEdge'] = ResolversParentTypes['BlockEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
};

export type BlockHeaderResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlockHeader'] = ResolversParentTypes['BlockHeader']> = {
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
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

export type BlockRangeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['BlockRange'] = ResolversParentTypes['BlockRange']> = {
  first?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  last?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface Bytes32ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes32'], any> {
  name: 'Bytes32';
}

export type CallFrameResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['CallFrame'] = ResolversParentTypes['CallFrame']> = {
  decoded?: Resolver<Maybe<ResolversTypes['DecodedCall']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['ExecutionFailure']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<CallFrameFromArgs>>;
  gas?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  gasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  input?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  revertReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subtraces?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<CallFrameToArgs>>;
  traceAddress?: Resolver<ReadonlyArray<ResolversTypes['Int']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['CallType'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type CallResultResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['CallResult'] = ResolversParentTypes['CallResult']> = {
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  revertReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface ChainIdScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ChainId'], any> {
  name: 'ChainId';
}

export type CodeChangeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['CodeChange'] = ResolversParentTypes['CodeChange']> = {
  code?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type ContractReadResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ContractRead'] = ResolversParentTypes['ContractRead']> = {
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  results?: Resolver<Maybe<ReadonlyArray<ResolversTypes['DecodedArgument']>>, ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type DecodedArgumentResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['DecodedArgument'] = ResolversParentTypes['DecodedArgument']> = {
  account?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  indexed?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DecodedCallResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['DecodedCall'] = ResolversParentTypes['DecodedCall']> = {
  arguments?: Resolver<ReadonlyArray<ResolversTypes['DecodedArgument']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  selector?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  standard?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DecodedErrorResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['DecodedError'] = ResolversParentTypes['DecodedError']> = {
  arguments?: Resolver<ReadonlyArray<ResolversTypes['DecodedArgument']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  selector?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  standard?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DecodedEventResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['DecodedEvent'] = ResolversParentTypes['DecodedEvent']> = {
  arguments?: Resolver<ReadonlyArray<ResolversTypes['DecodedArgument']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  standard?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DuelResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Duel'] = ResolversParentTypes['Duel'], FederationReferenceType extends FederationReferenceTypes['Duel'] = FederationReferenceTypes['Duel']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Duel']> | FederationReferenceType, FederationReferenceType, ContextType>;
  endLog?: Resolver<Maybe<ResolversTypes['Log']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  startLog?: Resolver<Maybe<ResolversTypes['Log']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
};

export type ExecutionTraceResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ExecutionTrace'] = ResolversParentTypes['ExecutionTrace']> = {
  failed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  returnValue?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  structLogs?: Resolver<ReadonlyArray<ResolversTypes['StructLog']>, ParentType, ContextType>;
  transaction?: Resolver<ResolversTypes['Transaction'], ParentType, ContextType>;
};

export type FeeHistoryResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['FeeHistory'] = ResolversParentTypes['FeeHistory']> = {
  blocks?: Resolver<ReadonlyArray<ResolversTypes['FeeHistoryBlock']>, ParentType, ContextType>;
  nextBaseFeePerBlobGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nextBaseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type FeeHistoryBlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['FeeHistoryBlock'] = ResolversParentTypes['FeeHistoryBlock']> = {
  baseFeePerBlobGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsedRatio?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  gasUsedRatio?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  rewards?: Resolver<Maybe<ReadonlyArray<ResolversTypes['BigInt']>>, ParentType, ContextType>;
};

export type ForkConfigResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ForkConfig'] = ResolversParentTypes['ForkConfig']> = {
  activationTime?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  blobSchedule?: Resolver<Maybe<ResolversTypes['BlobSchedule']>, ParentType, ContextType>;
  chainID?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  forkId?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  precompiles?: Resolver<ReadonlyArray<ResolversTypes['NamedContract']>, ParentType, ContextType>;
  systemContracts?: Resolver<ReadonlyArray<ResolversTypes['NamedContract']>, ParentType, ContextType>;
};

export type ForkConfigsResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ForkConfigs'] = ResolversParentTypes['ForkConfigs']> = {
  current?: Resolver<ResolversTypes['ForkConfig'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ForkConfig']>, ParentType, ContextType>;
  next?: Resolver<Maybe<ResolversTypes['ForkConfig']>, ParentType, ContextType>;
};

export type HeaderResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Header'] = ResolversParentTypes['Header']> = {
  __resolveType: TypeResolveFn<'Block' | 'BlockHeader' | 'PendingBlock' | 'SimulatedBlock', ParentType, ContextType>;
};

export type LogResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Log'] = ResolversParentTypes['Log']> = {
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<LogAccountArgs>>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockTimestamp?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  cursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  decoded?: Resolver<Maybe<ResolversTypes['DecodedEvent']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  removed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  topics?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  transaction?: Resolver<ResolversTypes['Transaction'], ParentType, ContextType>;
  transactionHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  transactionIndex?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type LogConnectionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['LogConnection'] = ResolversParentTypes['LogConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['LogEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Log']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  searchedTo?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type LogEdgeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['LogEdge'] = ResolversParentTypes['LogEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Log']>, ParentType, ContextType>;
};

export type LogPageResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['LogPage'] = ResolversParentTypes['LogPage']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType>;
  searchedTo?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export type MutationResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  acknowledge?: Resolver<ResolversTypes['Stream'], ParentType, ContextType, RequireFields<MutationAcknowledgeArgs, 'cursor' | 'stream'>>;
  deleteStream?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteStreamArgs, 'name'>>;
  sendRawTransaction?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType, RequireFields<MutationSendRawTransactionArgs, 'data'>>;
  submitTransaction?: Resolver<Maybe<ResolversTypes['SubmitTransactionPayload']>, ParentType, ContextType, RequireFields<MutationSubmitTransactionArgs, 'input'>>;
};

export type NamedContractResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['NamedContract'] = ResolversParentTypes['NamedContract']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type NativeTransferResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['NativeTransfer'] = ResolversParentTypes['NativeTransfer']> = {
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockTimestamp?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
  index?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  to?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
  transactionHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  transactionIndex?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type NetworkResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Network'] = ResolversParentTypes['Network']> = {
  accounts?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Address']>>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  config?: Resolver<Maybe<ResolversTypes['ForkConfigs']>, ParentType, ContextType>;
  listening?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  networkID?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  protocolVersion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type NonceChangeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['NonceChange'] = ResolversParentTypes['NonceChange']> = {
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type OptimismDepositResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['OptimismDeposit'] = ResolversParentTypes['OptimismDeposit']> = {
  isSystemTx?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  mint?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  sourceHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type OptimismReceiptResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['OptimismReceipt'] = ResolversParentTypes['OptimismReceipt']> = {
  depositNonce?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  depositReceiptVersion?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  l1BaseFeeScalar?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  l1BlobBaseFee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  l1BlobBaseFeeScalar?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  l1Fee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  l1FeeScalar?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  l1GasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  l1GasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  operatorFeeConstant?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  operatorFeeScalar?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PendingResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Pending'] = ResolversParentTypes['Pending']> = {
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType, RequireFields<PendingAccountArgs, 'address'>>;
  block?: Resolver<Maybe<ResolversTypes['PendingBlock']>, ParentType, ContextType>;
  call?: Resolver<Maybe<ResolversTypes['CallResult']>, ParentType, ContextType, RequireFields<PendingCallArgs, 'data'>>;
  estimateGas?: Resolver<ResolversTypes['Long'], ParentType, ContextType, RequireFields<PendingEstimateGasArgs, 'data'>>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, RequireFields<PendingLogsArgs, 'filter'>>;
  ommerAt?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType, RequireFields<PendingOmmerAtArgs, 'index'>>;
  ommerCount?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  transactionAt?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType, RequireFields<PendingTransactionAtArgs, 'index'>>;
  transactionCount?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  transactions?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Transaction']>>, ParentType, ContextType>;
};

export type PendingBlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['PendingBlock'] = ResolversParentTypes['PendingBlock']> = {
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  logsBloom?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  miner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<PendingBlockMinerArgs>>;
  mixHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  nonce?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  number?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  ommerHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  ommerHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  parent?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  parentHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receiptsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  size?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  stateRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  totalDifficulty?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  transactionsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type QueryResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  account?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, RequireFields<QueryAccountArgs, 'address'>>;
  blobBaseFee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType, Partial<QueryBlockArgs>>;
  blocks?: Resolver<ReadonlyArray<ResolversTypes['Block']>, ParentType, ContextType, Partial<QueryBlocksArgs>>;
  blocksConnection?: Resolver<Maybe<ResolversTypes['BlockConnection']>, ParentType, ContextType, RequireFields<QueryBlocksConnectionArgs, 'first'>>;
  chainID?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  createAccessList?: Resolver<Maybe<ResolversTypes['AccessListResult']>, ParentType, ContextType, RequireFields<QueryCreateAccessListArgs, 'data'>>;
  feeHistory?: Resolver<Maybe<ResolversTypes['FeeHistory']>, ParentType, ContextType, RequireFields<QueryFeeHistoryArgs, 'blockCount'>>;
  gasPrice?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, RequireFields<QueryLogsArgs, 'filter'>>;
  logsConnection?: Resolver<Maybe<ResolversTypes['LogConnection']>, ParentType, ContextType, RequireFields<QueryLogsConnectionArgs, 'filter' | 'first'>>;
  maxPriorityFeePerGas?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  network?: Resolver<Maybe<ResolversTypes['Network']>, ParentType, ContextType>;
  pending?: Resolver<ResolversTypes['Pending'], ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType, RequireFields<QueryReceiptArgs, 'hash'>>;
  service?: Resolver<Maybe<ResolversTypes['Service']>, ParentType, ContextType>;
  simulate?: Resolver<Maybe<ResolversTypes['Simulation']>, ParentType, ContextType, RequireFields<QuerySimulateArgs, 'validation'>>;
  streams?: Resolver<ReadonlyArray<ResolversTypes['Stream']>, ParentType, ContextType>;
  syncing?: Resolver<Maybe<ResolversTypes['SyncState']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType, RequireFields<QueryTransactionArgs, 'hash'>>;
  transactionsConnection?: Resolver<Maybe<ResolversTypes['TransactionRangeConnection']>, ParentType, ContextType, RequireFields<QueryTransactionsConnectionArgs, 'first'>>;
};

export type ReceiptResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Receipt'] = ResolversParentTypes['Receipt'], FederationReferenceType extends FederationReferenceTypes['Receipt'] = FederationReferenceTypes['Receipt']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Receipt']> | FederationReferenceType, FederationReferenceType, ContextType>;
  arbitrum?: Resolver<Maybe<ResolversTypes['ArbitrumReceipt']>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  blockTimestamp?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  contract?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<ReceiptContractArgs>>;
  cumulativeGasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  effectiveGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<ReceiptFromArgs>>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['Log']>, ParentType, ContextType, Partial<ReceiptLogsArgs>>;
  logsBloom?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  optimism?: Resolver<Maybe<ResolversTypes['OptimismReceipt']>, ParentType, ContextType>;
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

export type ServiceResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Service'] = ResolversParentTypes['Service']> = {
  availableRange?: Resolver<Maybe<ResolversTypes['BlockRange']>, ParentType, ContextType, RequireFields<ServiceAvailableRangeArgs, 'resource'>>;
  limits?: Resolver<ReadonlyArray<ResolversTypes['ServiceLimit']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ServiceLimitResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['ServiceLimit'] = ResolversParentTypes['ServiceLimit']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  setting?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type SimulatedBlockResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SimulatedBlock'] = ResolversParentTypes['SimulatedBlock']> = {
  baseFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockAccessListHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  calls?: Resolver<ReadonlyArray<ResolversTypes['SimulatedCall']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  excessBlobGas?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  extraData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  gasLimit?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  logsBloom?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  miner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<SimulatedBlockMinerArgs>>;
  mixHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  ommerHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  ommerHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  parentBeaconBlockRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  parentHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receiptsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  requestsHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  size?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  slotNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  stateRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  transactionHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  transactions?: Resolver<Maybe<ReadonlyArray<ResolversTypes['SimulatedTransaction']>>, ParentType, ContextType>;
  transactionsRoot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  withdrawals?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Withdrawal']>>, ParentType, ContextType>;
  withdrawalsRoot?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SimulatedCallResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SimulatedCall'] = ResolversParentTypes['SimulatedCall']> = {
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['SimulationError']>, ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['SimulatedLog']>, ParentType, ContextType>;
  maxUsedGas?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  revertReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  transfers?: Resolver<ReadonlyArray<ResolversTypes['NativeTransfer']>, ParentType, ContextType>;
};

export type SimulatedLogResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SimulatedLog'] = ResolversParentTypes['SimulatedLog']> = {
  account?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockTimestamp?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  data?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  index?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  topics?: Resolver<ReadonlyArray<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  transactionHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  transactionIndex?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type SimulatedTransactionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SimulatedTransaction'] = ResolversParentTypes['SimulatedTransaction']> = {
  accessList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AccessTuple']>>, ParentType, ContextType>;
  authorizationList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Authorization']>>, ParentType, ContextType>;
  blobVersionedHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  blockHash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  blockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  blockTimestamp?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  chainID?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  inputData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  maxFeePerBlobGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxPriorityFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  r?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  s?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  v?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  yParity?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type SimulationResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Simulation'] = ResolversParentTypes['Simulation']> = {
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blocks?: Resolver<ReadonlyArray<ResolversTypes['SimulatedBlock']>, ParentType, ContextType>;
  calls?: Resolver<ReadonlyArray<ResolversTypes['SimulatedCall']>, ParentType, ContextType>;
};

export type SimulationErrorResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SimulationError'] = ResolversParentTypes['SimulationError']> = {
  code?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  data?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SlotChangesResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SlotChanges'] = ResolversParentTypes['SlotChanges']> = {
  changes?: Resolver<ReadonlyArray<ResolversTypes['StorageChange']>, ParentType, ContextType>;
  slot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type StorageChangeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['StorageChange'] = ResolversParentTypes['StorageChange']> = {
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type StorageDiffResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['StorageDiff'] = ResolversParentTypes['StorageDiff']> = {
  after?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  before?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  slot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type StorageEntryResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['StorageEntry'] = ResolversParentTypes['StorageEntry']> = {
  slot?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
};

export type StorageProofResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['StorageProof'] = ResolversParentTypes['StorageProof']> = {
  key?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  proof?: Resolver<ReadonlyArray<ResolversTypes['Bytes']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type StreamResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Stream'] = ResolversParentTypes['Stream']> = {
  acknowledgedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  chainId?: Resolver<Maybe<ResolversTypes['ChainId']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  cursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fromBlock?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  isActive?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  subscription?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type StructLogResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['StructLog'] = ResolversParentTypes['StructLog']> = {
  depth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['ExecutionFailure']>, ParentType, ContextType>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasCost?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  memory?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  op?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  pc?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  refund?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  returnData?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  stack?: Resolver<Maybe<ReadonlyArray<ResolversTypes['BigInt']>>, ParentType, ContextType>;
  storage?: Resolver<Maybe<ReadonlyArray<ResolversTypes['StorageEntry']>>, ParentType, ContextType>;
};

export type SubmitTransactionPayloadResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SubmitTransactionPayload'] = ResolversParentTypes['SubmitTransactionPayload']> = {
  alreadyKnown?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  logPages?: SubscriptionResolver<ResolversTypes['LogPage'], "logPages", ParentType, ContextType, Partial<SubscriptionLogPagesArgs>>;
  logs?: SubscriptionResolver<ResolversTypes['Log'], "logs", ParentType, ContextType, Partial<SubscriptionLogsArgs>>;
  newHeads?: SubscriptionResolver<ResolversTypes['BlockHeader'], "newHeads", ParentType, ContextType, Partial<SubscriptionNewHeadsArgs>>;
  pendingTransactions?: SubscriptionResolver<ResolversTypes['Transaction'], "pendingTransactions", ParentType, ContextType, Partial<SubscriptionPendingTransactionsArgs>>;
  reorgs?: SubscriptionResolver<ResolversTypes['Reorg'], "reorgs", ParentType, ContextType, Partial<SubscriptionReorgsArgs>>;
  transactionStatus?: SubscriptionResolver<ResolversTypes['TransactionStatusUpdate'], "transactionStatus", ParentType, ContextType, RequireFields<SubscriptionTransactionStatusArgs, 'hash'>>;
};

export type SyncStateResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['SyncState'] = ResolversParentTypes['SyncState']> = {
  currentBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  highestBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  startingBlock?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type TokenResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Token'] = ResolversParentTypes['Token'], FederationReferenceType extends FederationReferenceTypes['Token'] = FederationReferenceTypes['Token']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Token']> | FederationReferenceType, FederationReferenceType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  transfers?: Resolver<Maybe<ResolversTypes['TokenTransferConnection']>, ParentType, ContextType, RequireFields<TokenTransfersArgs, 'first'>>;
};

export type TokenTransferResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TokenTransfer'] = ResolversParentTypes['TokenTransfer']> = {
  amount?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
  log?: Resolver<ResolversTypes['Log'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['Account'], ParentType, ContextType>;
};

export type TokenTransferConnectionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TokenTransferConnection'] = ResolversParentTypes['TokenTransferConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TokenTransferEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['TokenTransfer']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalAmount?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type TokenTransferEdgeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TokenTransferEdge'] = ResolversParentTypes['TokenTransferEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TokenTransfer'], ParentType, ContextType>;
};

export type TransactionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Transaction'] = ResolversParentTypes['Transaction'], FederationReferenceType extends FederationReferenceTypes['Transaction'] = FederationReferenceTypes['Transaction']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Transaction']> | FederationReferenceType, FederationReferenceType, ContextType>;
  accessList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AccessTuple']>>, ParentType, ContextType>;
  arbitrum?: Resolver<Maybe<ResolversTypes['ArbitrumTransaction']>, ParentType, ContextType>;
  authorizationList?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Authorization']>>, ParentType, ContextType>;
  blobGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  blobGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blobVersionedHashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Bytes32']>>, ParentType, ContextType>;
  block?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  blockHash?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
  blockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  blockTimestamp?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  chainID?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  confirmations?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  createdContract?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<TransactionCreatedContractArgs>>;
  cumulativeGasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  decoded?: Resolver<Maybe<ResolversTypes['DecodedCall']>, ParentType, ContextType>;
  effectiveGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  effectiveTip?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  executionTrace?: Resolver<Maybe<ResolversTypes['ExecutionTrace']>, ParentType, ContextType, Partial<TransactionExecutionTraceArgs>>;
  from?: Resolver<ResolversTypes['Account'], ParentType, ContextType, Partial<TransactionFromArgs>>;
  gas?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  gasPrice?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  gasPriceIn?: Resolver<ResolversTypes['String'], ParentType, ContextType, RequireFields<TransactionGasPriceInArgs, 'unit'>>;
  gasUsed?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  hash?: Resolver<ResolversTypes['Bytes32'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  index?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  inputData?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  logs?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Log']>>, ParentType, ContextType>;
  maxFeePerBlobGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxPriorityFeePerGas?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonce?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  optimism?: Resolver<Maybe<ResolversTypes['OptimismDeposit']>, ParentType, ContextType>;
  r?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  rawReceipt?: Resolver<ResolversTypes['Bytes'], ParentType, ContextType>;
  receipt?: Resolver<Maybe<ResolversTypes['Receipt']>, ParentType, ContextType>;
  revertError?: Resolver<Maybe<ResolversTypes['DecodedError']>, ParentType, ContextType>;
  revertReason?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  s?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['TransactionState'], ParentType, ContextType>;
  stateDiff?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AccountDiff']>>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, Partial<TransactionToArgs>>;
  trace?: Resolver<Maybe<ReadonlyArray<ResolversTypes['CallFrame']>>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  v?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  valueIn?: Resolver<ResolversTypes['String'], ParentType, ContextType, RequireFields<TransactionValueInArgs, 'unit'>>;
  yParity?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type TransactionConnectionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TransactionConnection'] = ResolversParentTypes['TransactionConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TransactionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Transaction']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type TransactionEdgeResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TransactionEdge'] = ResolversParentTypes['TransactionEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
};

export type TransactionRangeConnectionResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TransactionRangeConnection'] = ResolversParentTypes['TransactionRangeConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TransactionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Transaction']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
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

export type TransactionTraceResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['TransactionTrace'] = ResolversParentTypes['TransactionTrace']> = {
  calls?: Resolver<ReadonlyArray<ResolversTypes['CallFrame']>, ParentType, ContextType>;
  transaction?: Resolver<ResolversTypes['Transaction'], ParentType, ContextType>;
};

export type WithdrawalResolvers<ContextType = ChainContext, ParentType extends ResolversParentTypes['Withdrawal'] = ResolversParentTypes['Withdrawal']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  amount?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  validator?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type Resolvers<ContextType = ChainContext> = {
  AbiValue?: GraphQLScalarType;
  AccessListResult?: AccessListResultResolvers<ContextType>;
  AccessTuple?: AccessTupleResolvers<ContextType>;
  Account?: AccountResolvers<ContextType>;
  AccountAccess?: AccountAccessResolvers<ContextType>;
  AccountDiff?: AccountDiffResolvers<ContextType>;
  AccountProof?: AccountProofResolvers<ContextType>;
  Address?: GraphQLScalarType;
  ArbitrumBlock?: ArbitrumBlockResolvers<ContextType>;
  ArbitrumReceipt?: ArbitrumReceiptResolvers<ContextType>;
  ArbitrumTransaction?: ArbitrumTransactionResolvers<ContextType>;
  Authorization?: AuthorizationResolvers<ContextType>;
  BalanceChange?: BalanceChangeResolvers<ContextType>;
  BigInt?: GraphQLScalarType;
  BlobSchedule?: BlobScheduleResolvers<ContextType>;
  Block?: BlockResolvers<ContextType>;
  BlockConnection?: BlockConnectionResolvers<ContextType>;
  BlockEdge?: BlockEdgeResolvers<ContextType>;
  BlockHeader?: BlockHeaderResolvers<ContextType>;
  BlockRange?: BlockRangeResolvers<ContextType>;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  CallFrame?: CallFrameResolvers<ContextType>;
  CallResult?: CallResultResolvers<ContextType>;
  ChainId?: GraphQLScalarType;
  CodeChange?: CodeChangeResolvers<ContextType>;
  ContractRead?: ContractReadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  DecodedArgument?: DecodedArgumentResolvers<ContextType>;
  DecodedCall?: DecodedCallResolvers<ContextType>;
  DecodedError?: DecodedErrorResolvers<ContextType>;
  DecodedEvent?: DecodedEventResolvers<ContextType>;
  Duel?: DuelResolvers<ContextType>;
  ExecutionTrace?: ExecutionTraceResolvers<ContextType>;
  FeeHistory?: FeeHistoryResolvers<ContextType>;
  FeeHistoryBlock?: FeeHistoryBlockResolvers<ContextType>;
  ForkConfig?: ForkConfigResolvers<ContextType>;
  ForkConfigs?: ForkConfigsResolvers<ContextType>;
  Header?: HeaderResolvers<ContextType>;
  Log?: LogResolvers<ContextType>;
  LogConnection?: LogConnectionResolvers<ContextType>;
  LogEdge?: LogEdgeResolvers<ContextType>;
  LogPage?: LogPageResolvers<ContextType>;
  Long?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  NamedContract?: NamedContractResolvers<ContextType>;
  NativeTransfer?: NativeTransferResolvers<ContextType>;
  Network?: NetworkResolvers<ContextType>;
  NonceChange?: NonceChangeResolvers<ContextType>;
  OptimismDeposit?: OptimismDepositResolvers<ContextType>;
  OptimismReceipt?: OptimismReceiptResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Pending?: PendingResolvers<ContextType>;
  PendingBlock?: PendingBlockResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Receipt?: ReceiptResolvers<ContextType>;
  Reorg?: ReorgResolvers<ContextType>;
  Service?: ServiceResolvers<ContextType>;
  ServiceLimit?: ServiceLimitResolvers<ContextType>;
  SimulatedBlock?: SimulatedBlockResolvers<ContextType>;
  SimulatedCall?: SimulatedCallResolvers<ContextType>;
  SimulatedLog?: SimulatedLogResolvers<ContextType>;
  SimulatedTransaction?: SimulatedTransactionResolvers<ContextType>;
  Simulation?: SimulationResolvers<ContextType>;
  SimulationError?: SimulationErrorResolvers<ContextType>;
  SlotChanges?: SlotChangesResolvers<ContextType>;
  StorageChange?: StorageChangeResolvers<ContextType>;
  StorageDiff?: StorageDiffResolvers<ContextType>;
  StorageEntry?: StorageEntryResolvers<ContextType>;
  StorageProof?: StorageProofResolvers<ContextType>;
  Stream?: StreamResolvers<ContextType>;
  StructLog?: StructLogResolvers<ContextType>;
  SubmitTransactionPayload?: SubmitTransactionPayloadResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  SyncState?: SyncStateResolvers<ContextType>;
  Token?: TokenResolvers<ContextType>;
  TokenTransfer?: TokenTransferResolvers<ContextType>;
  TokenTransferConnection?: TokenTransferConnectionResolvers<ContextType>;
  TokenTransferEdge?: TokenTransferEdgeResolvers<ContextType>;
  Transaction?: TransactionResolvers<ContextType>;
  TransactionConnection?: TransactionConnectionResolvers<ContextType>;
  TransactionEdge?: TransactionEdgeResolvers<ContextType>;
  TransactionRangeConnection?: TransactionRangeConnectionResolvers<ContextType>;
  TransactionStatusUpdate?: TransactionStatusUpdateResolvers<ContextType>;
  TransactionTrace?: TransactionTraceResolvers<ContextType>;
  Withdrawal?: WithdrawalResolvers<ContextType>;
};

