/** One question of the benchmark, in the words of the graph. */
export interface Question {
  /** Also the name of its operation, by which the floor knows it. */
  readonly name: string;
  readonly about: string;
  readonly query: string;
  /** The variables of the n-th request: another block each time, unless the question is about repeating. */
  readonly variables: (n: number) => Record<string, unknown>;
  /** Requests a round; a contender that is much slower gets fewer, see `contenders.ts`. */
  readonly requests: number;
}

export const FIRST_BLOCK = 0x1000000;
export const BLOCKS = 20;

/** Accounts of which odd ones are contracts. */
export const addresses: readonly string[] = Array.from(
  { length: 100 },
  (_, i) => `0x${(0xacc0000 + i).toString(16).padStart(40, 'd')}`,
);

const HEADER = 'number hash parentHash timestamp gasUsed';
/** 15 fields that the block's own transactions answer. */
const TRANSACTION =
  'hash nonce index blockNumber from { address } to { address } value gas gasPrice maxFeePerGas maxPriorityFeePerGas inputData type v yParity';
/** Four fields of the receipt, and a log with six leaves: together with the others 25 a transaction. */
const OUTCOME = 'receipt { status gasUsed cumulativeGasUsed effectiveGasPrice } logs { index account { address } topics data }';

const another = (n: number) => ({ number: FIRST_BLOCK + n });
const everything = (name: string) =>
  `query ${name}($number: Long) { block(number: $number) { ${HEADER} transactions { ${TRANSACTION} ${OUTCOME} } } }`;

export const questions: readonly Question[] = [
  {
    name: 'front',
    about: '`{__typename}`: no upstream, the HTTP front alone',
    query: 'query front {__typename}',
    variables: () => ({}),
    requests: 8000,
  },
  {
    name: 'block',
    about: 'one block, 5 fields',
    query: `query block($number: Long) { block(number: $number) { ${HEADER} } }`,
    variables: another,
    requests: 1000,
  },
  {
    name: 'accounts',
    about: '100 accounts x 3 fields',
    query: `query accounts { ${addresses.map((address, i) => `a${i}: account(address: "${address}") { balance transactionCount code }`).join(' ')} }`,
    variables: () => ({}),
    requests: 300,
  },
  {
    name: 'transactions',
    about: 'a block + 200 transactions x 15 fields',
    query: `query transactions($number: Long) { block(number: $number) { ${HEADER} transactions { ${TRANSACTION} } } }`,
    variables: another,
    requests: 200,
  },
  {
    name: 'receipts',
    about: 'the same + receipts + logs: 5,005 leaves',
    query: everything('receipts'),
    variables: another,
    requests: 120,
  },
  {
    name: 'blocks',
    about: `${BLOCKS} such blocks`,
    query: `query blocks($from: Long, $to: Long) { blocks(from: $from, to: $to) { ${HEADER} transactions { ${TRANSACTION} ${OUTCOME} } } }`,
    variables: (n) => ({ from: FIRST_BLOCK + n * BLOCKS, to: FIRST_BLOCK + n * BLOCKS + BLOCKS - 1 }),
    requests: 8,
  },
  {
    name: 'again',
    about: 'final data again: "+ receipts + logs" of one block, repeated',
    query: everything('again'),
    variables: () => another(0),
    requests: 120,
  },
];
