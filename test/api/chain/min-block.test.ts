/** `x-graph-min-block` over the real follower of a simulated chain. */

import { describe, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { bodyOf, dataOf } from '../../support/graph/results.ts';
import { hex, SimChain } from '../../support/simulator/chain.ts';
import { balanceAt } from '../../support/simulator/rpc-simulator.ts';
import { type LiveGraph, type LiveGraphOptions, startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ACCOUNT = `account(address: "${addressOf(1)}") { balance }`;
const QUERY = `{ block { number hash } ${ACCOUNT} }`;

const post = async (graph: LiveGraph, headers: Record<string, string>, query = QUERY) =>
  bodyOf(await postJson(`${graph.url}/graphql`, { query }, headers));

async function start(options: LiveGraphOptions = {}, blockSeconds = 12): Promise<{ chain: SimChain; graph: LiveGraph }> {
  const chain = new SimChain({ seed: 1, blockSeconds, blocks: 20 });
  return { chain, graph: await startLiveGraph(chain, { transports: 'both', ...options }) };
}

/** Resolves when an operation waits for the head of the follower. */
const waits = ({ follower }: LiveGraph): Promise<void> =>
  new Promise((resolve) => {
    const { onFreshHead } = follower;
    follower.onFreshHead = (listener) => {
      follower.onFreshHead = onFreshHead;
      resolve();
      return onFreshHead(listener);
    };
  });

test.each(['both', 'polls'] as const)(
  'an operation waits for its minimum block and reads the head of that height, with the follower over %s',
  async (transports) => {
    const { chain, graph } = await start({ transports });
    const waiting = waits(graph);
    const response = post(graph, { 'x-graph-min-block': '23' });
    await waiting;
    for (let height = 21; height <= 23; height++) {
      chain.mine();
      await waitUntil(() => graph.follower.head?.height === height, `the follower has block ${height}`);
    }
    const { data, errors, extensions } = await response;
    expect(errors).toBeUndefined();
    const { number, hash, parentHash } = chain.head.header;
    expect(data).toEqual({ block: { number, hash }, account: { balance: balanceAt(chain.head) } });
    expect(extensions).toEqual({ block: { number, hash, parentHash } });
  },
);

test('an operation reads at the head that ended its wait, even if the head has moved on before it executes', async () => {
  const { chain, graph } = await start({ transports: 'ws', dialect: { heads: 'all', header: 'geth', removedLogs: true } });
  const waiting = waits(graph);
  const response = post(graph, { 'x-graph-min-block': '22' });
  await waiting;
  // The node announces the five blocks one by one, in one turn of the event loop.
  chain.mine(5);
  const data = await dataOf(response);
  expect(data.block.number).toBe(hex(22));
  expect(data.account.balance).toBe(balanceAt(chain.main.at(22)!));
});

test('an operation waits for a head that is confirmed again without a change', async () => {
  const { graph } = await start({ timing: { staleAfterMs: 1 } });
  graph.node.isMuted = true;
  graph.node.upgradeRefusalStatus = 503;
  graph.node.intercept = () => ({ error: { code: -32000, message: 'not now' } });
  graph.node.disconnect('close');
  await waitUntil(() => graph.follower.head === undefined, 'the head is unknown');
  const waiting = waits(graph);
  const response = post(graph, { 'x-graph-min-block': '20' }, '{ block { number } }');
  await waiting;
  graph.node.intercept = undefined;
  expect((await response).data).toEqual({ block: { number: hex(20) } });
});

describe('a minimum block together with x-graph-block', () => {
  const pinned = (graph: LiveGraph, block: string, minBlock: number, query?: string) =>
    post(graph, { 'x-graph-block': block, 'x-graph-min-block': String(minBlock) }, query);

  test('x-graph-block reads the block of a hash if its height is at least the minimum', async () => {
    const { chain, graph } = await start();
    const data = await dataOf(pinned(graph, chain.main.at(15)!.hash, 15));
    expect(data).toEqual({
      block: { number: hex(15), hash: chain.main.at(15)!.hash },
      account: { balance: balanceAt(chain.main.at(15)!) },
    });
  });

  test.each([
    ['that the follower has', 298],
    ['that only the node has', 1],
  ])('x-graph-block with a hash below the minimum fails with BAD_USER_INPUT, for a block %s', async (_case, height) => {
    // The follower starts with the newest blocks alone.
    const chain = new SimChain({ seed: 1, blocks: 300 });
    const graph = await startLiveGraph(chain, { transports: 'both' });
    const named = chain.main.at(height)!;
    const { data, errors } = await pinned(graph, named.hash, 300);
    expect(data).toEqual({ block: null, account: null });
    expect(errors!.map(({ path }) => path!.join('.')).sort()).toEqual(['account.balance', 'block']);
    for (const { extensions } of errors!)
      expect(extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        retryable: false,
        minBlock: hex(300),
        height: named.header.number,
      });
  });
});
