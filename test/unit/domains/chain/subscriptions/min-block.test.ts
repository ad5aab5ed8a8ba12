import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../../../support/clients/connections.ts';
import { hex, SimChain } from '../../../../support/simulator/chain.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import { startLiveGraph } from '../../../../support/subscriptions/live-graph.ts';
import { addressOf, hashOf, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

/** Subscriptions with a minimum block, beside one of another client that has received earlier events. */
async function start(headerChecks: 'on' | 'report') {
  const chain = new SimChain({ seed: 3, blocks: 40, bloom: 'real' });
  return { chain, ...(await startLiveGraph(chain, { transports: 'both', headerChecks })) };
}

/** Subscribes, and resolves with the received events once the server counts the subscription. */
async function follow(graph: Awaited<ReturnType<typeof start>>, query: string, minBlock?: number): Promise<any[]> {
  const events: any[] = [];
  const before = await graph.metric('subscriptions');
  const extensions = minBlock === undefined ? undefined : { minBlock };
  void (async () => {
    for await (const { data } of new WebSocketConnection(graph.url).iterate({ query, extensions } as never)) events.push(data);
  })().catch(() => {});
  for (let count = before; count === before; ) count = await graph.metric('subscriptions');
  return events;
}

test('transactionStatus starts with no status from before the minimum block', async () => {
  const graph = await start('report');
  const { chain, feed, node } = graph;
  const hash = hashOf(0xaaa);
  const pending = { blockHash: null, blockNumber: null, transactionIndex: null };
  let place: object = pending;
  // Over HTTP the node is a moment behind its announcements, as behind a load balancer.
  let isLagging = false;
  node.intercept = (method, [first]) => {
    if (method === 'eth_getTransactionByHash')
      return {
        result: transactionFixture({ hash, from: addressOf(1), nonce: '0x0', ...(isLagging ? pending : place) } as never),
      };
    return isLagging && method === 'eth_getBlockByNumber' && first === hex(chain.head.height) ? { result: null } : undefined;
  };
  const query = `subscription { transactionStatus(hash: "${hash}", confirmations: 10) { status } }`;
  const early = await follow(graph, query);
  await pollUntil(() => early.length === 1);
  isLagging = true;
  const [block] = chain.mine(1).added;
  place = { blockHash: block!.hash, blockNumber: hex(block!.height), transactionIndex: '0x0' };
  await pollUntil(() => feed.head?.hash === chain.head.hash);
  const late = await follow(graph, query, block!.height);
  isLagging = false;
  await pollUntil(() => late.length > 0);
  expect([early[0], late[0]].map(({ transactionStatus }) => transactionStatus.status)).toEqual(['PENDING', 'MINED']);
});
