import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/errors.ts';
import type { LogChange } from '../../../src/sync/feed.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import { blockOf, DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';

const chainOf = (seed: number, blocks = 40): SimChain => {
  const chain = new SimChain({ seed, bloom: 'real' });
  chain.mine(blocks);
  return chain;
};

/** The blocks whose logs were asked for, one list a frame or POST. */
const logRequestCounts = ({ reads }: SimNode, over: 'ws' | 'http' = 'ws'): number[] =>
  reads.filter((read) => read.over === over && read.calls.some(isLogs)).map(({ calls }) => calls.filter(isLogs).length);
const isLogs = ({ method }: { readonly method: string }) => method === 'eth_getLogs';

describe('logs are told', () => {
  test.each(DIALECTS)('block by block and through reorgs: %s', async (_name, dialect) => {
    const chain = chainOf(1);
    const { feed } = await startFeed(chain, { dialect });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    for (const [depth, length] of [
      [0, 1],
      [0, 3],
      [2, 3],
      [16, 16],
      [1, 4],
      [5, 6],
    ] as const) {
      chain.reorg(depth, length);
      await heard.waitForBlock(chain.head.hash);
      expect(feed.logsHead?.hash).toBe(chain.head.hash);
    }
    expect(logDifferences(heard, chain.main)).toEqual([]);
    expect(heard.removed).toBe(24);
  });

  test('as one change with all its blocks, in the order of their indexes', async () => {
    const chain = chainOf(2);
    const { feed, node } = await startFeed(chain);
    node.intercept = (method, [filter]) => {
      const block = method === 'eth_getLogs' && chain.block(filter.blockHash);
      return block ? { result: [...block.logs].reverse() } : undefined;
    };
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    chain.mine(3);
    await heard.waitForBlock(chain.head.hash);
    chain.reorg(2, 4);
    await heard.waitForBlock(chain.head.hash);
    expect(heard.changes.map(({ removed, added }) => [removed.length, added.length])).toEqual([
      [0, 3],
      [2, 4],
    ]);
  });

  test('to a listener from before the first head on', async () => {
    const chain = chainOf(3);
    const { feed, follower, node } = await startFeed(chain, { ready: false });
    const heard = createLogReplay();
    feed.subscribeLogs(heard);
    expect([feed.head, feed.logsHead]).toEqual([undefined, undefined]);
    await follower.ready(AbortSignal.timeout(60_000));
    await heard.waitForBlock(chain.head.hash);
    chain.reorg(5, 6);
    await heard.waitForBlock(chain.head.hash);
    expect(logDifferences(heard, chain.main)).toEqual([]);
    expect(logRequestCounts(node)).toEqual([32, 6]);
  });

  test('never inside the call that begins to listen, and to nobody who has stopped', async () => {
    const chain = chainOf(4);
    const { feed } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    let told = 0;
    feed.subscribeLogs(heard);
    const stop = feed.subscribeLogs({ next: () => (told += 1), end: () => (told += 1) });
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(told).toBe(1);
    stop();
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(told).toBe(1);
  });

  test('to all others when one throws', async () => {
    const chain = chainOf(5);
    const { feed } = await startFeed(chain);
    const [one, other] = [createLogReplay(chain.head.hash), createLogReplay(chain.head.hash)];
    feed.subscribeLogs(one);
    feed.subscribeLogs({
      next: () => {
        throw new Error('broken');
      },
      end: () => {
        throw new Error('broken');
      },
    });
    feed.subscribeLogs(other);
    chain.mine(2);
    await other.waitForBlock(chain.head.hash);
    expect(one.changes).toEqual(other.changes);
    await feed.stop();
    expect([one.ended?.code, other.ended?.code]).toEqual(['SHUTTING_DOWN', 'SHUTTING_DOWN']);
  });
});

describe('reading logs costs', () => {
  test('nothing while nobody listens, one call a block for any number of listeners, and one send a change', async () => {
    const chain = chainOf(11);
    const { feed, node } = await startFeed(chain);
    const heads: string[] = [];
    feed.subscribeHeads({ next: ({ added }) => heads.push(added.at(-1)!.hash), end: () => {} });
    chain.mine();
    chain.mine(2);
    await pollUntil(() => heads.at(-1) === chain.head.hash);
    expect(logRequestCounts(node)).toEqual([]);

    const heard = Array.from({ length: 20 }, () => createLogReplay(chain.head.hash));
    for (const one of heard) feed.subscribeLogs(one);
    chain.mine();
    await heard[19]!.waitForBlock(chain.head.hash);
    // The newest 32 that are known, so that a reorg of them can be told; then the one that is new.
    expect(logRequestCounts(node)).toEqual([32, 1]);
    chain.reorg(4, 5);
    await heard[19]!.waitForBlock(chain.head.hash);
    expect(logRequestCounts(node)).toEqual([32, 1, 5]);
    for (const one of heard) expect(logDifferences(one, chain.main)).toEqual([]);
  });

  test('no more when the last listener has been gone for a while, and goes on when one comes within it', async () => {
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
    // Whoever comes then has what is missing read, and nothing that is kept.
    feed.subscribeLogs(createLogReplay());
    await pollUntil(() => logRequestCounts(node).length === 4);
    expect(logRequestCounts(node)).toEqual([32, 1, 1, 1]);
  });

  test('no more than the block itself where the bloom says nothing, in the same send', async () => {
    const chain = new SimChain({ seed: 13 });
    chain.mine(3);
    const { feed, node } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    const { calls } = node.reads.findLast((read) => read.calls.some(isLogs))!;
    expect(calls.map(({ method, params: [ref] }) => [method, ref.blockHash ?? ref])).toEqual([
      ['eth_getLogs', chain.head.hash],
      ['eth_getBlockByHash', chain.head.hash],
    ]);
  });

  test('nothing again for what is kept: logs of one block are read once, whoever asks', async () => {
    const chain = chainOf(14);
    const { feed, node } = await startFeed(chain);
    const signal = AbortSignal.timeout(60_000);
    const head = feed.head!;
    const [one, other] = await Promise.all([feed.logsOf(head, signal), feed.logsOf(head, signal)]);
    expect(one).toEqual(chain.head.logs);
    expect(other).toBe(one);
    expect(await feed.logsOf(head, signal)).toBe(one);
    expect(logRequestCounts(node)).toEqual([1]);
  });
});

describe('an answer is not believed', () => {
  /** Falsifies the first answers about the next block, and gives how often its logs were asked for. */
  async function lied(lie: (hash: string) => { result: unknown } | { error: object }, bloom: 'real' | 'zero' = 'real') {
    const chain = new SimChain({ seed: 21, bloom });
    chain.mine(8);
    const { feed, node } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    do chain.mine();
    while (chain.head.logs.length === 0);
    const { hash } = chain.head;
    let asked = 0;
    node.intercept = (method, [filter]) => {
      if (method !== 'eth_getLogs' || (filter.blockHash ?? filter.blockhash) !== hash) return undefined;
      asked += 1;
      return asked <= 3 ? lie(hash) : undefined;
    };
    await heard.waitForBlock(hash);
    expect(logDifferences(heard, chain.main)).toEqual([]);
    return asked;
  }

  test.each([
    ['that is empty although the bloom is not', () => ({ result: [] })],
    ['that is null', () => ({ result: null })],
    ['that is no list', () => ({ result: {} })],
    ['with logs of another block', (hash: string) => ({ result: [{ logIndex: '0x0', blockHash: `${hash.slice(0, -1)}z` }] })],
    ['with a log that names no block', () => ({ result: [{ logIndex: '0x0' }] })],
    ['with a log without an index', (blockHash: string) => ({ result: [{ blockHash }] })],
    ['that is a failure', () => ({ error: { code: -32000, message: 'unknown block' } })],
  ])('%s: it is asked again', async (_case, lie) => {
    expect(await lied(lie)).toBe(4);
  });

  test('that is empty under an empty bloom, where the node lacks the block', async () => {
    const chain = new SimChain({ seed: 22 });
    chain.mine(8);
    const { feed, node } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
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
    await heard.waitForBlock(chain.head.hash);
    expect(left).toBe(0);
    expect(logDifferences(heard, chain.main)).toEqual([]);
  });
});

describe('when the way is dead or lacks the block', () => {
  test('another one is asked', async () => {
    const chain = chainOf(31);
    const { feed, node } = await startFeed(chain, { transports: 'both' });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    // What it is asked over the WebSocket from now on is never answered.
    node.intercept = (method) => {
      if (method === 'eth_getLogs') node.disconnect('reset');
      node.intercept = undefined;
      return undefined;
    };
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(logRequestCounts(node, 'http')).toEqual([1]);
    expect(logDifferences(heard, chain.main)).toEqual([]);
  });

  test('the next connection is asked where there is no other way', async () => {
    const chain = chainOf(32);
    const { feed, node, follower } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    node.intercept = (method) => {
      if (method === 'eth_getLogs') node.disconnect('half a frame');
      node.intercept = undefined;
      return undefined;
    };
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(follower.status.reconnects).toBe(1);
    expect(logDifferences(heard, chain.main)).toEqual([]);
  });

  test('the next connection is asked at once, even of a node that has not come as far', async () => {
    const chain = chainOf(35);
    const { feed, node, follower } = await startFeed(chain, { timing: { minRecheckMs: 60_000, maxRecheckMs: 60_000 } });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    const old = chain.head;
    node.intercept = (method, [ref]) => {
      if (method === 'eth_getBlockByNumber' && ref === 'latest') return { result: blockOf(old) };
      if (method === 'eth_getLogs' && follower.status.reconnects === 0) node.disconnect('reset');
      return undefined;
    };
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(follower.source).toBeUndefined();
  });

  test('a new block is reason enough to ask again', async () => {
    const chain = chainOf(36);
    const { feed, node } = await startFeed(chain, { timing: { minRecheckMs: 60_000, maxRecheckMs: 60_000 } });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    node.intercept = (method) => {
      if (method !== 'eth_getLogs') return undefined;
      node.intercept = undefined;
      return { error: { code: -32000, message: 'unknown block' } };
    };
    chain.mine();
    await pollUntil(() => node.intercept === undefined);
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    expect(logDifferences(heard, chain.main)).toEqual([]);
  });

  test('a way that is polled serves as well as one that pushes', async () => {
    const chain = chainOf(37);
    const { feed, node } = await startFeed(chain, { transports: 'polls' });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    chain.reorg(2, 3);
    await heard.waitForBlock(chain.head.hash);
    expect(logDifferences(heard, chain.main)).toEqual([]);
    expect(logRequestCounts(node, 'http')).toEqual([32, 3]);
  });

  test('a block that is undone before it could be read is not told, nor that it went', async () => {
    const chain = chainOf(33);
    const { feed, node } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.mine(2);
    const undone = chain.head.hash;
    node.intercept = (method, [filter]) =>
      method === 'eth_getLogs' && filter.blockHash === undone ? { error: { code: -32000, message: 'unknown block' } } : undefined;
    await pollUntil(() => feed.head?.hash === undone);
    await pollUntil(() => heard.changes.length === 1);
    expect(feed.logsHead?.hash).toBe(chain.main.at(chain.head.height - 1)!.hash);
    chain.reorg(1, 2);
    await heard.waitForBlock(chain.head.hash);
    expect(heard.changes.flatMap(({ removed, added }) => [...removed, ...added]).map(({ head }) => head.hash)).not.toContain(
      undone,
    );
    expect(heard.removed).toBe(0);
    expect(logDifferences(heard, chain.main)).toEqual([]);
    // And nothing is asked about it any more.
    const before = node.reads.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(node.reads.length).toBe(before);
  });

  test('listeners end with the error of the node when that has failed for too long, and the source is shown as failing until then', async () => {
    const chain = chainOf(7);
    const { feed, node } = await startFeed(chain, { timing: { sourceTimeoutMs: 300 } });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    chain.mine();
    await heard.waitForBlock(chain.head.hash);
    node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32000, message: 'refused' } } : undefined);
    const behind = chain.head.hash;
    chain.mine(2);
    await pollUntil(() => feed.sourceHealth.failing.length > 0);
    expect(feed.sourceHealth.failing).toMatchObject([{ source: 'logs', error: { code: 'UPSTREAM_ERROR' } }]);
    expect(heard.ended).toBeUndefined();
    chain.mine();
    expect(await heard.end.heard).toMatchObject({
      code: 'UPSTREAM_ERROR',
      extensions: { retryable: true, method: 'eth_getLogs' },
    });
    expect(heard.blocks.at(-1)?.head.hash).toBe(behind);
    await pollUntil(() => feed.sourceHealth.failing.length === 0);
    // What was not emitted is read by whoever comes back behind the last block.
    node.intercept = undefined;
    const missed = feed.pathBetween(behind, feed.head!)!.added;
    expect(missed).toHaveLength(3);
    const logs = await Promise.all(missed.map((head) => feed.logsOf(head, AbortSignal.timeout(5_000))));
    expect(logs).toEqual(missed.map(({ hash }) => chain.block(hash)!.logs));
  });

  test('listeners end where the node has no logs at all', async () => {
    const chain = chainOf(34);
    const { feed, node } = await startFeed(chain);
    node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32601, message: 'no' } } : undefined);
    const heard = createLogReplay();
    feed.subscribeLogs(heard);
    chain.mine();
    expect((await heard.end.heard).code).toBe('METHOD_NOT_SUPPORTED');
  });
});

describe('logs that are removed', () => {
  test('are what was kept, so that nothing is asked for them', async () => {
    const chain = chainOf(41);
    const { feed, node } = await startFeed(chain);
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    const there = [...Array(10).keys()].map((i) => chain.main.at(chain.head.height - i)!);
    chain.reorg(10, 11);
    await heard.waitForBlock(chain.head.hash);
    const [{ removed }] = heard.changes as [LogChange];
    expect(removed.map(({ head, logs }) => [head.hash, logs])).toEqual(there.map(({ hash, logs }) => [hash, logs]));
    expect(logRequestCounts(node)).toEqual([32, 11]);
  });

  test('are read again by hash when they were dropped', async () => {
    const chain = chainOf(42);
    const { feed, node } = await startFeed(chain, { maxCacheBytes: 1 });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    chain.reorg(3, 4);
    await heard.waitForBlock(chain.head.hash);
    expect(heard.removed).toBe(3);
    expect(logRequestCounts(node)).toEqual([32, 7]);
  });

  test('end all listeners with GAP_TOO_LARGE when nobody has them, and who comes then is welcome', async () => {
    const chain = new SimChain({ seed: 43, bloom: 'real', maxOrphans: 0 });
    chain.mine(40);
    const { feed, node } = await startFeed(chain, { maxCacheBytes: 1 });
    const heard = createLogReplay(chain.head.hash);
    feed.subscribeLogs(heard);
    await pollUntil(() => logRequestCounts(node).length === 1);
    const old = feed.head!;
    chain.reorg(3, 4);
    expect((await heard.end.heard).code).toBe('GAP_TOO_LARGE');
    await expect(feed.logsOf(old, AbortSignal.timeout(60_000))).rejects.toMatchObject({ code: 'GAP_TOO_LARGE' });
    const next = createLogReplay(feed.logsHead!.hash);
    feed.subscribeLogs(next);
    chain.mine();
    await next.waitForBlock(chain.head.hash);
    expect(logDifferences(next, chain.main)).toEqual([]);
  });
});

describe('logs of one block', () => {
  test('are not waited for when the signal falls, and then nobody asks any more', async () => {
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

  test('are read together where many are wanted, in sends of 32', async () => {
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

  test('are asked for in smaller sends once an answer is too large', async () => {
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

  test('are given up with the feed', async () => {
    const chain = chainOf(52);
    const { feed, node } = await startFeed(chain);
    node.ignoresSocketReads = true;
    const reading = feed.logsOf(feed.head!, AbortSignal.timeout(60_000));
    await new Promise((resolve) => setTimeout(resolve, 10));
    await feed.stop();
    await expect(reading).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(feed.logsOf(feed.head!, AbortSignal.timeout(60_000))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
