import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction, RpcWithdrawal } from '../../../src/ethereum/rpc-types.ts';

/** A number as JSON-RPC hex. */
export const hex = (n: number) => `0x${n.toString(16)}`;

/** Selections of the fields of JSON-RPC objects; the functions below return the expected data. */
export const LOG_SELECTION = `id index account { address } topics data transaction { hash } transactionHash transactionIndex block { number hash }
  blockNumber blockHash removed`;

export const RECEIPT_SELECTION = `transactionHash transaction { hash } transactionIndex blockHash blockNumber block { number } from { address }
  to { address } cumulativeGasUsed gasUsed effectiveGasPrice contract { address } logs { ${LOG_SELECTION} } logsBloom root status succeeded type`;

export const TRANSACTION_SELECTION = `id hash nonce index from { address } to { address } value gasPrice maxFeePerGas maxPriorityFeePerGas
  maxFeePerBlobGas effectiveTip gas inputData block { number hash } blockNumber blockHash status gasUsed cumulativeGasUsed
  effectiveGasPrice createdContract { address } logs { ${LOG_SELECTION} } receipt { ${RECEIPT_SELECTION} } r s v yParity type
  accessList { address storageKeys } blobVersionedHashes`;

export const BLOCK_SELECTION = `id number hash parent { number hash } parentHash nonce transactionsRoot transactionCount stateRoot receiptsRoot
  miner { address } extraData gasLimit gasUsed baseFeePerGas nextBaseFeePerGas timestamp timestampISO logsBloom mixHash difficulty
  totalDifficulty size ommerCount ommers { hash } ommerAt(index: 0) { hash } ommerHash ommerHashes transactionHashes
  withdrawalsRoot withdrawals { index validator address amount } blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash slotNumber
  blockAccessListHash`;

const addressReference = (address: string | null | undefined) => (address ? { address } : null);

/** The properties with these names; null for a missing one. */
export const pick = (from: object, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, Reflect.get(from, name) ?? null] as const));

/** The data of LOG_SELECTION for a JSON-RPC log. */
export const expectedLog = (log: RpcLog) => ({
  ...pick(log, 'topics data transactionHash transactionIndex blockNumber blockHash removed'),
  id: `${log.blockHash}-${log.logIndex}`,
  index: log.logIndex,
  account: { address: log.address },
  transaction: { hash: log.transactionHash },
  block: { number: log.blockNumber, hash: log.blockHash },
});

/** The data of RECEIPT_SELECTION for a JSON-RPC receipt. */
export const expectedReceipt = (receipt: RpcReceipt) => ({
  ...pick(receipt, 'transactionHash transactionIndex blockHash blockNumber cumulativeGasUsed gasUsed effectiveGasPrice'),
  ...pick(receipt, 'logsBloom root status type'),
  transaction: { hash: receipt.transactionHash },
  block: { number: receipt.blockNumber },
  from: addressReference(receipt.from),
  to: addressReference(receipt.to),
  contract: addressReference(receipt.contractAddress),
  logs: receipt.logs.map(expectedLog),
  succeeded: receipt.status === '0x1',
});

/** The data of TRANSACTION_SELECTION for a mined JSON-RPC transaction. */
export const expectedTransaction = (transaction: RpcTransaction, receipt: RpcReceipt, baseFee = '0x0') => ({
  ...pick(transaction, 'hash nonce value gasPrice maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas gas blockNumber blockHash'),
  ...pick(transaction, 'v type accessList blobVersionedHashes'),
  // Hardhat omits the parity of typed transactions, which equals `v`.
  yParity: transaction.yParity ?? ([1, 2, 3, 4].includes(Number(transaction.type)) ? transaction.v : null),
  ...pick(receipt, 'status gasUsed cumulativeGasUsed effectiveGasPrice'),
  id: transaction.hash,
  index: transaction.transactionIndex,
  from: addressReference(transaction.from),
  to: addressReference(transaction.to),
  effectiveTip: `0x${(BigInt(receipt.effectiveGasPrice!) - BigInt(baseFee)).toString(16)}`,
  inputData: transaction.input,
  block: { number: transaction.blockNumber, hash: transaction.blockHash },
  createdContract: addressReference(receipt.contractAddress),
  logs: receipt.logs.map(expectedLog),
  receipt: expectedReceipt(receipt),
  r: `0x${BigInt(transaction.r).toString(16)}`,
  s: `0x${BigInt(transaction.s).toString(16)}`,
});

const expectedWithdrawal = ({ index, validatorIndex, address, amount }: RpcWithdrawal) => ({
  index,
  validator: validatorIndex,
  address,
  amount,
});

/** The data of BLOCK_SELECTION for a JSON-RPC block without ommers; `raw` has transaction hashes. */
export const expectedBlock = (raw: RpcBlock, nextBaseFeePerGas: unknown) => ({
  ...pick(raw, 'nonce transactionsRoot stateRoot receiptsRoot extraData gasLimit gasUsed timestamp logsBloom mixHash difficulty'),
  ...pick(raw, 'number hash parentHash size baseFeePerGas totalDifficulty withdrawalsRoot blobGasUsed excessBlobGas'),
  ...pick(raw, 'parentBeaconBlockRoot requestsHash slotNumber blockAccessListHash'),
  id: raw.hash,
  parent: Number(raw.number) === 0 ? null : { number: hex(Number(raw.number) - 1), hash: raw.parentHash },
  transactionCount: hex(raw.transactions!.length),
  transactionHashes: raw.transactions,
  miner: { address: raw.miner },
  nextBaseFeePerGas,
  timestampISO: new Date(Number(raw.timestamp) * 1000).toISOString(),
  ommerCount: '0x0',
  ommers: [],
  ommerAt: null,
  ommerHash: raw.sha3Uncles,
  ommerHashes: [],
  withdrawals: raw.withdrawals?.map(expectedWithdrawal) ?? null,
});
