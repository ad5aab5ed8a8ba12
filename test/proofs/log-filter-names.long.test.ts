import { describe, expect, test } from '@jest/globals';
import { createInProcessGraph, type InProcessGraph } from '../support/graph/in-process-graph.ts';
import { SimChain } from '../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../support/simulator/node.ts';
import type { LogFilterNames } from '../support/simulator/rpc-simulator.ts';
import { startFeed } from '../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../support/subscriptions/log-replay.ts';

/** Nodes differ in the name of the block hash in a log filter. */
const NAMES: [string, LogFilterNames][] = [
  ['reads both', { blockHash: 'read', blockhash: 'read' }],
  ['reads `blockHash` and ignores `blockhash`', { blockHash: 'read', blockhash: 'ignored' }],
  ['reads `blockHash` and rejects `blockhash`', { blockHash: 'read', blockhash: 'refused' }],
  ['ignores `blockHash` and reads `blockhash`', { blockHash: 'ignored', blockhash: 'read' }],
  ['rejects `blockHash` and reads `blockhash`', { blockHash: 'refused', blockhash: 'read' }],
];
const UNKNOWN = ['an error', 'an empty list'] as const;
const BLOOMS = ['real', 'zero'] as const;
const ROWS = NAMES.flatMap(([name, names]) =>
  UNKNOWN.flatMap((unknown) => BLOOMS.map((bloom) => [name, unknown, bloom, names] as const)),
);

let graph: InProcessGraph | undefined;

const LOGS = 'query ($h: Bytes32!) { block(hash: $h) { logs(filter: {}) { blockNumber index } } }';
const FILTERED = 'query ($h: Bytes32!, $a: [Address!]) { logs(filter: { blockHash: $h, addresses: $a }) { index } }';

const newest = (chain: SimChain, count: number) =>
  Array.from({ length: count }, (_none, i) => chain.main.at(chain.head.height - count + 1 + i)!);

async function checkLogs(chain: SimChain, execute: (hash: string) => Promise<any>) {
  for (const { hash, height, logs } of newest(chain, 12)) {
    const expected = logs.map(({ logIndex }) => ({ blockNumber: `0x${height.toString(16)}`, index: logIndex }));
    expect(await execute(hash)).toEqual({ data: { block: { logs: expected } } });
  }
}

describe('logs of a block by hash', () => {
  const chains = { real: new SimChain({ seed: 71, bloom: 'real' }), zero: new SimChain({ seed: 71, bloom: 'zero' }) };
  for (const chain of Object.values(chains)) chain.mine(30);

  test.each(ROWS)(
    'logs of a block by hash are complete on a node that %s, returns %s for an unknown block and has %s blooms',
    async (_name, unknown, bloom, names) => {
      const chain = chains[bloom];
      const node: SimNode = await startSimNode({ chain });
      node.logFilterNames = names;
      node.hidesUnknownBlocks = unknown === 'an empty list';
      graph = createInProcessGraph([node.url]);
      await checkLogs(chain, (h) => graph!.execute(LOGS, { variables: { h } }));
      for (const { hash, logs } of newest(chain, 6)) {
        const a = `0x${'0'.repeat(39)}2`;
        const { data } = await graph.execute(FILTERED, { variables: { h: hash, a: [a] } });
        expect(data.logs).toEqual(logs.filter(({ address }) => address === a).map(({ logIndex }) => ({ index: logIndex })));
      }
    },
  );

  test.each(ROWS)(
    'logs of a block by hash are complete in a subscription on a node that %s, returns %s for an unknown block and has %s blooms',
    async (_name, unknown, bloom, names) => {
      const chain = new SimChain({ seed: 72, bloom, blocks: 12 });
      const start = async (transports: 'ws' | 'http' | 'both') => {
        const { feed, node } = await startFeed(chain, { transports });
        node.logFilterNames = names;
        node.hidesUnknownBlocks = unknown === 'an empty list';
        const replay = createLogReplay(chain.head.hash);
        feed.subscribeLogs(replay);
        return replay;
      };
      const replays = await Promise.all((['ws', 'http', 'both'] as const).map(start));
      for (let i = 0; i < 6; i++) {
        chain.reorg(i % 3, 1 + (i % 3) + (i % 2) * 3);
        await Promise.all(replays.map((replay) => replay.waitForBlock(chain.head.hash)));
      }
      for (const replay of replays) expect(logDifferences(replay, chain.main)).toEqual([]);
    },
  );
});

test('log filter name is chosen per endpoint', async () => {
  const chain = new SimChain({ seed: 74, bloom: 'real', blocks: 30 });
  const [first, second] = [await startSimNode({ chain }), await startSimNode({ chain })];
  first.logFilterNames = { blockHash: 'refused', blockhash: 'read' };
  second.logFilterNames = { blockHash: 'read', blockhash: 'refused' };
  graph = createInProcessGraph([first.url, second.url]);
  await checkLogs(chain, (h) => graph!.execute(LOGS, { variables: { h } }));
  await first.stop();
  await checkLogs(chain, (h) => graph!.execute(LOGS, { variables: { h } }));
});

test('logs fail, instead of being empty, on a node that rejects or ignores both filter names', async () => {
  const chain = new SimChain({ seed: 75, bloom: 'real', blocks: 30 });
  const node = await startSimNode({ chain });
  const { hash } = newest(chain, 20).find(({ logs }) => logs.length > 0)!;
  for (const [names, code] of [
    ['refused', 'UPSTREAM_PROTOCOL_ERROR'],
    ['ignored', 'UPSTREAM_BAD_RESPONSE'],
  ] as const) {
    node.logFilterNames = { blockHash: names, blockhash: names };
    graph = createInProcessGraph([node.url]);
    const { data, errors } = await graph.execute(LOGS, { variables: { h: hash } });
    expect(data).toEqual({ block: null });
    expect(errors!.map(({ extensions }) => extensions.code)).toEqual([code]);
    await graph.close();
    graph = undefined;
  }
});
