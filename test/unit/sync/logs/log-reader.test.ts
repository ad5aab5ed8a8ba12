import { describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { GraphError } from '../../../../src/errors.ts';
import type { RpcLog } from '../../../../src/ethereum/rpc-types.ts';
import type { RpcSource } from '../../../../src/sync/head/rpc-queries.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { LogCache } from '../../../../src/sync/logs/log-cache.ts';
import { createLogReader } from '../../../../src/sync/logs/log-reader.ts';
import { SourceHealth } from '../../../../src/sync/source-health.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 3, bloom: 'real' });
chain.mine(20);
const withLogs = [...Array(20).keys()].map((height) => chain.main.at(height)!).filter(({ logs }) => logs.length > 0);
const head = headOf(withLogs[0]!);
const neverAborted = new AbortController().signal;

/** A reader over a node that answers by a script, once for each call. */
function readerOver(answer: (hash: string, times: number) => Awaited<ReturnType<RpcSource['send']>>[number], timeoutMs = 1_000) {
  let times = 0;
  const source: RpcSource = {
    send: async (calls) => calls.map(({ params: [filter] }) => answer((filter as { blockHash: string }).blockHash, times++)),
  };
  const reader = createLogReader({
    currentSource: () => source,
    createSource: undefined,
    isAbandoned: () => false,
    timeoutMs,
    maxCacheBytes: 1e6,
    timing: { ...FOLLOWER_TIMING, minRecheckMs: 1, maxRecheckMs: 1 },
    sourceHealth: new SourceHealth(),
    log: pino({ level: 'silent' }),
  });
  return { reader, times: () => times };
}

const truth = (hash: string) => ({ result: [...chain.block(hash)!.logs] });

test('a node that wants to be left alone is, whatever else happens', async () => {
  const limited = { error: new GraphError('UPSTREAM_RATE_LIMITED', 'slow down', { retryAfterMs: 60 }) };
  const { reader, times } = readerOver((hash, asked) => (asked === 0 ? limited : truth(hash)));
  jest.useFakeTimers();
  try {
    const found = reader.logsOf(head, neverAborted);
    await jest.advanceTimersByTimeAsync(30);
    reader.retryNow();
    await jest.advanceTimersByTimeAsync(29);
    expect(times()).toBe(1);
    await jest.advanceTimersByTimeAsync(2);
    expect(await found).toEqual(chain.block(head.hash)!.logs);
    expect(times()).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

test('who waits no more does not end it for the others', async () => {
  const lacking = { error: new GraphError('BLOCK_NOT_AVAILABLE', 'not yet') };
  const { reader } = readerOver((hash, asked) => (asked < 5 ? lacking : truth(hash)));
  const controller = new AbortController();
  const one = reader.logsOf(head, controller.signal);
  const other = reader.logsOf(head, neverAborted);
  controller.abort(new GraphError('TIMEOUT', 'enough'));
  await expect(one).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await other).toEqual(chain.block(head.hash)!.logs);
});

test('a way that does not answer in time is given up', async () => {
  let aborted = 0;
  const reader = createLogReader({
    currentSource: () => ({
      send: (calls, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted += 1;
            resolve(calls.map(() => ({ error: signal.reason })));
          });
        }),
    }),
    createSource: () => ({
      send: async (calls) => calls.map(({ params: [filter] }) => truth((filter as { blockHash: string }).blockHash)),
    }),
    isAbandoned: () => false,
    timeoutMs: 10,
    maxCacheBytes: 1e6,
    timing: FOLLOWER_TIMING,
    sourceHealth: new SourceHealth(),
    log: pino({ level: 'silent' }),
  });
  expect(await reader.logsOf(head, neverAborted)).toEqual(chain.block(head.hash)!.logs);
  expect(aborted).toBe(1);
});

describe('logs that are kept', () => {
  const log = (data: string) => ({ data }) as RpcLog;

  test('are dropped oldest first when they are too many bytes', () => {
    const memory = new LogCache(3_000);
    memory.set('a', [log('0x')]);
    memory.set('b', [log('0x')]);
    memory.set('c', [log('0x')]);
    expect(['a', 'b', 'c'].map((hash) => memory.get(hash)?.length)).toEqual([1, 1, 1]);
    memory.set('d', [log(`0x${'00'.repeat(500)}`)]);
    expect(['a', 'b', 'c', 'd'].map((hash) => memory.get(hash)?.length)).toEqual([undefined, undefined, 1, 1]);
  });

  test('are those of 512 blocks at most, and one that is kept twice counts once', () => {
    const memory = new LogCache(2_500);
    for (let i = 0; i < 5; i++) memory.set('a', [log('0x')]);
    memory.set('b', [log('0x')]);
    expect(memory.get('a')).toBeDefined();
    for (let i = 0; i < 511; i++) memory.set(`empty ${i}`, []);
    expect([memory.get('a'), memory.get('b')?.length]).toEqual([undefined, 1]);
    memory.set('last', []);
    expect(memory.get('b')).toBeUndefined();
  });
});
