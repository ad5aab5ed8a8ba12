/** One operation of the benchmark. */
export interface Scenario {
  /** Also the name of the operation, which the floor dispatches on. */
  readonly name: string;
  readonly title: string;
  readonly query: string;
  /** Whether all requests are equal, so that a cache can respond. @default false */
  readonly isRepeated?: true;
  /** Variables of the n-th request: another block each time unless the requests are equal. */
  readonly variables: (n: number) => Record<string, unknown>;
  /** Requests per round; slow contenders run fewer (`Program.share`). */
  readonly requestsPerRound: number;
}

export const FIRST_BLOCK = 0x1000000;
export const BLOCKS_PER_REQUEST = 20;

/** Accounts; those with an odd index are contracts. */
export const accountAddresses: readonly string[] = Array.from(
  { length: 100 },
  (_, i) => `0x${(0xacc0000 + i).toString(16).padStart(40, 'd')}`,
);

const HEADER_FIELDS = 'number hash parentHash timestamp gasUsed';
/** 15 fields that the transactions of a full block contain. */
const TRANSACTION_FIELDS =
  'hash nonce index blockNumber from { address } to { address } value gas gasPrice maxFeePerGas maxPriorityFeePerGas inputData type v yParity';
/** Four fields of the receipt and a log with six leaves: with the fields above, 25 leaves per transaction. */
const RECEIPT_AND_LOG_FIELDS =
  'receipt { status gasUsed cumulativeGasUsed effectiveGasPrice } logs { index account { address } topics data }';

const blockVariables = (n: number) => ({ number: FIRST_BLOCK + n });
const blockWithReceiptsQuery = (name: string) =>
  `query ${name}($number: Long) { block(number: $number) { ${HEADER_FIELDS} transactions { ${TRANSACTION_FIELDS} ${RECEIPT_AND_LOG_FIELDS} } } }`;

export const scenarios: readonly Scenario[] = [
  {
    name: 'front',
    title: '`{__typename}`: no upstream, the HTTP front alone',
    query: 'query front {__typename}',
    variables: () => ({}),
    requestsPerRound: 8000,
  },
  {
    name: 'block',
    title: 'one block, 5 fields',
    query: `query block($number: Long) { block(number: $number) { ${HEADER_FIELDS} } }`,
    variables: blockVariables,
    requestsPerRound: 2000,
  },
  {
    name: 'hashes',
    title: 'a block with the hashes of 200 transactions',
    query: `query hashes($number: Long) { block(number: $number) { ${HEADER_FIELDS} transactions { hash } } }`,
    variables: blockVariables,
    requestsPerRound: 600,
  },
  {
    name: 'accounts',
    title: '100 accounts x 3 fields',
    query: `query accounts { ${accountAddresses.map((address, i) => `a${i}: account(address: "${address}") { balance transactionCount code }`).join(' ')} }`,
    variables: () => ({}),
    requestsPerRound: 300,
  },
  {
    name: 'transactions',
    title: 'a block + 200 transactions x 15 fields',
    query: `query transactions($number: Long) { block(number: $number) { ${HEADER_FIELDS} transactions { ${TRANSACTION_FIELDS} } } }`,
    variables: blockVariables,
    requestsPerRound: 200,
  },
  {
    name: 'receipts',
    title: 'the same + receipts + logs: 5,005 leaves',
    query: blockWithReceiptsQuery('receipts'),
    variables: blockVariables,
    requestsPerRound: 120,
  },
  {
    name: 'blocks',
    title: `${BLOCKS_PER_REQUEST} blocks + receipts + logs`,
    query: `query blocks($from: Long, $to: Long) { blocks(from: $from, to: $to) { ${HEADER_FIELDS} transactions { ${TRANSACTION_FIELDS} ${RECEIPT_AND_LOG_FIELDS} } } }`,
    variables: (n) => ({
      from: FIRST_BLOCK + n * BLOCKS_PER_REQUEST,
      to: FIRST_BLOCK + n * BLOCKS_PER_REQUEST + BLOCKS_PER_REQUEST - 1,
    }),
    requestsPerRound: 8,
  },
  {
    name: 'blockAgain',
    title: 'one block, 5 fields, repeated (cacheable)',
    isRepeated: true,
    query: `query blockAgain($number: Long) { block(number: $number) { ${HEADER_FIELDS} } }`,
    variables: () => blockVariables(0),
    requestsPerRound: 2000,
  },
  {
    name: 'again',
    title: 'one block + receipts + logs, repeated (cacheable)',
    isRepeated: true,
    query: blockWithReceiptsQuery('again'),
    variables: () => blockVariables(0),
    requestsPerRound: 120,
  },
];

/** The largest CPU in relation to the floor, with one request at a time and with 16. For repeated requests: that of the cached response. */
export const bounds: Readonly<Record<string, { readonly alone: number; readonly loaded: number }>> = {
  front: { alone: 3.6, loaded: 3.6 },
  block: { alone: 2.3, loaded: 2.1 },
  hashes: { alone: 2.3, loaded: 2.4 },
  accounts: { alone: 2.3, loaded: 3.3 },
  transactions: { alone: 2.1, loaded: 1.9 },
  receipts: { alone: 1.9, loaded: 1.4 },
  blocks: { alone: 1.3, loaded: 1.3 },
  blockAgain: { alone: 1.2, loaded: 1.2 },
  again: { alone: 0.2, loaded: 0.1 },
};
