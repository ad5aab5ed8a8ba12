import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../devnet/src/index.ts';
import { createInProcessGraph, type InProcessGraph } from '../support/graph/in-process-graph.ts';
import { rpc } from '../support/graph/rpc.ts';
import { type NodeProxy, startProxy } from '../support/proxies/node-proxy.ts';

/**
 * The pending state with two transactions, over anvil, which gives them a position in an unfinished block, and over the node service, which
 * gives none.
 */
let devnet: Devnet;
let hashes: string[];
let sender: string;
const graphs = new Map<string, { readonly proxy: NodeProxy; readonly graph: InProcessGraph }>();

const TO = `0x${'12'.repeat(20)}`;

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
  const { endpoints, nodeService, accounts } = devnet.description;
  sender = accounts[0]!.address;
  await rpc(endpoints.http, 'evm_setAutomine', [false]);
  hashes = [];
  for (const value of ['0x1', '0x2'])
    hashes.push(await rpc(endpoints.http, 'eth_sendTransaction', [{ from: sender, to: TO, value, gas: '0x5208' }]));
  for (const [name, url] of Object.entries({ anvil: endpoints.http, service: nodeService.http })) {
    const proxy = await startProxy(url);
    graphs.set(name, { proxy, graph: createInProcessGraph([proxy.url]) });
  }
});

afterAll(async () => {
  for (const { proxy, graph } of graphs.values()) {
    await graph.close();
    await proxy.stop();
  }
  await devnet?.stop();
});

const execute = async (name: string, query: string) => {
  const { data, errors } = await graphs.get(name)!.graph.execute(query);
  expect(errors).toBeUndefined();
  return data;
};
const atPending = (method: string, ...params: unknown[]) => rpc<any>(devnet.description.endpoints.http, method, params);

describe.each(['anvil', 'service'])('the pending state of %s', (name) => {
  test(`counts, nonces and balances of ${name} include pending transactions`, async () => {
    const { pending } = await execute(
      name,
      `{ pending { transactionCount account(address: "${sender}") { transactionCount } to: account(address: "${TO}") { balance code } } }`,
    );
    expect(pending).toEqual({
      transactionCount: '0x2',
      account: { transactionCount: await atPending('eth_getTransactionCount', sender, 'pending') },
      to: { balance: await atPending('eth_getBalance', TO, 'pending'), code: '0x' },
    });
  });

  test(`transactions of ${name} in the pending block are pending`, async () => {
    const { pending } = await execute(
      name,
      `{ pending { transactions { hash value nonce state index blockHash blockNumber block { number } receipt { status } from { address } to { address } } } }`,
    );
    const nonce = Number(await atPending('eth_getTransactionCount', sender, 'latest'));
    expect(pending.transactions).toEqual(
      hashes.map((hash, i) => ({
        hash,
        value: `0x${i + 1}`,
        nonce: `0x${(nonce + i).toString(16)}`,
        state: 'PENDING',
        index: null,
        blockHash: null,
        blockNumber: null,
        block: null,
        receipt: null,
        from: { address: sender },
        to: { address: TO },
      })),
    );
  });

  test(`the header of the pending block of ${name} is that of the node`, async () => {
    const raw = await atPending('eth_getBlockByNumber', 'pending', false);
    const { pending } = await execute(
      name,
      '{ pending { block { parentHash stateRoot gasLimit gasUsed difficulty extraData baseFeePerGas ommerHash parent { hash } } ommerAt(index: 0) { hash } } }',
    );
    const { parentHash, stateRoot, gasLimit, gasUsed, difficulty, extraData, baseFeePerGas, sha3Uncles } = raw;
    expect(pending).toEqual({
      block: {
        ...{ parentHash, stateRoot, gasLimit, gasUsed, difficulty, extraData, baseFeePerGas },
        ommerHash: sha3Uncles,
        parent: { hash: parentHash },
      },
      ommerAt: null,
    });
  });

  test(`logs of ${name} for the pending block have none of a mined one`, async () => {
    expect((await execute(name, '{ pending { logs(filter: {}) { data } } }')).pending.logs).toEqual([]);
  });
});

test('the node service returns a pending transaction by position', async () => {
  const { pending } = await execute(
    'service',
    '{ pending { transactionAt(index: 1) { hash index } none: transactionAt(index: 2) { hash } } }',
  );
  expect(pending).toEqual({ transactionAt: { hash: hashes[1], index: null }, none: null });
});

test('gasUsed of a call equals the gas of the same transaction, by simulation and by trace', async () => {
  const { proxy } = graphs.get('anvil')!;
  const QUERY = `{ block { call(data: { from: "${sender}", to: "${TO}", value: 1 }) { status gasUsed } } }`;
  for (const lacks of ['nothing', 'eth_simulateV1']) {
    const graph = createInProcessGraph([proxy.url]);
    proxy.intercept = ({ method }) => (method === lacks ? { error: { code: -32601, message: 'Method not found' } } : undefined);
    const { data, errors } = await graph.execute(QUERY);
    await graph.close();
    expect(errors).toBeUndefined();
    expect(data.block.call).toEqual({ status: '0x1', gasUsed: '0x5208' });
  }
  proxy.intercept = undefined;
});
