import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { hashOf } from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Subscribes to transactions of a simulated chain. Transactions whose hash has an odd last digit revert. */
async function startTransactionWatch(hashes: readonly string[], fields: string) {
  const chain = new SimChain({ seed: 5, blocks: 40 });
  const graph = await startLiveGraph(chain);
  const transactions = new SimTransactions(chain, { hasBlockReceipts: true, prunesRemovedBlocks: true });
  graph.node.intercept = transactions.respond;
  for (const hash of hashes) transactions.addPending(hash);
  const connection = new WebSocketConnection(graph.url);
  const events = hashes.map((): Record<string, unknown>[] => []);
  for (const [i, hash] of hashes.entries()) {
    // Ends when the server stops.
    void (async () => {
      const query = `subscription { transactionStatus(hash: "${hash}", confirmations: 3) { status ${fields} } }`;
      for await (const { data } of connection.iterate({ query })) events[i]!.push(data.transactionStatus);
    })().catch(() => undefined);
  }
  const has = (count: number) => waitUntil(() => events.every(({ length }) => length >= count), `each has ${count} events`);
  /** Mines blocks until each transaction is in a block. */
  const mineAll = async () => {
    chain.queuedTransactions.push(...hashes);
    do chain.mine();
    while (!hashes.every((hash) => transactions.blockContaining(hash)));
  };
  return { chain, graph, transactions, events, has, mineAll };
}

const OVER_HTTP = ({ over }: { over: string }) => over === 'http';

test('succeeded is null while pending, then true, false for a revert, or null before Byzantium', async () => {
  const [good, bad, old] = [hashOf(0xa0), hashOf(0xa1), hashOf(0xa2)];
  const { graph, transactions, events, has, mineAll } = await startTransactionWatch(
    [good, bad, old],
    'succeeded receipt { status root }',
  );
  await has(1);
  graph.node.intercept = (method, params) => {
    const answer = transactions.respond(method, params);
    const isOld = method === 'eth_getTransactionReceipt' && params[0] === old;
    return isOld && answer?.result ? { result: { ...(answer.result as object), status: undefined, root: hashOf(9) } } : answer;
  };
  await mineAll();
  await has(2);
  expect(events.map((own) => own.slice(0, 2).map(({ succeeded }) => succeeded))).toEqual([
    [null, true],
    [null, false],
    [null, null],
  ]);
  expect(events[2]![1]!.receipt).toEqual({ status: null, root: hashOf(9) });
});

const hashes = [hashOf(0xb0), hashOf(0xb2)];

test.each([
  ['is not requested without the field succeeded', 'confirmations', 0],
  ['is requested once per block with the field succeeded', 'confirmations succeeded', hashes.length],
])('transactionStatus receipt %s, in addition to one POST per head for all lookups', async (_case, fields, receipts) => {
  const { chain, graph, has, mineAll } = await startTransactionWatch(hashes, fields);
  await has(1);
  const before = graph.node.reads.length;
  await mineAll();
  await waitUntil(() => graph.feed.head?.hash === chain.head.hash, 'the feed has the block');
  await has(2);
  chain.mine();
  await has(3);
  const posts = graph.node.reads.slice(before).filter(OVER_HTTP);
  const methods = posts.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(receipts);
  const lookups = posts.filter(({ calls }) => calls.some(({ method }) => method === 'eth_getTransactionByHash'));
  for (const { calls } of lookups) {
    expect(calls.map(({ method }) => method)).toEqual([
      'eth_getBlockByNumber',
      'eth_getTransactionByHash',
      'eth_getTransactionByHash',
    ]);
  }
  expect(posts).toHaveLength(lookups.length + receipts);
});
