import { describe, expect, test } from '@jest/globals';
import { decodeLogCursor } from '../../../src/domains/chain/log/cursor.ts';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import type { GraphBody } from '../../support/graph/results.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { balanceAt } from '../../support/simulator/rpc-simulator.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { type LiveGraph, startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SELECTION = `cursor removed blockHash index
  transaction { hash nonce gasPrice blockHash index from { address } status receipt { gasUsed logs { data } } block { size timestamp } }
  block { hash transactions { hash value } }`;

/** A graph over a node that prunes the blocks that a reorg removes. */
async function startSimulatedGraph(cacheBytes?: number) {
  const chain = new SimChain({ seed: 3, bloom: 'real', blocks: 40 });
  const graph = await startLiveGraph(chain, cacheBytes === undefined ? {} : { cacheBytes });
  const transactions = new SimTransactions(chain, { hasBlockReceipts: true, prunesRemovedBlocks: true });
  graph.node.intercept = transactions.respond;
  /** Mines until a block has one transaction with logs, and returns that block. */
  const mineLogs = async () => {
    do chain.mine();
    while (chain.head.transactions.length !== 1);
    await waitUntil(() => graph.feed.head?.hash === chain.head.hash, 'the feed has the block');
    return chain.head;
  };
  return { chain, graph, transactions, mineLogs };
}

async function subscribeLogs(graph: LiveGraph, selection: string) {
  const events: GraphBody[] = [];
  const connection = new WebSocketConnection(graph.url);
  // Ends when the server stops.
  void (async () => {
    for await (const event of connection.iterate({ query: `subscription { logs { ${selection} } }` })) events.push(event);
  })().catch(() => undefined);
  await waitUntil(async () => (await graph.metric('subscriptions')) === 1, 'the client has subscribed');
  // Wait until the feed has the logs that it will report as removed.
  await graph.feed.logsOf(graph.feed.head!, AbortSignal.timeout(60_000));
  const has = async (count: number) => {
    await waitUntil(() => events.length >= count, `there are ${count} events`);
    return events.slice(0, count);
  };
  return { events, has };
}

describe('a removed log', () => {
  test.each([
    ['with the shared cache', undefined],
    ['without a cache', 0],
  ])(
    'a removed log has the cached transaction, receipt and block without a request after the node pruned them: %s',
    async (_case, cacheBytes) => {
      const { chain, graph, mineLogs } = await startSimulatedGraph(cacheBytes);
      const { has } = await subscribeLogs(graph, SELECTION);
      const block = await mineLogs();
      const count = block.logs.length;
      const added = await has(count);
      const before = graph.node.reads.length;
      chain.reorg(1, 0);
      chain.mine(1);
      const all = await has(2 * count);
      for (const [i, { data, errors }] of all.slice(count).entries()) {
        const { logs } = added[count - 1 - i]!.data;
        expect(errors).toBeUndefined();
        expect(data.logs).toEqual({ ...logs, removed: true, cursor: data.logs.cursor });
        expect(decodeLogCursor(data.logs.cursor)).toMatchObject({ hash: block.hash, removed: true });
      }
      const requested = graph.node.reads.slice(before).flatMap(({ calls }) => calls.map(({ params }) => params[0]));
      expect(requested.filter((ref) => ref === block.hash || block.transactions.includes(ref))).toEqual([]);
    },
  );

  test('a removed log has its transaction as in the removed block, although another block has mined it', async () => {
    const { chain, graph, mineLogs } = await startSimulatedGraph();
    const block = await mineLogs();
    const [hash] = block.transactions;
    const { has } = await subscribeLogs(graph, SELECTION);
    chain.queuedTransactions.push(hash!);
    chain.reorg(1, 0);
    do chain.mine();
    while (!chain.main.head.transactions.includes(hash!));
    // The server never read the transaction in the removed block; fields that the hash determines are equal in every block.
    const { data, errors } = (await has(1))[0]!;
    expect(data.logs).toMatchObject({
      removed: true,
      transaction: { hash, blockHash: block.hash, index: '0x0', status: null, receipt: null, block: null },
      block: null,
    });
    const current = (await graph.execute('query ($hash: Bytes32!) { transaction(hash: $hash) { nonce gasPrice } }', { hash }))
      .transaction;
    expect(data.logs.transaction).toMatchObject(current);
    expect(errors.map(({ path }) => path!.join('.'))).toEqual(['logs.transaction.status', 'logs.transaction.receipt']);
  });

  test('a removed log has state of the head, or cursor and removed in the error if it cannot be read', async () => {
    const { chain, graph, mineLogs, transactions } = await startSimulatedGraph();
    const { events, has } = await subscribeLogs(graph, 'removed cursor account { balance }');
    const block = await mineLogs();
    const count = block.logs.length;
    await has(count);
    // One removed log has the state of the new head, the other log has an error.
    let isBroken = false;
    graph.node.intercept = (method, params) =>
      method === 'eth_getBalance' && isBroken ? { error: { code: -32603, message: 'no' } } : transactions.respond(method, params);
    chain.reorg(1, 0);
    chain.mine();
    const [removed] = (await has(count + 1)).slice(count);
    expect(removed!.data.logs).toMatchObject({ removed: true, account: { balance: balanceAt(chain.head) } });
    const next = await mineLogs();
    await waitUntil(() => graph.feed.logsHead?.hash === next.hash, 'the feed has the logs of the block');
    isBroken = true;
    chain.reorg(1, 0);
    chain.mine();
    const isFailed = ({ errors }: GraphBody) => errors?.[0].extensions.removed === true;
    await waitUntil(() => events.some(isFailed), 'a removal has failed');
    const failed = events.find(isFailed)!;
    expect(failed.data).toBeNull();
    expect(failed.errors[0].extensions.code).toMatch(/^UPSTREAM_/);
    expect(decodeLogCursor(failed.errors[0].extensions.cursor!)).toMatchObject({ hash: next.hash, removed: true });
  });
});
