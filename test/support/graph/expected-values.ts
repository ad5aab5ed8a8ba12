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
  withdrawalsRoot withdrawals { index validator address amount } blobGasUsed excessBlobGas slotNumber blockAccessListHash`;

const addressReference = (address: string | null | undefined) => (address ? { address } : null);

/** The data of LOG_SELECTION for a JSON-RPC log. */
export const expectedLog = (log: any) => ({
  id: `${log.blockHash}-${log.logIndex}`,
  index: log.logIndex,
  account: { address: log.address },
  topics: log.topics,
  data: log.data,
  transaction: { hash: log.transactionHash },
  transactionHash: log.transactionHash,
  transactionIndex: log.transactionIndex,
  block: { number: log.blockNumber, hash: log.blockHash },
  blockNumber: log.blockNumber,
  blockHash: log.blockHash,
  removed: log.removed,
});

/** The data of RECEIPT_SELECTION for a JSON-RPC receipt. */
export const expectedReceipt = (receipt: any) => ({
  transactionHash: receipt.transactionHash,
  transaction: { hash: receipt.transactionHash },
  transactionIndex: receipt.transactionIndex,
  blockHash: receipt.blockHash,
  blockNumber: receipt.blockNumber,
  block: { number: receipt.blockNumber },
  from: addressReference(receipt.from),
  to: addressReference(receipt.to),
  cumulativeGasUsed: receipt.cumulativeGasUsed,
  gasUsed: receipt.gasUsed,
  effectiveGasPrice: receipt.effectiveGasPrice,
  contract: addressReference(receipt.contractAddress),
  logs: receipt.logs.map(expectedLog),
  logsBloom: receipt.logsBloom,
  root: receipt.root ?? null,
  status: receipt.status,
  succeeded: receipt.status === '0x1',
  type: receipt.type,
});

/** The data of TRANSACTION_SELECTION for a mined JSON-RPC transaction. */
export const expectedTransaction = (transaction: any, receipt: any, baseFee = '0x0') => ({
  id: transaction.hash,
  hash: transaction.hash,
  nonce: transaction.nonce,
  index: transaction.transactionIndex,
  from: addressReference(transaction.from),
  to: addressReference(transaction.to),
  value: transaction.value,
  gasPrice: transaction.gasPrice,
  maxFeePerGas: transaction.maxFeePerGas ?? null,
  maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? null,
  maxFeePerBlobGas: transaction.maxFeePerBlobGas ?? null,
  effectiveTip: `0x${(BigInt(receipt.effectiveGasPrice) - BigInt(baseFee)).toString(16)}`,
  gas: transaction.gas,
  inputData: transaction.input,
  block: { number: transaction.blockNumber, hash: transaction.blockHash },
  blockNumber: transaction.blockNumber,
  blockHash: transaction.blockHash,
  status: receipt.status,
  gasUsed: receipt.gasUsed,
  cumulativeGasUsed: receipt.cumulativeGasUsed,
  effectiveGasPrice: receipt.effectiveGasPrice,
  createdContract: addressReference(receipt.contractAddress),
  logs: receipt.logs.map(expectedLog),
  receipt: expectedReceipt(receipt),
  r: `0x${BigInt(transaction.r).toString(16)}`,
  s: `0x${BigInt(transaction.s).toString(16)}`,
  v: transaction.v,
  yParity: transaction.yParity ?? null,
  type: transaction.type,
  accessList: transaction.accessList ?? null,
  blobVersionedHashes: transaction.blobVersionedHashes ?? null,
});

const UNCHANGED_FIELDS =
  `nonce transactionsRoot stateRoot receiptsRoot extraData gasLimit gasUsed timestamp logsBloom mixHash difficulty number hash
  parentHash size`.split(/\s+/);

const expectedWithdrawal = ({ index, validatorIndex, address, amount }: any) => ({
  index,
  validator: validatorIndex,
  address,
  amount,
});

/** The data of BLOCK_SELECTION for a JSON-RPC block without ommers; `raw` has transaction hashes. */
export const expectedBlock = (raw: any, nextBaseFeePerGas: unknown) => ({
  ...Object.fromEntries(UNCHANGED_FIELDS.map((name) => [name, raw[name]])),
  id: raw.hash,
  parent: Number(raw.number) === 0 ? null : { number: hex(Number(raw.number) - 1), hash: raw.parentHash },
  transactionCount: hex(raw.transactions.length),
  transactionHashes: raw.transactions,
  miner: { address: raw.miner },
  baseFeePerGas: raw.baseFeePerGas ?? null,
  nextBaseFeePerGas,
  timestampISO: new Date(Number(raw.timestamp) * 1000).toISOString(),
  totalDifficulty: raw.totalDifficulty ?? null,
  ommerCount: '0x0',
  ommers: [],
  ommerAt: null,
  ommerHash: raw.sha3Uncles,
  ommerHashes: [],
  withdrawalsRoot: raw.withdrawalsRoot ?? null,
  withdrawals: raw.withdrawals?.map(expectedWithdrawal) ?? null,
  blobGasUsed: raw.blobGasUsed ?? null,
  excessBlobGas: raw.excessBlobGas ?? null,
  slotNumber: null,
  blockAccessListHash: null,
});
