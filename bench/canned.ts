import { createHash } from 'node:crypto';
import { bloomOf } from '../test/support/ethereum/logs-bloom.ts';

/**
 * A generated chain: each block has the same 200 fee-market transactions with one token transfer each, under different hashes.
 * Results are JSON texts prepared once; only the block number and the hashes that contain it are filled in.
 */
const TRANSACTIONS_PER_BLOCK = 200;
/** Placeholders for the block's height: as a quantity, and as 16 digits inside a hash. */
const HEIGHT_PLACEHOLDER = '@N';
const HASH_HEIGHT_PLACEHOLDER = '@P';

const seededHex = (seed: string, digits: number): string =>
  createHash('shake256', { outputLength: digits / 2 })
    .update(seed)
    .digest('hex');
const hex = (value: number): string => `0x${value.toString(16)}`;
const address = (seed: string): string => `0x${seededHex(seed, 40)}`;
const topicOf = (account: string): string => `0x${account.slice(2).padStart(64, '0')}`;
/** A hash of 40 fixed digits, 16 of the block and 8 of the index, so that the block of any hash is known. */
const hashOf = (seed: string, positionFields: number): string =>
  `0x${seededHex(seed, 40)}${HASH_HEIGHT_PLACEHOLDER}${positionFields.toString(16).padStart(8, '0')}`;

const blockHash = hashOf('block', 0xffffffff);
const blockFields = { blockHash, blockNumber: HEIGHT_PLACEHOLDER };
const position = (i: number) => ({ transactionHash: hashOf(`transaction ${i}`, i), transactionIndex: hex(i) });
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const transactionOf = (i: number) => ({
  ...blockFields,
  hash: position(i).transactionHash,
  transactionIndex: hex(i),
  type: '0x2',
  chainId: '0x1',
  nonce: hex(1000 + i),
  from: address(`sender ${i}`),
  to: address(`token ${i % 10}`),
  value: hex(10 ** 15 + i),
  gas: hex(90_000 + i),
  gasPrice: hex(2 * 10 ** 9 + i),
  maxFeePerGas: hex(4 * 10 ** 9 + i),
  maxPriorityFeePerGas: hex(10 ** 9 + i),
  input: `0xa9059cbb${topicOf(address(`receiver ${i}`)).slice(2)}${seededHex(`amount ${i}`, 64)}`,
  accessList: [],
  v: hex(i % 2),
  yParity: hex(i % 2),
  r: `0x7${seededHex(`r ${i}`, 64).slice(1)}`,
  s: `0x3${seededHex(`s ${i}`, 64).slice(1)}`,
});

const logOf = (i: number) => ({
  address: address(`token ${i % 10}`),
  topics: [TRANSFER_TOPIC, topicOf(address(`sender ${i}`)), topicOf(address(`receiver ${i}`))],
  data: `0x${seededHex(`amount ${i}`, 64)}`,
  ...blockFields,
  ...position(i),
  blockTimestamp: '0x6553f100',
  logIndex: hex(i),
  removed: false,
});

const receiptOf = (i: number) => ({
  ...blockFields,
  ...position(i),
  type: '0x2',
  status: '0x1',
  from: address(`sender ${i}`),
  to: address(`token ${i % 10}`),
  contractAddress: null,
  cumulativeGasUsed: hex(52_000 * (i + 1)),
  gasUsed: hex(52_000),
  effectiveGasPrice: hex(2 * 10 ** 9 + i),
  logs: [logOf(i)],
  logsBloom: bloomOf([logOf(i)]),
});

const header = {
  number: HEIGHT_PLACEHOLDER,
  hash: blockHash,
  parentHash: `0x${seededHex('parent', 64)}`,
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: bloomOf(Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) => logOf(i))),
  transactionsRoot: `0x${seededHex('transactions', 64)}`,
  stateRoot: `0x${seededHex('state', 64)}`,
  receiptsRoot: `0x${seededHex('receipts', 64)}`,
  mixHash: `0x${seededHex('mix', 64)}`,
  miner: address('producer'),
  difficulty: '0x0',
  extraData: '0x',
  size: '0x17a20',
  gasLimit: '0x2255100',
  gasUsed: hex(52_000 * TRANSACTIONS_PER_BLOCK),
  timestamp: '0x6553f100',
  baseFeePerGas: '0x3b9aca00',
  uncles: [],
};

/** A template of a JSON text: entries with an odd index name the value to fill in. */
const createTemplate = (value: unknown): readonly string[] => JSON.stringify(value).split(/(@N|@P)/);

function fillTemplate(pieces: readonly string[], number: number): string {
  const height = hex(number);
  const digits = number.toString(16).padStart(16, '0');
  let text = '';
  for (const piece of pieces) text += piece === HEIGHT_PLACEHOLDER ? height : piece === HASH_HEIGHT_PLACEHOLDER ? digits : piece;
  return text;
}

const perTransaction = <T>(of: (i: number) => T): T[] => Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) => of(i));
const blockWithTransactions = createTemplate({ ...header, transactions: perTransaction(transactionOf) });
const blockWithHashes = createTemplate({ ...header, transactions: perTransaction((i) => position(i).transactionHash) });
const blockReceipts = createTemplate(perTransaction(receiptOf));
const blockLogs = createTemplate(perTransaction(logOf));
const transactions = perTransaction((i) => createTemplate(transactionOf(i)));
const receipts = perTransaction((i) => createTemplate(receiptOf(i)));

const HEAD_HEIGHT = 0x1500000;
const isHash = (ref: string) => ref.length === 66;
const heightIn = (ref: string): number =>
  isHash(ref)
    ? Number.parseInt(ref.slice(42, 58), 16)
    : ref.startsWith('0x')
      ? Number(ref)
      : ref === 'earliest'
        ? 0
        : HEAD_HEIGHT;
const indexIn = (hash: string): number => Number.parseInt(hash.slice(58), 16);

interface LogRange {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

function logsIn({ blockHash: hash, fromBlock = 'latest', toBlock = 'latest' }: LogRange): string {
  const [from, to] = hash ? [heightIn(hash), heightIn(hash)] : [heightIn(fromBlock), heightIn(toBlock)];
  const blocks = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => fillTemplate(blockLogs, from + i).slice(1, -1));
  return `[${blocks.join(',')}]`;
}

const atHashPosition = (list: readonly (readonly string[])[]) => (hash: string) => {
  const pieces = list[indexIn(hash)];
  return pieces ? fillTemplate(pieces, heightIn(hash)) : 'null';
};
const block = (ref: string, full: boolean) => fillTemplate(full ? blockWithTransactions : blockWithHashes, heightIn(ref));

/** The results of the methods that the benchmark calls, as JSON texts. */
// biome-ignore lint/suspicious/noExplicitAny: parameters come off the wire, and this node trusts them
export const methods: Readonly<Record<string, (...params: any[]) => string>> = {
  eth_blockNumber: () => `"${hex(HEAD_HEIGHT)}"`,
  eth_chainId: () => '"0x1"',
  eth_getBlockByNumber: block,
  eth_getBlockByHash: block,
  eth_getBlockReceipts: (ref: string) => fillTemplate(blockReceipts, heightIn(ref)),
  eth_getTransactionByHash: atHashPosition(transactions),
  eth_getTransactionReceipt: atHashPosition(receipts),
  eth_getLogs: logsIn,
  eth_getBalance: (account: string) => `"0xde0b6b3a${account.slice(-8)}"`,
  eth_getTransactionCount: (account: string) => `"0x1${account.slice(-4)}"`,
  /** A minimal proxy (EIP-1167) behind every second account. */
  eth_getCode: (account: string) =>
    Number.parseInt(account.slice(-1), 16) % 2
      ? `"0x363d3d373d3d3d363d73${account.slice(2)}5af43d82803e903d91602b57fd5bf3"`
      : '"0x"',
};
