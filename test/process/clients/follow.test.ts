import { beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { createEventStreamClient, follow, type Interruption, type SubscriptionClient } from '../../../clients/js/src/index.ts';
import { createWebSocketClient } from '../../../clients/js/src/ws.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { startCuttingProxy } from '../../support/proxies/tcp-proxy.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** `follow` of the client package against the built server, through connections that are cut at random. */
let setup: DevnetSetup;

const BLOCKS = 40;
/** Number of blocks between two reorgs, each of which replaces two blocks. */
const BLOCKS_PER_REORG = 8;
const TRANSFERS_PER_BLOCK = 3;
const SEED = 19;

beforeAll(async () => {
  setup = await startDevnetSetup();
  await setup.rpc('evm_setAutomine', false);
});

const word = (hex: string) => hex.replace('0x', '').padStart(64, '0');

async function mineTransfers(): Promise<void> {
  const { accounts, contracts } = setup.devnet.description;
  const [from, to] = accounts.map(({ address }) => address);
  for (let i = 0; i < TRANSFERS_PER_BLOCK; i++) {
    const data = `0xa9059cbb${word(to!)}${word((i + 1).toString(16))}`;
    await setup.rpc('eth_sendTransaction', { from, to: contracts[0]!.address, gas: '0x186a0', data });
  }
  await setup.rpc('evm_mine');
}

/** Replaces the last two blocks by others. */
async function reorganize(): Promise<void> {
  const body = JSON.stringify({ reorg: { depth: 2, transactions: [] } });
  await fetch(setup.devnet.description.nodeService.control, { method: 'POST', body });
}

const idOf = ({ blockHash, logIndex }: { blockHash: string; logIndex: string }) => `${blockHash}-${logIndex}`;

/** Applies log events in order; each removal must name the last remaining log. Returns the ids of the remaining logs. */
function replayLogs(events: readonly { id: string; removed: boolean }[]): string[] {
  const ids: string[] = [];
  for (const { id, removed } of events) {
    if (removed) expect(id).toBe(ids.pop());
    else ids.push(id);
  }
  expect(new Set(ids).size).toBe(ids.length);
  return ids;
}

const clients: [name: string, connect: (url: string) => SubscriptionClient & { dispose?(): unknown }][] = [
  ['event streams', (url) => createEventStreamClient({ url: `${url}/graphql` })],
  [
    'a WebSocket',
    (url) =>
      createWebSocketClient({ url: `${url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, lazyCloseTimeout: 0 }),
  ],
];

const head = () => setup.rpc('eth_getBlockByNumber', 'latest', false);

async function hasLastLog(events: readonly { readonly id: string }[]): Promise<boolean> {
  const { hash } = await head();
  const ids = (await setup.rpc('eth_getLogs', { blockHash: hash })).map(idOf);
  return events.some(({ id }) => id === ids.at(-1));
}
const FAST = { firstMs: 2, maxMs: 20 };

/** Collects the events of a subscription until the expected number has arrived. */
function collect(client: SubscriptionClient, options: { query: string; after: string }, interruptions: Interruption[]) {
  const control = new AbortController();
  const events: any[] = [];
  const finished = (async () => {
    const onInterruption = (interruption: Interruption) => interruptions.push(interruption);
    for await (const data of follow(client, { ...options, backoff: FAST, signal: control.signal, onInterruption }))
      events.push(Object.values(data)[0]);
  })();
  return {
    events,
    stop: () => {
      control.abort();
      return finished;
    },
  };
}

/** The cursor of the most recent log, before the blocks of the test. */
async function lastCursor(): Promise<string> {
  await mineTransfers();
  let cursor: string | undefined;
  const { number } = await head();
  await waitUntil(async () => {
    const { data } = await setup.graph.execute(`{ logs(filter: { fromBlock: "${number}" }) { blockNumber cursor } }`);
    cursor = data.logs?.at(-1)?.cursor;
    return data.logs?.at(-1)?.blockNumber === number;
  }, 'the graph has the last block');
  return cursor!;
}

test.each(clients)('no event is lost or repeated over %s that is cut at random', async (_name, connect) => {
  const after = await lastCursor();
  const first = await head();
  const proxy = await startCuttingProxy(setup.graph.url, createRandomChoices(SEED));
  const client = connect(proxy.url);
  const interruptions: Interruption[] = [];
  const logs = collect(
    client,
    { query: 'subscription ($after: String) { logs(after: $after) { id cursor removed } }', after },
    interruptions,
  );
  const heads = collect(
    client,
    { query: 'subscription ($after: Bytes32) { newHeads(after: $after) { hash number parentHash } }', after: first.hash },
    interruptions,
  );
  for (let i = 1; i <= BLOCKS; i++) {
    await mineTransfers();
    if (i % BLOCKS_PER_REORG !== 0) continue;
    // If a reorg removes logs before they arrive, no removal follows.
    if (i === BLOCKS_PER_REORG) await waitUntil(async () => await hasLastLog(logs.events), 'the logs to remove have arrived');
    await reorganize();
  }
  await mineTransfers();
  const fromBlock = `0x${(Number(first.number) + 1).toString(16)}`;
  const expected = (await setup.rpc('eth_getLogs', { fromBlock, toBlock: 'latest' })).map(idOf);
  const last = (await head()).hash;
  await waitUntil(() => heads.events.at(-1)?.hash === last, 'all blocks have arrived');
  await waitUntil(() => logs.events.at(-1)?.id === expected.at(-1), 'all logs have arrived');
  proxy.isCutting = false;
  await Promise.all([logs.stop(), heads.stop()]);
  await client.dispose?.();

  expect(replayLogs(logs.events)).toEqual(expected);
  expect(logs.events.some(({ removed }) => removed)).toBe(true);
  const known = new Set([first.hash]);
  for (const { hash, parentHash } of heads.events) {
    expect([known.has(parentHash), known.has(hash)]).toEqual([true, false]);
    known.add(hash);
  }
  expect(proxy.cuts).toBeGreaterThan(5);
  expect(interruptions.length).toBeGreaterThan(5);
  expect(interruptions.every(({ isLossless }) => isLossless)).toBe(true);
});
