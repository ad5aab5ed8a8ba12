import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { hashOf } from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Watches transactions of a simulated chain: a hash with an odd last digit reverts. */
async function startTransactionWatch(hashes: readonly string[], fields: string) {
  const chain = new SimChain({ seed: 5 });
  chain.mine(40);
  const graph = await startLiveGraph(chain);
  const transactions = new SimTransactions(chain, { hasBlockReceipts: true, prunesRemovedBlocks: true });
  graph.node.intercept = transactions.respond;
  for (const hash of hashes) transactions.addPending(hash);
  const line = new WebSocketConnection(graph.url);
  const events = hashes.map((): any[] => []);
  for (const [i, hash] of hashes.entries()) {
    // It ends with the server.
    void (async () => {
      const query = `subscription { transactionStatus(hash: "${hash}", confirmations: 3) { status ${fields} } }`;
      for await (const { data } of line.iterate({ query })) events[i]!.push(data.transactionStatus);
    })().catch(() => undefined);
  }
  const has = (count: number) => waitUntil(() => events.every(({ length }) => length >= count), `each has ${count} events`);
  /** Mines blocks until all of them are mined together. */
  const mineAll = async () => {
    chain.queuedTransactions.push(...hashes);
    do chain.mine();
    while (!hashes.every((hash) => transactions.blockContaining(hash)));
  };
  return { chain, graph, transactions, events, has, mineAll };
}

const OVER_HTTP = ({ over }: { over: string }) => over === 'http';

test('succeeded is null while pending, true for a successful and false for a reverted transaction, null without a status', async () => {
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
  expect(events[2]![1].receipt).toEqual({ status: null, root: hashOf(9) });
});

const hashes = [hashOf(0xb0), hashOf(0xb2)];

test.each([
  ['is not requested without succeeded', 'confirmations', 0],
  ['is requested once for a block with succeeded', 'confirmations succeeded', hashes.length],
])('a receipt %s, beside one POST a head for all transactions that are looked for', async (_case, fields, receipts) => {
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
  const looks = posts.filter(({ calls }) => calls.some(({ method }) => method === 'eth_getTransactionByHash'));
  for (const { calls } of looks) {
    expect(calls.map(({ method }) => method)).toEqual([
      'eth_getBlockByNumber',
      'eth_getTransactionByHash',
      'eth_getTransactionByHash',
    ]);
  }
  expect(posts).toHaveLength(looks.length + receipts);
});
