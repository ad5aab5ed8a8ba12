import { createHash } from 'node:crypto';
import { encodeHeader } from '../src/ethereum/encoding/block.ts';
import { keccakOfDigits } from '../src/ethereum/encoding/keccak.ts';
import { listRoot } from '../src/ethereum/encoding/list-root.ts';
import { encodeReceipt, encodeTransaction } from '../src/ethereum/encoding/transaction.ts';
import type { Data } from '../src/ethereum/hex.ts';
import type { RpcReceipt, RpcTransaction } from '../src/ethereum/rpc-types.ts';
import { bloomOf } from '../test/support/ethereum/logs-bloom.ts';
import { FIRST_BLOCK } from './scenarios.ts';

/**
 * A generated chain: each block has the same 200 fee-market transactions with one token transfer each. Hashes and roots are those of
 * the contents. Results are JSON texts prepared once; only the number and the hash of the block are filled in.
 */
const TRANSACTIONS_PER_BLOCK = 200;
/** Placeholders for the number and the hash of the block. */
const NUMBER_PLACEHOLDER = '@N';
const HASH_PLACEHOLDER = '@H';
const PARENT_PLACEHOLDER = '@P';

const seededHex = (seed: string, digits: number): string =>
  createHash('shake256', { outputLength: digits / 2 })
    .update(seed)
    .digest('hex');
const hex = (value: number): string => `0x${value.toString(16)}`;
const address = (seed: string): string => `0x${seededHex(seed, 40)}`;
const topicOf = (account: string): string => `0x${account.slice(2).padStart(64, '0')}`;
const blockFields = { blockHash: HASH_PLACEHOLDER, blockNumber: NUMBER_PLACEHOLDER };
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const unhashedTransaction = (i: number) => ({
  ...blockFields,
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

const transactionHashes = Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) =>
  keccakOfDigits(encodeTransaction(unhashedTransaction(i) as unknown as RpcTransaction)!),
);
const transactionOf = (i: number) => ({ hash: transactionHashes[i]!, ...unhashedTransaction(i) });
const position = (i: number) => ({ transactionHash: transactionHashes[i]!, transactionIndex: hex(i) });

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

const perTransaction = <T>(of: (i: number) => T): T[] => Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) => of(i));

/** The root of a list of encodings. */
function rootOf(encoded: readonly string[]): string {
  const steps = listRoot(encoded);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const header = {
  number: NUMBER_PLACEHOLDER,
  hash: HASH_PLACEHOLDER,
  parentHash: PARENT_PLACEHOLDER,
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: bloomOf(perTransaction(logOf)),
  transactionsRoot: rootOf(perTransaction((i) => encodeTransaction(transactionOf(i) as unknown as RpcTransaction)!)),
  stateRoot: `0x${seededHex('state', 64)}`,
  receiptsRoot: rootOf(perTransaction((i) => encodeReceipt(receiptOf(i) as unknown as RpcReceipt)!)),
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

/** The hash of each block that was read, and its number. A request by hash follows a request by number. */
const hashes = new Map<number, string>();
const numbers = new Map<string, number>();
let lastRead = 0;
const HEAD_HEIGHT = 0x1500000;

/** The blocks of one request are linked, because the server compares the parents of a list; a chain from block 0 would be too long. A multiple of 20 and 50. */
const LINKED_BLOCKS = 100;
const parentHashOf = (number: number): string =>
  (number - FIRST_BLOCK) % LINKED_BLOCKS === 0 ? `0x${seededHex('parent', 64)}` : blockHashOf(number - 1);

function blockHashOf(number: number): string {
  const known = hashes.get(number);
  if (known !== undefined) return known;
  const hash = keccakOfDigits(encodeHeader({ ...header, number: hex(number), parentHash: parentHashOf(number) })!);
  hashes.set(number, hash);
  numbers.set(hash, number);
  return hash;
}

/** A template of a JSON text: entries with an odd index name the value to fill in. */
const createTemplate = (value: unknown): readonly string[] => JSON.stringify(value).split(/(@[NHP])/);

function fillTemplate(pieces: readonly string[], number: number): string {
  // A server that follows the chain reads the head at any time.
  if (number !== HEAD_HEIGHT) lastRead = number;
  const height = hex(number);
  const hash = blockHashOf(number);
  const values: Readonly<Record<string, string>> = {
    [NUMBER_PLACEHOLDER]: height,
    [HASH_PLACEHOLDER]: hash,
    [PARENT_PLACEHOLDER]: parentHashOf(number),
  };
  return pieces.map((piece) => values[piece] ?? piece).join('');
}

const blockWithTransactions = createTemplate({ ...header, transactions: perTransaction(transactionOf) });
const blockWithHashes = createTemplate({ ...header, transactions: transactionHashes });
const blockReceipts = createTemplate(perTransaction(receiptOf));
const blockLogs = createTemplate(perTransaction(logOf));

const isHash = (ref: string) => ref.length === 66;
const heightIn = (ref: string): number =>
  isHash(ref) ? (numbers.get(ref) ?? HEAD_HEIGHT) : ref.startsWith('0x') ? Number(ref) : ref === 'earliest' ? 0 : HEAD_HEIGHT;

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

const transactionTemplates = perTransaction((i) => createTemplate(transactionOf(i)));
const receiptTemplates = perTransaction((i) => createTemplate(receiptOf(i)));

/** Every block has the same transactions, so a transaction by its hash is in the block that was read last. */
const byHash = (templates: readonly (readonly string[])[]) => (hash: string) => {
  const pieces = templates[transactionHashes.indexOf(hash as Data)];
  return pieces ? fillTemplate(pieces, lastRead) : 'null';
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
  eth_getTransactionByHash: byHash(transactionTemplates),
  eth_getTransactionReceipt: byHash(receiptTemplates),
  eth_getLogs: logsIn,
  eth_getBalance: (account: string) => `"0xde0b6b3a${account.slice(-8)}"`,
  eth_getTransactionCount: (account: string) => `"0x1${account.slice(-4)}"`,
  /** A minimal proxy (EIP-1167) behind every second account. */
  eth_getCode: (account: string) =>
    Number.parseInt(account.slice(-1), 16) % 2
      ? `"0x363d3d373d3d3d363d73${account.slice(2)}5af43d82803e903d91602b57fd5bf3"`
      : '"0x"',
};
