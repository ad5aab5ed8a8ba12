import { expect, test } from '@jest/globals';
import { keccak256, Wallet } from 'ethers';
import { hashOf, rpcError, startStubbedGraph, transactionFixture } from '../../support/graph/stubbed-graph.ts';

const WALLET = new Wallet(hashOf(1));
const signed = WALLET.signTransaction({ chainId: 1, nonce: 0, type: 0, gasPrice: 1, gasLimit: 21_000, to: WALLET.address });
const NONCE_TOO_LOW = rpcError(-32000, 'nonce too low: next nonce 1, tx nonce 0');
const ALREADY_KNOWN = rpcError(-32000, 'already known');
const SENT = { eth_chainId: 1, eth_sendRawTransaction: 1 };
const PENDING = { blockHash: null, blockNumber: null, transactionIndex: null };

const FOUND = { eth_getTransactionByHash: 1 };
const BUSY = rpcError(-32000, 'busy');

test.each<[string, unknown, object | undefined, boolean, string, Record<string, number>]>([
  ['a mined transaction', NONCE_TOO_LOW, {}, true, 'NONCE_TOO_LOW', FOUND],
  ['a mined transaction that the node reports as known', ALREADY_KNOWN, {}, true, 'NONCE_TOO_LOW', FOUND],
  ['a mined transaction that the node accepts', hashOf(9), {}, true, 'NONCE_TOO_LOW', FOUND],
  ['a transaction with a used nonce', NONCE_TOO_LOW, undefined, true, 'NONCE_TOO_LOW', { ...SENT, eth_getTransactionByHash: 2 }],
  ['a transaction in the pool', ALREADY_KNOWN, PENDING, true, 'hash', { ...SENT, ...FOUND }],
  ['a new transaction', hashOf(9), undefined, true, 'hash', { ...SENT, ...FOUND }],
  ['a new transaction whose lookup fails', hashOf(9), BUSY, true, 'hash', { ...SENT, ...FOUND }],
  ['a mined transaction', NONCE_TOO_LOW, {}, false, 'hash', { ...SENT, ...FOUND }],
  ['a new transaction', hashOf(9), undefined, false, 'hash', SENT],
])('sendRawTransaction of %s (%s, found: %j) in drop-in mode: %s, results in %s', async (...row) => {
  const [, response, found, isDropIn, expected, calls] = row;
  const bytes = await signed;
  const hash = keccak256(bytes);
  const transaction = found instanceof Error ? found : found && transactionFixture({ hash, ...found });
  const graph = await startStubbedGraph(
    { eth_chainId: '0x1', eth_sendRawTransaction: response, eth_getTransactionByHash: transaction ?? null },
    { isDropIn },
  );
  const { data, errors } = await graph.execute('mutation ($data: Bytes!) { sendRawTransaction(data: $data) }', { data: bytes });
  if (expected === 'hash') expect({ data, errors }).toEqual({ data: { sendRawTransaction: hash }, errors: undefined });
  else expect(errors).toMatchObject([{ path: ['sendRawTransaction'], extensions: { code: expected, hash } }]);
  expect(graph.node.takeCounts().methods).toEqual(calls);
});
