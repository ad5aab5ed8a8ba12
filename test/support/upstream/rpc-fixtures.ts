export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;

/** The transactions root of a block without transactions. */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

const transactionsRootOf = (transactions: unknown): string =>
  Array.isArray(transactions) && transactions.length > 0 ? hashOf(2) : EMPTY_ROOT;

/** A block as a node sends it; a test overrides fields. */
export const block = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  number: '0x10',
  hash: hashOf(0xb10),
  parentHash: hashOf(0xb0f),
  nonce: '0x0000000000000000',
  sha3Uncles: hashOf(1),
  logsBloom: `0x${'0'.repeat(512)}`,
  transactionsRoot: transactionsRootOf(changes.transactions),
  stateRoot: hashOf(3),
  receiptsRoot: hashOf(4),
  miner: addressOf(5),
  difficulty: '0x0',
  extraData: '0x',
  size: '0x220',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x67748600',
  mixHash: hashOf(6),
  baseFeePerGas: '0x64',
  transactions: [],
  uncles: [],
  ...changes,
});

/** A fee-market transaction in that block. */
export const transactionFixture = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  hash: hashOf(0x71),
  blockHash: hashOf(0xb10),
  blockNumber: '0x10',
  transactionIndex: '0x0',
  nonce: '0x1',
  from: addressOf(0xa),
  to: addressOf(0xb),
  value: '0x1',
  gas: '0x5208',
  gasPrice: '0x6e',
  maxFeePerGas: '0xc8',
  maxPriorityFeePerGas: '0xa',
  input: '0x',
  r: '0x1',
  s: '0x2',
  v: '0x0',
  yParity: '0x0',
  type: '0x2',
  accessList: [],
  ...changes,
});

/** The receipt of that transaction. */
export const receiptFixture = (changes: Record<string, unknown> = {}) => ({
  transactionHash: hashOf(0x71),
  transactionIndex: '0x0',
  blockHash: hashOf(0xb10),
  blockNumber: '0x10',
  from: addressOf(0xa),
  to: addressOf(0xb),
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x6e',
  contractAddress: null,
  logs: [],
  logsBloom: `0x${'0'.repeat(512)}`,
  status: '0x1',
  type: '0x2',
  ...changes,
});

/** A log of that transaction. */
export const logFixture = (changes: Record<string, unknown> = {}) => ({
  address: addressOf(0xc),
  topics: [hashOf(0x70)],
  data: '0x',
  logIndex: '0x0',
  blockNumber: '0x10',
  blockHash: hashOf(0xb10),
  transactionHash: hashOf(0x71),
  transactionIndex: '0x0',
  removed: false,
  ...changes,
});
