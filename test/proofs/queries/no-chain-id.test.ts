import { expect, test } from '@jest/globals';
import { keccak256, Wallet } from 'ethers';
import { dataOf } from '../../support/graph/results.ts';
import { addressOf, block, rpcError, type StubResponses, startGraphOver } from '../../support/graph/stubbed-graph.ts';

const graphOver = async (...tables: readonly StubResponses[]) => (await startGraphOver(tables)).graph;

const TABLE: StubResponses = {
  eth_getBlockByNumber: block(),
  eth_sendRawTransaction: (bytes: string) => keccak256(bytes),
  svc_getTokenMetadata: { name: 'Gold', symbol: 'GLD', decimals: 18, logo: null },
};
const WALLET = new Wallet(`0x${'1'.repeat(64)}`);
const SEND = 'mutation ($data: Bytes!) { sendRawTransaction(data: $data) }';

test.each([
  ['the method is missing', rpcError(-32601, 'the method does not exist')],
  ['the head block has no chain id', rpcError(-32000, 'the head block has no chain id')],
  ['an internal error', rpcError(-32603, 'internal error')],
  ['null', null],
])('on a node without eth_chainId only chainID fails: %s', async (_case, eth_chainId) => {
  const graph = await graphOver({ ...TABLE, eth_chainId });
  const data = await dataOf(
    graph.execute(
      `{ block(number: 16) { number } token(address: "${addressOf(1)}") { symbol } account(address: "${addressOf(1)}") { label } }`,
    ),
  );
  expect(data).toEqual({ block: { number: '0x10' }, token: { symbol: 'GLD' }, account: { label: null } });
  expect((await graph.execute('{ chainID }')).errors).toHaveLength(1);
  const signed = await WALLET.signTransaction({ chainId: 5, type: 0, gasPrice: 1, gasLimit: 21_000, to: WALLET.address });
  const sent = await graph.execute(SEND, { variables: { data: signed } });
  expect(sent).toEqual({ data: { sendRawTransaction: keccak256(signed) } });
});

test('an endpoint without eth_chainId serves what another endpoint cannot', async () => {
  const graph = await graphOver({ eth_chainId: '0x1', eth_getBlockByNumber: 'soon' }, TABLE);
  const data = await dataOf(graph.execute('{ block(number: 16) { number } }'));
  expect(data.block.number).toBe('0x10');
});

test('a transaction is not sent while the chain id cannot be read', async () => {
  const graph = await graphOver({ ...TABLE, eth_chainId: rpcError(-32005, 'request rate limited') });
  const { errors } = await graph.execute(SEND, { variables: { data: await WALLET.signTransaction({ chainId: 5 }) } });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_RATE_LIMITED' } }]);
});
