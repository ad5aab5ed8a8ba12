import { expect, jest, test } from '@jest/globals';
import { readBlock } from '../../../src/domains/webhooks/derivation/block-reader.ts';
import { createInternalReads } from '../../../src/domains/webhooks/derivation/internal-transfers.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { startTestAnvil } from '../../support/anvil.ts';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { unsyncedSources } from '../../support/graph/unsynced-follower.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import { startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS, transactionOf } from '../../support/webhooks/transfer-chain.ts';

usePostgres();

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const [PAYER, OUTER, BOB] = [0xf001, 0xf002, 0xb0b].map(addressOf) as [string, string, string];

test('transfers inside transactions are facts of a block by both dialects, but none of a call that failed', async () => {
  const anvil = await startTestAnvil();
  const proxy = await startProxy(anvil.url);
  // Forwards its value to Bob.
  await rpc(anvil.url, 'anvil_setCode', [PAYER, `0x60006000600060003473${BOB.slice(2)}5af100`]);
  // Calls the payer with its value, then reverts.
  await rpc(anvil.url, 'anvil_setCode', [OUTER, `0x60006000600060003473${PAYER.slice(2)}5af15060006000fd`]);
  for (const [to, value] of [
    [PAYER, '0x9'],
    [OUTER, '0x8'],
    [BOB, '0x7'],
  ])
    await rpc(anvil.url, 'eth_sendTransaction', [{ from: ALICE, to, value, gas: '0x30000' }]);
  await rpc(anvil.url, 'anvil_mine', []);
  const warn = jest.fn();
  const read = async (lacking: RegExp) => {
    proxy.intercept = ({ method }) =>
      lacking.test(method) ? { error: { code: -32601, message: 'Method not found' } } : undefined;
    proxy.takeCounts();
    const { node } = createInProcessGraph([proxy.url]);
    const readInternal = createInternalReads({ warn });
    const lookups = { findRegistered: async () => new Set<string>(), findToken: () => undefined, readInternal };
    const readOnce = () => {
      const { signal } = new AbortController();
      const operation = { requestId: 'test', signal, block: undefined, extensions: {}, dependencies: new ResponseDependencies() };
      return readBlock(new Snapshot(unsyncedSources(node), operation), '0x1', lookups);
    };
    await readOnce();
    const { facts } = await readOnce();
    return facts.transfers.map(({ category, from, to, rawContract }) => [category, from, to, rawContract.rawValue]);
  };
  const expected = [
    ['external', ALICE, PAYER, '0x9'],
    ['internal', PAYER, BOB, '0x9'],
    ['external', ALICE, BOB, '0x7'],
  ];
  expect(await read(/^trace_/)).toEqual(expected);
  expect(proxy.takeCounts().methods).toEqual({ eth_getBlockByNumber: 2, eth_getBlockReceipts: 2, debug_traceBlockByHash: 2 });
  expect(await read(/^debug_/)).toEqual(expected);
  expect(warn).not.toHaveBeenCalled();
  expect(await read(/^(?:debug|trace)_/)).toEqual([expected[0], expected[2]]);
  expect(proxy.takeCounts().methods).toMatchObject({ debug_traceBlockByHash: 1, trace_block: 1 });
  expect(warn).toHaveBeenCalledTimes(1);
});

test('a block is traced once while a registration watches addresses, and its internal transfers are activities', async () => {
  const setup = await startDerivationSetup();
  const { chain, node, register, caughtUp, eventsOf } = setup;
  const [from, to] = [addressOf(0xc0ffee), ACCOUNTS[3]!];
  const traced: string[] = [];
  const respond = node.intercept!;
  node.intercept = (method, params) => {
    if (method !== 'debug_traceBlockByHash') return respond(method, params);
    const block = chain.block(params[0] as string)!;
    traced.push(block.hash);
    const result = block.transactions.map((txHash) => {
      const { from: sender, to: recipient, value } = transactionOf(txHash, block) as Record<string, string>;
      const own = { type: 'CALL', from: sender, to: recipient, value, gas: '0x1', input: '0x' };
      return { txHash, result: { ...own, calls: [{ ...own, from, to, value: '0x5' }] } };
    });
    return { result };
  };
  setup.start(undefined, true);
  await caughtUp();
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  chain.reorg(0, 1);
  await caughtUp();
  expect(traced).toEqual([]);
  await register({ id: 'activity', addresses: [from] });
  let transactions = 0;
  while (transactions === 0) {
    chain.reorg(0, 1);
    await caughtUp();
    transactions = chain.head.transactions.length;
  }
  expect(traced).toEqual([chain.head.hash]);
  const activities = (await eventsOf()).flatMap(({ content }) => (content.type === 'ADDRESS_ACTIVITY' ? content.activity : []));
  expect(activities).toHaveLength(transactions);
  expect(activities[0]).toMatchObject({
    ...{ category: 'internal', from, to, asset: 'ETH', transactionHash: chain.head.transactions[0] },
    rawContract: { rawValue: '0x5', address: null, decimals: 18 },
  });
});
