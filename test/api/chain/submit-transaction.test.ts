import { expect, test } from '@jest/globals';
import { keccak256, Wallet } from 'ethers';
import { SimChain, statusOf } from '../../support/simulator/chain.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { type LiveGraph, type LiveGraphOptions, startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const wallet = new Wallet(`0x${'1'.repeat(64)}`);
const signed = (nonce: number) =>
  wallet.signTransaction({ chainId: 7, nonce, type: 0, gasPrice: 1, gasLimit: 21_000, to: wallet.address, value: 1 });

/** A simulated node whose pool has each transaction that is submitted. `reject`: the error of a submission. */
async function startSubmissions(options: LiveGraphOptions = {}) {
  const chain = new SimChain({ seed: 11, blocks: 40 });
  const graph = await startLiveGraph(chain, options);
  const transactions = new SimTransactions(chain, { hasBlockReceipts: true, prunesRemovedBlocks: true });
  const submissions: string[] = [];
  const node: { reject: { code: number; message: string } | undefined } = { reject: undefined };
  graph.node.intercept = (method, params) => {
    if (method !== 'eth_sendRawTransaction') return transactions.respond(method, params);
    submissions.push(params[0]);
    if (node.reject) return { error: node.reject };
    transactions.addPending(keccak256(params[0]));
    return { result: keccak256(params[0]) };
  };
  /** Mines until a transaction is in a block. */
  const mine = (hash: string): void => {
    chain.queuedTransactions.push(hash);
    do chain.mine();
    while (!transactions.blockContaining(hash));
  };
  return { chain, graph, transactions, submissions, node, mine };
}

const MUTATION = `mutation ($input: SubmitTransactionInput!) {
  submitTransaction(input: $input) { hash alreadyKnown transaction { hash blockHash nonce } receipt { blockHash status } }
}`;
const submit = async (graph: LiveGraph, input: object) => (await graph.execute(MUTATION, { input })).submitTransaction;
const countOf = (graph: LiveGraph, method: string) => graph.node.callCounts.get(method) ?? 0;

test('submitTransaction without waitMs returns the pending transaction, which is read twice, and no receipt', async () => {
  const { graph, submissions } = await startSubmissions();
  const data = await signed(0);
  const hash = keccak256(data);
  expect(await submit(graph, { data })).toEqual({
    hash,
    alreadyKnown: false,
    transaction: { hash, blockHash: null, nonce: expect.any(String) },
    receipt: null,
  });
  expect(submissions).toEqual([data]);
  // The second read is together with the head, because a node that lags could lack the block of the transaction.
  expect(countOf(graph, 'eth_getTransactionByHash')).toBe(2);
  expect(countOf(graph, 'eth_getTransactionReceipt')).toBe(0);
});

test('submitTransaction with waitMs returns the receipt as soon as the transaction is mined', async () => {
  const { graph, transactions, submissions, mine } = await startSubmissions();
  const data = await signed(0);
  const hash = keccak256(data);
  const submitted = submit(graph, { data, waitMs: 9_000 });
  await waitUntil(() => countOf(graph, 'eth_getTransactionByHash') > 0, 'the server waits for the transaction');
  mine(hash);
  const blockHash = transactions.blockContaining(hash)!.hash;
  expect(await submitted).toEqual({
    hash,
    alreadyKnown: false,
    transaction: { hash, blockHash, nonce: expect.any(String) },
    receipt: { blockHash, status: statusOf(hash) },
  });
  expect(submissions).toHaveLength(1);
  // The response reuses the transaction and the receipt that the watcher has read.
  expect(countOf(graph, 'eth_getTransactionReceipt')).toBe(1);
});

test('submitTransaction has a null receipt when the transaction is not mined within waitMs', async () => {
  const { graph } = await startSubmissions();
  const data = await signed(0);
  expect(await submit(graph, { data, waitMs: 1 })).toMatchObject({ hash: keccak256(data), receipt: null });
  expect(countOf(graph, 'eth_getTransactionReceipt')).toBe(0);
});

test('submitTransaction ends its wait before the deadline of the operation', async () => {
  const { graph } = await startSubmissions({ operationTimeoutMs: 2_000 });
  const data = await signed(0);
  expect(await submit(graph, { data, waitMs: 2_147_483_647 })).toMatchObject({ hash: keccak256(data), receipt: null });
});

test.each([
  ['geth', { code: -32000, message: 'nonce too low' }],
  // They check the balance, which the mined transaction may have spent, before the nonce.
  ['Besu', { code: -32004, message: 'Upfront cost exceeds account balance' }],
  ['Nethermind', { code: -32010, message: 'InsufficientFunds, Account balance: 0, cumulative cost: 21000' }],
])('submitTransaction of a mined transaction is alreadyKnown and returns its receipt over %s', async (_node, rejection) => {
  const { graph, transactions, mine, node } = await startSubmissions();
  const data = await signed(0);
  const hash = keccak256(data);
  mine(hash);
  node.reject = rejection;
  expect(await submit(graph, { data, waitMs: 9_000 })).toMatchObject({
    hash,
    alreadyKnown: true,
    receipt: { blockHash: transactions.blockContaining(hash)!.hash },
  });
});

test('submitTransaction rejects a negative waitMs before it submits', async () => {
  const { graph, submissions } = await startSubmissions();
  await expect(submit(graph, { data: await signed(0), waitMs: -1 })).rejects.toThrow(/BAD_USER_INPUT/);
  expect(submissions).toEqual([]);
});

test('submitTransaction stops waiting when another transaction uses the nonce', async () => {
  const { graph, transactions, mine } = await startSubmissions();
  const data = await signed(0);
  const hash = keccak256(data);
  const submitted = submit(graph, { data, waitMs: 9_000 });
  await waitUntil(() => countOf(graph, 'eth_getTransactionByHash') > 0, 'the server waits for the transaction');
  transactions.evict(hash);
  mine(transactions.replacementOf(hash));
  expect(await submitted).toMatchObject({ hash, transaction: null, receipt: null });
});
