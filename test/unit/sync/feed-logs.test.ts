import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { hex, SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import { blockOf, DIALECTS, receiptOf } from '../../support/simulator/rpc-simulator.ts';
import type { SimLog } from '../../support/simulator/view.ts';
import { type FeedSetupOptions, pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';

const chainOf = (seed: number, blocks = 40): SimChain => {
  const chain = new SimChain({ seed, bloom: 'real', blocks: blocks });
  return chain;
};

/** The number of `eth_getLogs` calls in each frame or POST that has any. */
const logRequestCounts = ({ reads }: SimNode, over: 'ws' | 'http' = 'ws'): number[] =>
  reads.filter((read) => read.over === over && read.calls.some(isLogs)).map(({ calls }) => calls.filter(isLogs).length);
const isLogs = ({ method }: { readonly method: string }) => method === 'eth_getLogs';

/** A feed with one listener to logs, which replays their changes from the head on. */
async function startReplay(chain: SimChain, options?: FeedSetupOptions) {
  const setup = await startFeed(chain, options);
  const replay = createLogReplay(chain.head.hash);
  setup.feed.subscribeLogs(replay);
  return { ...setup, replay };
}

describe('log subscription', () => {
  const NODES = DIALECTS.flatMap(([name, dialect]) => [
    [name, { dialect }] as const,
    [`${name}, receipts of blocks`, { dialect, hasBlockReceipts: true }] as const,
  ]);

  test.each(NODES)('log subscription emits the logs of all blocks through reorgs: %s', async (_name, options) => {
    const chain = chainOf(1);
    const { feed, replay } = await startReplay(chain, options);
    for (const [depth, length] of [
      [0, 1],
      [0, 3],
      [2, 3],
      [16, 16],
      [1, 4],
      [5, 6],
    ] as const) {
      chain.reorg(depth, length);
      await replay.waitForBlock(chain.head.hash);
      expect(feed.logsHead?.hash).toBe(chain.head.hash);
    }
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect(replay.removed).toBe(24);
  });

  test('log subscription that starts before the first head emits from it on', async () => {
    const chain = chainOf(3);
    const { feed, follower, node } = await startFeed(chain, { ready: false });
    const replay = createLogReplay();
    feed.subscribeLogs(replay);
    expect([feed.head, feed.logsHead]).toEqual([undefined, undefined]);
    await follower.ready(AbortSignal.timeout(60_000));
    await replay.waitForBlock(chain.head.hash);
    chain.reorg(5, 6);
    await replay.waitForBlock(chain.head.hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect(logRequestCounts(node)).toEqual([32, 6]);
  });

  test('log subscription emits nothing synchronously and nothing after it is unsubscribed', async () => {
    const chain = chainOf(4);
    const { feed } = await startFeed(chain);
    const replay = createLogReplay(chain.head.hash);
    let events = 0;
    feed.subscribeLogs(replay);
    const stop = feed.subscribeLogs({ next: () => (events += 1), end: () => (events += 1) });
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    expect(events).toBe(1);
    stop();
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    expect(events).toBe(1);
  });
});

describe('upstream requests of the log subscription', () => {
  test('log reads cost no request without listeners, one call per block for 20 listeners, and one batch per change', async () => {
    const chain = chainOf(11);
    const { feed, node } = await startFeed(chain);
    const heads: string[] = [];
    feed.subscribeHeads({ next: ({ added }) => heads.push(added.at(-1)!.hash), end: () => {} });
    chain.mine();
    chain.mine(2);
    await pollUntil(() => heads.at(-1) === chain.head.hash);
    expect(logRequestCounts(node)).toEqual([]);

    const replays = Array.from({ length: 20 }, () => createLogReplay(chain.head.hash));
    for (const replay of replays) feed.subscribeLogs(replay);
    chain.mine();
    await replays[19]!.waitForBlock(chain.head.hash);
    // The newest 32 blocks are prefetched for a later reorg; then the new block is read.
    expect(logRequestCounts(node)).toEqual([32, 1]);
    chain.reorg(4, 5);
    await replays[19]!.waitForBlock(chain.head.hash);
    expect(logRequestCounts(node)).toEqual([32, 1, 5]);
    for (const replay of replays) expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test('log reads continue during the linger time after the last listener and stop after it', async () => {
    const chain = chainOf(12);
    const { feed, node } = await startFeed(chain, { lingerMs: 100 });
    const first = createLogReplay(chain.head.hash);
    const stop = feed.subscribeLogs(first);
    chain.mine();
    await first.waitForBlock(chain.head.hash);
    stop();
    chain.mine();
    const second = createLogReplay(feed.logsHead!.hash);
    const stopSecond = feed.subscribeLogs(second);
    await second.waitForBlock(chain.head.hash);
    expect(logRequestCounts(node)).toEqual([32, 1, 1]);
    stopSecond();
    await new Promise((resolve) => setTimeout(resolve, 150));
    chain.mine();
    await pollUntil(() => feed.head?.hash === chain.head.hash);
    expect(feed.logsHead?.hash).toBe(chain.head.hash);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logRequestCounts(node)).toEqual([32, 1, 1]);
    // A new listener causes a read of the missing block only; the other blocks are cached.
    feed.subscribeLogs(createLogReplay());
    await pollUntil(() => logRequestCounts(node).length === 4);
    expect(logRequestCounts(node)).toEqual([32, 1, 1, 1]);
  });

  test('log reads add the block to the same batch when its bloom is empty', async () => {
    const chain = new SimChain({ seed: 13, blocks: 3 });
    const { node, replay } = await startReplay(chain);
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    const { calls } = node.reads.findLast((read) => read.calls.some(isLogs))!;
    expect(calls.map(({ method, params: [ref] }) => [method, ref.blockHash ?? ref])).toEqual([
      ['eth_getLogs', chain.head.hash],
      ['eth_getBlockByHash', chain.head.hash],
    ]);
  });
});

describe('receipts of blocks', () => {
  const isReceipts = ({ method }: { readonly method: string }) => method === 'eth_getBlockReceipts';
  const receiptCounts = ({ reads }: SimNode) =>
    reads.map(({ calls }) => calls.filter(isReceipts).length).filter((count) => count > 0);
  type Receipt = Record<string, any> & { readonly logs: readonly SimLog[] };
  const changeFirst = (receipts: readonly Receipt[], change: (first: Receipt) => Partial<Receipt>): readonly Receipt[] =>
    receipts.map((receipt, i) => (i === 0 ? { ...receipt, ...change(receipt) } : receipt));
  const changeLog = (receipts: readonly Receipt[], change: Partial<SimLog>) =>
    changeFirst(receipts, ({ logs: [first, ...others] }) => ({ logs: [{ ...first!, ...change }, ...others] }));

  test('log reads cost one eth_getBlockReceipts per block, and no eth_getLogs', async () => {
    const chain = chainOf(14);
    const { node, replay } = await startReplay(chain, { hasBlockReceipts: true });
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    chain.reorg(4, 5);
    await replay.waitForBlock(chain.head.hash);
    expect(receiptCounts(node)).toEqual([32, 1, 5]);
    expect(logRequestCounts(node)).toEqual([]);
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test('a node that does not read receipts by block hash is asked for them once a minute', async () => {
    const chain = chainOf(15);
    const { node, replay } = await startReplay(chain, { hasBlockReceipts: true });
    node.intercept = (method) =>
      method === 'eth_getBlockReceipts'
        ? { error: { code: -32602, message: 'invalid argument 0: hex number > 64 bits' } }
        : undefined;
    await pollUntil(() => logRequestCounts(node).length === 1);
    for (const _block of [1, 2, 3]) {
      chain.mine();
      await replay.waitForBlock(chain.head.hash);
    }
    expect([receiptCounts(node), logRequestCounts(node)]).toEqual([[32], [32, 1, 1, 1]]);
  });

  test.each([
    ['lists no receipts of blocks that it has, whose header is not checked', { result: [] }, 'report'],
    ['names no reason', { error: { code: -32000, message: 'this request is not possible' } }, 'on'],
    ['fails at receipts', { error: { code: -32603, message: 'internal error' } }, 'on'],
    ['cannot send as many bytes', { error: { code: -32003, message: 'response too large' } }, 'on'],
  ] as const)('a node that %s is read by its logs', async (_case, response, headerChecks) => {
    const chain = chainOf(15);
    const { node, replay } = await startReplay(chain, { hasBlockReceipts: true, headerChecks });
    node.intercept = (method) => (method === 'eth_getBlockReceipts' ? response : undefined);
    for (const _block of [1, 2, 3]) {
      chain.mine();
      await replay.waitForBlock(chain.head.hash);
    }
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test('the logs of eth_getLogs that count in each transaction are numbered in the block', async () => {
    const chain = chainOf(16);
    const { node, replay } = await startReplay(chain);
    do chain.mine();
    while (new Set(chain.head.logs.map(({ transactionHash }) => transactionHash)).size < 2);
    const { hash, logs } = chain.head;
    const indexOf = (log: SimLog) => logs.filter((other) => other.transactionHash === log.transactionHash).indexOf(log);
    node.intercept = (method, [filter]) =>
      method === 'eth_getLogs' && [filter.blockHash, filter.blockhash].includes(hash)
        ? { result: logs.map((log) => ({ ...log, logIndex: hex(indexOf(log)) })) }
        : undefined;
    await replay.waitForBlock(hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test.each([
    ['without a bloom', ({ logsBloom: _omitted, ...receipt }: Receipt) => receipt],
    ['with a bloom without a value', (receipt: Receipt) => ({ ...receipt, logsBloom: '0x' })],
    [
      'with blooms and addresses in upper case',
      (receipt: Receipt) => ({
        ...receipt,
        logsBloom: `0x${receipt.logsBloom.slice(2).toUpperCase()}`,
        logs: receipt.logs.map((log) => ({ ...log, address: `0x${log.address.slice(2).toUpperCase()}` })),
      }),
    ],
  ])('receipts %s are compared with the root', async (_case, change) => {
    const chain = new SimChain({ seed: 21, bloom: 'real', blocks: 8 });
    const { node, replay } = await startReplay(chain, { hasBlockReceipts: true });
    do chain.mine();
    while (chain.head.logs.length === 0);
    const { hash, transactions } = chain.head;
    node.intercept = (method, [ref]) =>
      method === 'eth_getBlockReceipts' && ref === hash
        ? { result: transactions.map((one) => change(receiptOf(chain.head, one) as never)) }
        : undefined;
    await replay.waitForBlock(hash);
    expect(logRequestCounts(node)).toEqual([]);
  });

  test.each<readonly [string, (receipts: readonly Receipt[]) => readonly Receipt[] | null]>([
    ['without the first log', (receipts) => changeFirst(receipts, ({ logs }) => ({ logs: logs.slice(1) }))],
    ['without the last log', (receipts) => changeFirst(receipts, ({ logs }) => ({ logs: logs.slice(0, -1) }))],
    ['without a receipt', (receipts) => receipts.slice(0, -1)],
    ['of no transaction', () => []],
    ['of an unknown block', () => null],
    ['with other data of a log', (receipts) => changeLog(receipts, { data: '0x11' })],
    ['with another topic of a log', (receipts) => changeLog(receipts, { topics: [`0x${'7'.repeat(64)}`] })],
    ['with another address of a log', (receipts) => changeLog(receipts, { address: `0x${'7'.repeat(40)}` })],
    ['with another index of a log', (receipts) => changeLog(receipts, { logIndex: '0x9' })],
    ['with another status', (receipts) => changeFirst(receipts, ({ status }) => ({ status: status === '0x1' ? '0x0' : '0x1' }))],
    ['with other gas', (receipts) => changeFirst(receipts, () => ({ cumulativeGasUsed: '0x5209' }))],
    ['of another type', (receipts) => changeFirst(receipts, () => ({ type: '0x1' }))],
  ])('log reader requests receipts again that come %s', async (_case, falsify) => {
    const chain = new SimChain({ seed: 21, blocks: 8 });
    const { node, replay } = await startReplay(chain, { hasBlockReceipts: true });
    do chain.mine();
    while (chain.head.logs.length === 0);
    const { hash } = chain.head;
    let requests = 0;
    node.intercept = (method, [ref]) => {
      if (method !== 'eth_getBlockReceipts' || ref !== hash || ++requests > 3) return undefined;
      return { result: falsify(chain.head.transactions.map((transaction) => receiptOf(chain.head, transaction) as never)) };
    };
    await replay.waitForBlock(hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect([requests, logRequestCounts(node)]).toEqual([4, []]);
  });
});

describe('invalid log result', () => {
  /** Falsifies the first three results for the next block with logs. Returns how many times its logs were requested. */
  async function countRequestsWithInvalidResults(
    invalid: (hash: string, number: string, logs: readonly SimLog[]) => { result: unknown } | { error: object },
    bloom: 'real' | 'zero' = 'real',
  ) {
    const chain = new SimChain({ seed: 21, bloom, blocks: 8 });
    const { node, replay } = await startReplay(chain);
    do chain.mine();
    while (chain.head.logs.length === 0);
    const { hash, height, logs } = chain.head;
    let requests = 0;
    node.intercept = (method, [filter]) => {
      if (method !== 'eth_getLogs' || (filter.blockHash ?? filter.blockhash) !== hash) return undefined;
      requests += 1;
      return requests <= 3 ? invalid(hash, hex(height), logs) : undefined;
    };
    await replay.waitForBlock(hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    return requests;
  }

  test.each([
    ['an empty list although the bloom has bits set', () => ({ result: [] })],
    ['null', () => ({ result: null })],
    ['an object instead of a list', () => ({ result: {} })],
    ['logs of another block', (hash: string) => ({ result: [{ logIndex: '0x0', blockHash: `${hash.slice(0, -1)}z` }] })],
    ['a log without a block hash', () => ({ result: [{ logIndex: '0x0' }] })],
    ['a log without an index', (blockHash: string) => ({ result: [{ blockHash }] })],
    ['an error', () => ({ error: { code: -32000, message: 'unknown block' } })],
  ])('log reader requests the logs again after %s', async (_case, invalid) => {
    expect(await countRequestsWithInvalidResults(invalid)).toBe(4);
  });

  test('log reader requests the logs again if their bloom differs from the bloom of the header', async () => {
    const address = `0x${'ab'.repeat(20)}`;
    const log = {
      address,
      topics: [],
      data: '0x',
      logIndex: '0x0',
      transactionHash: `0x${'1'.repeat(64)}`,
      transactionIndex: '0x0',
    };
    const invalid = (blockHash: string, blockNumber: string) => ({ result: [{ ...log, blockHash, blockNumber }] });
    expect(await countRequestsWithInvalidResults(invalid)).toBe(4);
  });

  test('log reader requests the logs again after logs with the number of another block', async () => {
    const withOtherNumber = (_hash: string, _number: string, logs: readonly SimLog[]) => ({
      result: logs.map((log) => ({ ...log, blockNumber: '0x1' })),
    });
    expect(await countRequestsWithInvalidResults(withOtherNumber, 'zero')).toBe(4);
  });

  /** Subscribes to the logs of a node that drops every second one, and adds a block with at least two. */
  async function subscribeToDroppedLogs(options: FeedSetupOptions) {
    const chain = chainOf(23);
    const { node, ...setup } = await startFeed(chain, options);
    node.intercept = (method, [filter]) => {
      const block = method === 'eth_getLogs' && chain.block(filter.blockHash ?? filter.blockhash);
      return block ? { result: block.logs.filter((_log, i) => i % 2 === 0) } : undefined;
    };
    const replay = createLogReplay(chain.head.hash);
    setup.feed.subscribeLogs(replay);
    do chain.mine();
    while (chain.head.logs.length < 2);
    return { chain, replay, ...setup };
  }

  test.each(['ws', 'polls'] as const)(
    'log subscription ends with an error that names HEADER_CHECKS when the node drops every second log (%s)',
    async (transports) => {
      const { chain, replay } = await subscribeToDroppedLogs({ transports, timing: { sourceTimeoutMs: 300 } });
      const { code, message } = await replay.end.received;
      expect([code, message]).toEqual(['UPSTREAM_BAD_RESPONSE', expect.stringContaining('HEADER_CHECKS=report')]);
      for (const { head, logs } of replay.blocks) expect(logs).toEqual(chain.block(head.hash)!.logs);
    },
  );

  test('log subscription emits the logs that a node has with HEADER_CHECKS=report, and counts the results', async () => {
    const { chain, replay, upstream } = await subscribeToDroppedLogs({ headerChecks: 'report' });
    await replay.waitForBlock(chain.head.hash);
    expect(replay.blocks.at(-1)!.logs).toEqual(chain.head.logs.filter((_log, i) => i % 2 === 0));
    expect(upstream.headerChecks.failures.with('logIndex').count).toBeGreaterThan(0);
  });

  test('log reader retries an empty result with an empty bloom while the node lacks the block', async () => {
    const chain = new SimChain({ seed: 22, blocks: 8 });
    const { node, replay } = await startReplay(chain);
    do chain.mine();
    while (chain.head.logs.length === 0);
    let left = 2;
    node.intercept = (method, [ref]) => {
      if (left === 0) return undefined;
      if (method === 'eth_getLogs' && (ref.blockHash ?? ref.blockhash) === chain.head.hash) return { result: [] };
      if (method !== 'eth_getBlockByHash' || ref !== chain.head.hash) return undefined;
      left -= 1;
      return { result: null };
    };
    await replay.waitForBlock(chain.head.hash);
    expect(left).toBe(0);
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });
});

describe('log reader failover', () => {
  test('log reader uses another source when the WebSocket disconnects', async () => {
    const chain = chainOf(31);
    const { node, replay } = await startReplay(chain, { transports: 'both' });
    await pollUntil(() => logRequestCounts(node).length === 1);
    // The next read over the WebSocket gets no response.
    node.intercept = (method) => {
      if (method === 'eth_getLogs') node.disconnect('reset');
      node.intercept = undefined;
      return undefined;
    };
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    expect(logRequestCounts(node, 'http')).toEqual([1]);
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test('log reader retries immediately over a new connection, even to a lagging node', async () => {
    const chain = chainOf(35);
    const { node, follower, replay } = await startReplay(chain, { timing: { minRecheckMs: 60_000, maxRecheckMs: 60_000 } });
    await pollUntil(() => logRequestCounts(node).length === 1);
    const old = chain.head;
    node.intercept = (method, [ref]) => {
      if (method === 'eth_getBlockByNumber' && ref === 'latest') return { result: blockOf(old) };
      if (method === 'eth_getLogs' && follower.status.reconnects === 0) node.disconnect('reset');
      return undefined;
    };
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    expect(follower.source).toBeUndefined();
  });

  test('log reader retries immediately when a new block arrives', async () => {
    const chain = chainOf(36);
    const { node, replay } = await startReplay(chain, { timing: { minRecheckMs: 60_000, maxRecheckMs: 60_000 } });
    await pollUntil(() => logRequestCounts(node).length === 1);
    node.intercept = (method) => {
      if (method !== 'eth_getLogs') return undefined;
      node.intercept = undefined;
      return { error: { code: -32000, message: 'unknown block' } };
    };
    chain.mine();
    await pollUntil(() => node.intercept === undefined);
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
  });

  test('log subscription works over polling', async () => {
    const chain = chainOf(37);
    const { node, replay } = await startReplay(chain, { transports: 'polls' });
    chain.reorg(2, 3);
    await replay.waitForBlock(chain.head.hash);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect(logRequestCounts(node, 'http')).toEqual([32, 3]);
  });

  test('log subscription emits neither the addition nor the removal of a block that is reverted before its logs are read', async () => {
    const chain = chainOf(33);
    const { feed, node, replay } = await startReplay(chain);
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.mine(2);
    const reverted = chain.head.hash;
    node.intercept = (method, [filter]) =>
      method === 'eth_getLogs' && filter.blockHash === reverted
        ? { error: { code: -32000, message: 'unknown block' } }
        : undefined;
    await pollUntil(() => feed.head?.hash === reverted);
    await pollUntil(() => replay.changes.length === 1);
    expect(feed.logsHead?.hash).toBe(chain.main.at(chain.head.height - 1)!.hash);
    chain.reorg(1, 2);
    await replay.waitForBlock(chain.head.hash);
    expect(replay.changes.flatMap(({ removed, added }) => [...removed, ...added]).map(({ head }) => head.hash)).not.toContain(
      reverted,
    );
    expect(replay.removed).toBe(0);
    expect(logDifferences(replay, chain.main)).toEqual([]);
    // No further requests are sent for the block.
    const before = node.reads.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(node.reads.length).toBe(before);
  });

  test('log subscription ends with the upstream error after sourceTimeoutMs, during which the source is reported as failing', async () => {
    const chain = chainOf(7);
    const { feed, node, replay } = await startReplay(chain, { timing: { sourceTimeoutMs: 300 } });
    chain.mine();
    await replay.waitForBlock(chain.head.hash);
    node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32000, message: 'refused' } } : undefined);
    const lastEmitted = chain.head.hash;
    chain.mine(2);
    await pollUntil(() => feed.sourceHealth.failing.length > 0);
    expect(feed.sourceHealth.failing).toMatchObject([{ source: 'logs', error: { code: 'UPSTREAM_ERROR' } }]);
    expect(replay.ended).toBeUndefined();
    chain.mine();
    expect(await replay.end.received).toMatchObject({
      code: 'UPSTREAM_ERROR',
      extensions: { retryable: true, method: 'eth_getLogs' },
    });
    expect(replay.blocks.at(-1)?.head.hash).toBe(lastEmitted);
    await pollUntil(() => feed.sourceHealth.failing.length === 0);
    // A client that resumes after the last emitted block reads the missed blocks.
    node.intercept = undefined;
    const missed = feed.pathBetween(lastEmitted, feed.head!)!.added;
    expect(missed).toHaveLength(3);
    const logs = await Promise.all(missed.map((head) => feed.logsOf(head, AbortSignal.timeout(5_000))));
    expect(logs).toEqual(missed.map(({ hash }) => chain.block(hash)!.logs));
  });

  test('log subscription ends with METHOD_NOT_SUPPORTED when the node has no eth_getLogs', async () => {
    const chain = chainOf(34);
    const { feed, node } = await startFeed(chain);
    node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32601, message: 'no' } } : undefined);
    const replay = createLogReplay();
    feed.subscribeLogs(replay);
    chain.mine();
    expect((await replay.end.received).code).toBe('METHOD_NOT_SUPPORTED');
  });
});

describe('logs of removed blocks', () => {
  test('removed logs are read by block hash after they were evicted', async () => {
    const chain = chainOf(42);
    const { node, replay } = await startReplay(chain, { maxCacheBytes: 1 });
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.reorg(3, 4);
    await replay.waitForBlock(chain.head.hash);
    expect(replay.removed).toBe(3);
    expect(logRequestCounts(node)).toEqual([32, 7]);
  });

  test('log subscriptions end with GAP_TOO_LARGE when no source has the removed logs, and work after resubscribing', async () => {
    const chain = new SimChain({ seed: 43, bloom: 'real', maxOrphans: 0, blocks: 40 });
    const { feed, node, replay } = await startReplay(chain, { maxCacheBytes: 1 });
    await pollUntil(() => logRequestCounts(node).length === 1);
    const old = feed.head!;
    chain.reorg(3, 4);
    expect((await replay.end.received).code).toBe('GAP_TOO_LARGE');
    await expect(feed.logsOf(old, AbortSignal.timeout(60_000))).rejects.toMatchObject({ code: 'GAP_TOO_LARGE' });
    const next = createLogReplay(feed.logsHead!.hash);
    feed.subscribeLogs(next);
    chain.mine();
    await next.waitForBlock(chain.head.hash);
    expect(logDifferences(next, chain.main)).toEqual([]);
  });
});

describe('logsOf', () => {
  test('logsOf rejects and stops its requests when the signal aborts', async () => {
    const chain = chainOf(51);
    const { feed, node } = await startFeed(chain);
    node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32000, message: 'unknown block' } } : undefined);
    const controller = new AbortController();
    const reading = feed.logsOf(feed.head!, controller.signal);
    await pollUntil(() => logRequestCounts(node).length >= 6);
    const reason = new GraphError('TIMEOUT', 'enough');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    const before = logRequestCounts(node).length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(logRequestCounts(node).length - before).toBeLessThan(2);
    await expect(feed.logsOf(feed.head!, controller.signal)).rejects.toBe(reason);
  });

  test('logsOf batches concurrent reads, 32 blocks per request', async () => {
    const chain = chainOf(53, 100);
    const { feed, node } = await startFeed(chain);
    const { signal } = new AbortController();
    chain.mine(70);
    await pollUntil(() => feed.head?.hash === chain.head.hash);
    const { added } = feed.pathBetween(chain.main.at(100)!.hash, feed.head!)!;
    const read = await Promise.all(added.map((head) => feed.logsOf(head, signal)));
    expect(read.flat()).toEqual(added.flatMap(({ hash }) => chain.block(hash)!.logs));
    expect(logRequestCounts(node)).toEqual([32, 32, 6]);
  });

  test('logsOf sends smaller batches after a response was too large', async () => {
    const chain = chainOf(54, 100);
    const { feed, node } = await startFeed(chain, { transports: 'http' });
    node.intercept = (method) =>
      method === 'eth_getLogs' && node.reads.at(-1)!.calls.filter(isLogs).length > 8
        ? { error: { code: -32003, message: 'response too large' } }
        : undefined;
    chain.mine(32);
    await pollUntil(() => feed.head?.hash === chain.head.hash);
    const { added } = feed.pathBetween(chain.main.at(100)!.hash, feed.head!)!;
    const read = await Promise.all(added.map((head) => feed.logsOf(head, AbortSignal.timeout(60_000))));
    expect(read.flat()).toEqual(added.flatMap(({ hash }) => chain.block(hash)!.logs));
    const counts = logRequestCounts(node, 'http');
    expect(counts[0]).toBe(32);
    expect(counts.length).toBeLessThan(20);
  });
});
