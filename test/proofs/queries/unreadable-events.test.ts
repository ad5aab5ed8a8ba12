import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import type { GraphBody } from '../../support/graph/results.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { balanceAt } from '../../support/simulator/rpc-simulator.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const PENDING = `0x${'12'.repeat(32)}`;

/** A graph over a node that prunes removed blocks and has a pending transaction, and the events of one subscription. */
async function subscribe(selection: string) {
  const chain = new SimChain({ seed: 3, bloom: 'real', blocks: 40 });
  const graph = await startLiveGraph(chain);
  const transactions = new SimTransactions(chain, { hasBlockReceipts: true, prunesRemovedBlocks: true });
  transactions.addPending(PENDING);
  const { respond } = transactions;
  graph.node.intercept = respond;
  /** Replaces the last block before the next read of state; returns whether it was read. */
  const reorganizeBeforeStateRead = () => {
    let isRead = false;
    graph.node.intercept = (method, params) => {
      if (!isRead && method === 'eth_getBalance') {
        isRead = true;
        chain.reorg(1, 2);
      }
      return respond(method, params);
    };
    return () => isRead;
  };
  const connection = new WebSocketConnection(graph.url);
  const events: GraphBody[] = [];
  // Ends when the server stops.
  void (async () => {
    for await (const event of connection.iterate({ query: `subscription { ${selection} }` })) events.push(event);
  })().catch(() => undefined);
  await waitUntil(async () => (await graph.metric('subscriptions')) === 1, 'the client has subscribed');
  const mineLogs = () => {
    do chain.mine();
    while (chain.head.logs.length === 0);
    return chain.head;
  };
  return { chain, graph, respond, events, mineLogs, reorganizeBeforeStateRead };
}

const hashIn = ({ logs, newHeads }: GraphBody['data']): string => logs?.blockHash ?? newHeads.hash;

test.each([
  ['logs', 'logs { blockHash removed transaction { nonce } }'],
  ['logs with the block alone', 'logs { blockHash removed block { size } }'],
  ['newHeads', 'newHeads { hash block { transactions { nonce } } }'],
])('a block that a reorg removes between its announcement and its reads has no event: %s', async (_name, selection) => {
  const { chain, graph, respond, events, mineLogs } = await subscribe(selection);
  const delivered = mineLogs();
  await waitUntil(() => events.some(({ data }) => hashIn(data) === delivered.hash), 'the block has an event');
  let removed: string | undefined;
  graph.node.intercept = (method, params) => {
    if (removed === undefined && /^eth_get(Transaction|BlockByHash)/.test(method)) {
      removed = chain.head.hash;
      chain.reorg(1, 1);
    }
    return respond(method, params);
  };
  mineLogs();
  await waitUntil(() => removed !== undefined, 'the block is read');
  const last = mineLogs();
  await waitUntil(() => events.some(({ data }) => hashIn(data) === last.hash), 'the last block has an event');
  expect(events.filter(({ errors }) => errors)).toEqual([]);
  expect(events.map(({ data }) => hashIn(data))).not.toContain(removed);
});

test('a removed log whose state is read at a head that a reorg removes is delivered with the state of the next head', async () => {
  const { chain, graph, events, mineLogs, reorganizeBeforeStateRead } = await subscribe(
    'logs { blockHash removed account { balance } }',
  );
  const first = mineLogs();
  await waitUntil(() => graph.feed.logsHead?.hash === first.hash, 'the feed has the logs');
  await waitUntil(() => events.some(({ data }) => data.logs.blockHash === first.hash), 'the log is delivered');
  const isStateRead = reorganizeBeforeStateRead();
  chain.reorg(1, 1);
  await waitUntil(() => events.some(({ data, errors }) => errors || data.logs.removed), 'the log is removed');
  expect(isStateRead()).toBe(true);
  expect(events.filter(({ errors }) => errors)).toEqual([]);
});

test('an event without a cursor whose block a reorg removes has the state of the next head', async () => {
  const selection = `transactionStatus(hash: "${PENDING}") { status transaction { blockHash from { balance } } }`;
  const { chain, events, reorganizeBeforeStateRead } = await subscribe(selection);
  await waitUntil(() => events.length === 1, 'the transaction is pending');
  const isStateRead = reorganizeBeforeStateRead();
  chain.queuedTransactions.push(PENDING);
  do chain.mine();
  while (chain.queuedTransactions.length > 0);
  chain.mine();
  await waitUntil(() => events.length > 1, 'the transaction is mined');
  expect(isStateRead()).toBe(true);
  expect(events.filter(({ errors }) => errors)).toEqual([]);
  expect(events[1]!.data.transactionStatus.transaction.from.balance).toBe(balanceAt(chain.head));
});
