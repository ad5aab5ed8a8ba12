import { expect, test } from '@jest/globals';
import { expectedReceipt, RECEIPT_SELECTION } from '../../support/graph/expected-values.ts';
import { block, hashOf, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { vectorsOf } from '../../support/vectors/read-vectors.ts';

/** Blocks, receipts and transactions as a node of today returns them: the recorded calls are sent, and each recorded property appears. */
const blocks = vectorsOf('eth_getBlockByNumber');
const TAGS: Readonly<Record<string, string>> = { latest: 'LATEST', safe: 'SAFE', finalized: 'FINALIZED' };

/** The names of the properties of blocks and transactions whose fields have other names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  sha3Uncles: 'ommerHash',
  uncles: 'ommerHashes',
  input: 'inputData',
  transactionIndex: 'index',
  chainId: 'chainID',
  validatorIndex: 'validator',
};

/** The recorded value by the names of the schema. Adds a property that is not known as it is, so that it is missed in the response. */
const renamed = (value: any): any => {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [OTHER_NAMES[name] ?? name, renamed(of)]));
};

/** Numbers of 32 bytes, which the response has in their shortest form. */
const SIGNATURE = ['r', 's'];
const HEADER = `number hash parentHash nonce ommerHash logsBloom transactionsRoot stateRoot receiptsRoot miner { address } difficulty extraData
  size gasLimit gasUsed timestamp mixHash baseFeePerGas blobGasUsed excessBlobGas withdrawalsRoot withdrawals { index validator address amount }
  parentBeaconBlockRoot requestsHash ommerHashes totalDifficulty`;
const TRANSACTION = `hash blockHash blockNumber blockTimestamp index nonce from { address } to { address } value gas gasPrice maxFeePerGas
  maxPriorityFeePerGas maxFeePerBlobGas inputData r s v yParity type chainID accessList { address storageKeys } blobVersionedHashes
  authorizationList { chainID address nonce yParity r s }`;

/** The transaction of a response with the accounts as addresses. */
const flattened = ({ from, to, ...others }: any) => ({ ...others, from: from.address, to: to?.address ?? null });
const expectedTransaction = ({ accessList, ...transaction }: any) => ({
  ...renamed(transaction),
  ...(accessList && { accessList }),
  ...Object.fromEntries(SIGNATURE.map((name) => [name, `0x${BigInt(transaction[name]).toString(16)}`])),
});

test.each(blocks)('eth_getBlockByNumber $name', async ({ params, result }) => {
  const [ref, full] = params;
  const at = ref in TAGS ? `tag: ${TAGS[ref]}` : `number: ${Number(ref)}`;
  const graph = await startStubbedGraph({ eth_getBlockByNumber: result });
  const { data, errors } = await graph.execute<string, any>(
    `{ block(${at}) { ${HEADER} transactions { ${full ? TRANSACTION : 'hash'} } transactionHashes } }`,
  );
  expect(errors).toBeUndefined();
  const hashes = result?.transactions.map((one: any) => one.hash ?? one);
  const { transactions, miner, ...header } = result ?? {};
  if (result === null) expect(data.block).toBeNull();
  else {
    expect(data.block).toMatchObject({ ...renamed(header), miner: { address: miner }, transactionHashes: hashes });
    expect(data.block.transactions).toHaveLength(hashes.length);
    if (full) expect(data.block.transactions.map(flattened)).toMatchObject(transactions.map(expectedTransaction));
  }
  expect(graph.requested).toEqual([['eth_getBlockByNumber', ref, full]]);
});

const transactions = vectorsOf('eth_getTransactionByHash');

test.each(transactions)('eth_getTransactionByHash $name', async ({ params, result }) => {
  const graph = await startStubbedGraph({ eth_getTransactionByHash: result, eth_getTransactionReceipt: null });
  const { data, errors } = await graph.execute<string, any>(`{ transaction(hash: "${params[0]}") { ${TRANSACTION} } }`);
  expect(errors).toBeUndefined();
  if (result === null) expect(data.transaction).toBeNull();
  else expect(flattened(data.transaction)).toMatchObject(expectedTransaction(result));
  expect(graph.requested).toEqual([['eth_getTransactionByHash', ...params]]);
});

/** A block with the hash and the height of recorded receipts. */
const blockOf = ([first]: readonly any[], ref: string) =>
  block({
    number: first?.blockNumber ?? (ref.startsWith('0x') && ref.length < 66 ? ref : '0x0'),
    hash: first?.blockHash ?? hashOf(0xb10),
    gasUsed: first?.gasUsed ?? '0x0',
    transactions: first ? [first.transactionHash] : [],
  });

const receipts = vectorsOf('eth_getBlockReceipts');

test.each(receipts.filter(({ result }) => result))('eth_getBlockReceipts $name', async ({ params: [ref], result }) => {
  const found = blockOf(result.slice(0, 1), ref);
  const listed = { ...found, transactions: result.map(({ transactionHash }: any) => transactionHash) };
  const graph = await startStubbedGraph({
    ...{ eth_getBlockByNumber: listed, eth_getBlockByHash: listed },
    eth_getBlockReceipts: result,
  });
  const at = ref.length === 66 ? `hash: "${ref}"` : ref.startsWith('0x') ? `number: ${Number(ref)}` : `tag: ${ref.toUpperCase()}`;
  const { data, errors } = await graph.execute<string, any>(`{ block(${at}) { receipts { ${RECEIPT_SELECTION} } } }`);
  expect(errors).toBeUndefined();
  const succeeded = ({ status }: any) => (status === undefined ? null : status === '0x1');
  expect(data.block.receipts).toEqual(result.map((one: any) => ({ ...expectedReceipt(one), succeeded: succeeded(one) })));
  const sent = graph.requested.filter(([method]) => method === 'eth_getBlockReceipts');
  expect(sent).toEqual([['eth_getBlockReceipts', ref]]);
});

test.each(receipts.filter(({ result }) => !result))(
  'eth_getBlockReceipts $name is a block that the node lacks',
  async ({ params: [ref] }) => {
    const graph = await startStubbedGraph({ eth_getBlockByNumber: null, eth_getBlockByHash: null, eth_getBlockReceipts: null });
    const at = ref.length === 66 ? `hash: "${ref}"` : `number: ${Number(ref)}`;
    expect((await graph.execute<string, any>(`{ block(${at}) { receipts { status } } }`)).data).toEqual({ block: null });
  },
);

test('each recorded call is tested', () => {
  expect([blocks, transactions, receipts].map(({ length }) => length)).toEqual([10, 9, 8]);
});
