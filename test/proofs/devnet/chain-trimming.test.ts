import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createAnvilRpc } from '../../../devnet/src/anvil/rpc.ts';
import { type Devnet, startDevnet } from '../../../devnet/src/index.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** The built server over an embedded chain with trims. */
let devnet: Devnet;
let graph: RunningGraph;

beforeAll(async () => {
  devnet = await startDevnet({ log: pino({ level: 'silent' }), blockTime: 10_000 });
  const { nodeService, wizardService } = devnet.description;
  graph = await startGraph({
    RPC_URL: nodeService.http,
    RPC_WS_URL: nodeService.ws,
    WIZARDS_URL: wizardService.url,
    WIZARDS_API_TOKEN: wizardService.token,
    WIZARDS_EMAIL: wizardService.email,
    LOG_LEVEL: 'error',
  });
});

afterAll(async () => {
  await graph?.stop();
  await devnet?.stop();
});

const height = async () => Number(await rpc(devnet.description.nodeService.http, 'eth_blockNumber', []));
const hex = (number: number) => `0x${number.toString(16)}`;

test('subscriptions emit every block and every log once and in order while the chain is trimmed three times, and removed heights are errors', async () => {
  const { nodeService, landmarks } = devnet.description;
  const node = createAnvilRpc(devnet.description.endpoints.http);
  const client = createSubscriptionClient(graph.url);
  const heads = client.subscribe('subscription { newHeads { number hash } }');
  const logs = client.subscribe('subscription { logs { removed index block { number } transaction { hash } } }');
  const reorgs = client.subscribe('subscription { reorgs { depth } }');
  // Operations of one connection begin in the order in which they are sent.
  await client.subscribe('{ __typename }').ended;

  const from = await height();
  // 600 recent blocks stay until the second trim, so that some heights are removed.
  const to = landmarks.lastBlock + 3 * 256 + 30;
  const expected: string[] = [];
  const hashes: string[] = [];
  for (let at = from; at < to; ) {
    await devnet.mine!(31);
    const head = await height();
    for (const { blockNumber, logIndex, transactionHash } of await rpc(nodeService.http, 'eth_getLogs', [
      { fromBlock: hex(at + 1), toBlock: hex(head) },
    ])) {
      expected.push([Number(blockNumber), Number(logIndex), transactionHash].join());
    }
    const numbers = Array.from({ length: head - at }, (_none, i) => hex(at + 1 + i));
    const mined = await node.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
    hashes.push(...mined.map(({ hash }) => hash));
    at = head;
  }
  await node.close();
  await heads.waitUntil(({ newHeads }) => newHeads.hash === hashes.at(-1));
  const events = await logs.waitForEvents(expected.length);
  expect(heads.events.map(({ data }) => data.newHeads.hash)).toEqual(hashes);
  expect(events.map(({ logs: log }) => [Number(log.block.number), Number(log.index), log.transaction.hash].join())).toEqual(
    expected,
  );
  expect(events.filter(({ logs: log }) => log.removed)).toEqual([]);
  expect(reorgs.events).toEqual([]);

  // Every block that a wizard or a duel names is still there, with its timestamp.
  const named = await graph.execute(`{
    wizards(first: 500) { nodes { createdBlock { number timestamp } eliminatedBlock { number timestamp } } }
    duels(first: 500) {
      nodes { startBlock { number timestamp } endBlock { number timestamp } timeoutBlock { number timestamp } }
    }
  }`);
  expect(named.errors).toBeUndefined();
  const blocks = [...named.data.wizards.nodes, ...named.data.duels.nodes].flatMap(Object.values);
  const heights = new Set(blocks.flatMap((block) => (block ? [Number(block.number)] : [])));
  expect([...heights].some((at) => at > landmarks.lastBlock && at < to - 512 - 256)).toBe(true);

  let gone = landmarks.lastBlock + 2;
  while (heights.has(gone)) gone += 1;
  for (const query of [
    `{ block(number: ${gone}) { hash } }`,
    `{ blocks(from: ${gone - 1}, to: ${gone}) { hash } }`,
    `{ logs(filter: {fromBlock: 1, toBlock: ${gone}}) { index } }`,
    '{ logs(filter: {fromBlock: 1}) { index } }',
    `{ block(number: ${gone}) { account(address: "${devnet.description.accounts[0]!.address}") { balance } } }`,
  ]) {
    const { errors } = await graph.execute(query);
    expect([query, errors?.[0]?.extensions]).toEqual([
      query,
      expect.objectContaining({ code: 'HISTORY_PRUNED', retryable: false }),
    ]);
  }
  // The graph states the same ranges: all heights from the first one on are served, and the height below is not.
  const { data: ranges } = await graph.execute(`{ service {
    blocks: availableRange(resource: BLOCKS) { first last } receipts: availableRange(resource: RECEIPTS) { first }
    logs: availableRange(resource: LOGS) { first } state: availableRange(resource: STATE) { first }
  } }`);
  const { blocks: served, receipts, logs: servedLogs, state } = ranges.service;
  expect(Number(served.last)).toBe(await height());
  expect([receipts.first, servedLogs.first]).toEqual([served.first, served.first]);
  const address = devnet.description.accounts[0]!.address;
  const balanceAt = async (at: number) =>
    (await graph.execute(`{ block(number: ${at}) { account(address: "${address}") { balance } } }`)).errors?.[0]?.extensions.code;
  expect([await balanceAt(Number(state.first)), await balanceAt(Number(state.first) - 1)]).toEqual([undefined, 'HISTORY_PRUNED']);
  const logsFrom = async (at: number) =>
    (await graph.execute(`{ logs(filter: { fromBlock: ${at}, toBlock: ${Number(served.last)} }) { index } }`)).errors?.[0]
      ?.extensions;
  expect(await logsFrom(Number(served.first))).toBeUndefined();
  const below = Number(served.first) - 1;
  if (!heights.has(below)) expect(await logsFrom(below)).toMatchObject({ code: 'HISTORY_PRUNED', earliest: served.first });
}, 240_000);
