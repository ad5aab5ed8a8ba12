import { expect, jest, test } from '@jest/globals';
import { EMPTY_TRIE_ROOT, finishSteps, listRoot } from '../../../../src/ethereum/encoding/list-root.ts';
import { encodeReceipt } from '../../../../src/ethereum/encoding/transaction.ts';
import { quantityOf } from '../../../../src/ethereum/hex.ts';
import type { RpcLog, RpcReceipt } from '../../../../src/ethereum/rpc-types.ts';
import { onAbort } from '../../../../src/lib/abort.ts';
import { type ErrorCode, GraphError } from '../../../../src/lib/errors.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { areProven, createBlockLogFetcher } from '../../../../src/sync/logs/log-fetcher.ts';
import { createLogCache, createLogReader } from '../../../../src/sync/logs/log-reader.ts';
import { SourceHealth } from '../../../../src/sync/source-health.ts';
import type { ResultReader, RpcCall, RpcSender } from '../../../../src/upstream/rpc/rpc-call.ts';
import { log } from '../../../support/silent-log.ts';
import { EMPTY_BLOOM, SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 3, bloom: 'real', blocks: 20 });
const withLogs = [...Array(20).keys()].map((height) => chain.main.at(height)!).filter(({ logs }) => logs.length > 0);
const head = headOf(withLogs[0]!);
const neverAborted = new AbortController().signal;

/** A reader over a node whose responses come from `respond`, called once per call. */
function readerOver(
  respond: (hash: string, callIndex: number) => Awaited<ReturnType<RpcSender['send']>>[number],
  recheckMs = 1,
  isOnSideBranch = false,
) {
  let callCount = 0;
  const source: RpcSender = {
    send: async (calls) => calls.map(({ params: [hash] }) => respond(hash as string, callCount++)),
  };
  const reader = createLogReader({
    currentSource: () => source,
    createSource: undefined,
    isOnSideBranch: () => isOnSideBranch,
    timeoutMs: 1_000,
    maxCacheBytes: 1e6,
    timing: { ...FOLLOWER_TIMING, minRecheckMs: recheckMs, maxRecheckMs: recheckMs },
    sourceHealth: new SourceHealth(),
    log,
  });
  return { reader, callCount: () => callCount };
}

/** The outcome of a read of the receipts of a block. */
const logsResult = (hash: string) => ({ result: [{ logs: [...chain.block(hash)!.logs] }] });

test('log reader waits for the retry delay that the node requested, even when retryNow is called', async () => {
  const limited = { error: new GraphError('UPSTREAM_RATE_LIMITED', 'slow down', { retryAfterMs: 60 }) };
  const { reader, callCount } = readerOver((hash, callIndex) => (callIndex === 0 ? limited : logsResult(hash)));
  jest.useFakeTimers();
  try {
    const reading = reader.logsOf(head, neverAborted);
    await jest.advanceTimersByTimeAsync(30);
    reader.retryNow();
    await jest.advanceTimersByTimeAsync(29);
    expect(callCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(2);
    expect(await reading).toEqual(chain.block(head.hash)!.logs);
    expect(callCount()).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

test('log reader retries immediately when retryNow is called during an attempt', async () => {
  const missing = { error: new GraphError('BLOCK_NOT_AVAILABLE', 'unknown block') };
  const { reader, callCount } = readerOver((hash, callIndex) => {
    reader.retryNow();
    return callIndex < 2 ? missing : logsResult(hash);
  }, 60_000);
  expect(await reader.logsOf(head, neverAborted)).toEqual(chain.block(head.hash)!.logs);
  expect(callCount()).toBe(3);
});

test('log reader continues a shared read when one of its callers aborts', async () => {
  const notAvailable = { error: new GraphError('BLOCK_NOT_AVAILABLE', 'not yet') };
  const { reader } = readerOver((hash, callIndex) => (callIndex < 5 ? notAvailable : logsResult(hash)));
  const controller = new AbortController();
  const one = reader.logsOf(head, controller.signal);
  const other = reader.logsOf(head, neverAborted);
  controller.abort(new GraphError('TIMEOUT', 'enough'));
  await expect(one).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await other).toEqual(chain.block(head.hash)!.logs);
});

const MISSING = 'BLOCK_NOT_AVAILABLE';
const INTERNAL = 'UPSTREAM_INTERNAL';

test.each<[string, ErrorCode[], boolean]>([
  ['three times', [MISSING, MISSING, MISSING], true],
  ['twice before and after a malformed result', [MISSING, MISSING, 'UPSTREAM_BAD_RESPONSE', MISSING, MISSING], false],
  ['twice before and after a lost connection', [MISSING, MISSING, 'UPSTREAM_UNAVAILABLE', MISSING, MISSING], false],
  // The logs are read without the receipts, too.
  ['twice before and after an internal error', [MISSING, MISSING, INTERNAL, INTERNAL, MISSING, MISSING], false],
])('log reader gives up the block of a side branch that the node lacks in three attempts: %s', async (_case, codes, givesUp) => {
  const respond = (hash: string, i: number) => (codes[i] ? { error: new GraphError(codes[i], 'no') } : logsResult(hash));
  const { reader, callCount } = readerOver(respond, 1, true);
  const result = await reader.logsOf(head, neverAborted).catch(({ code }) => code);
  expect(result).toEqual(givesUp ? 'GAP_TOO_LARGE' : chain.block(head.hash)!.logs);
  expect(callCount()).toBe(givesUp ? 3 : codes.length + 1);
});

test.each([
  [5, 0],
  [7, 1],
])('log reader warns once of a block that it cannot read: after %d failed attempts %d times', async (failures, warnings) => {
  const warn = jest.spyOn(log, 'warn');
  const { reader } = readerOver((hash, i) => (i < failures ? { error: new GraphError(MISSING, 'no') } : logsResult(hash)));
  await reader.logsOf(head, neverAborted);
  const text = 'reading the logs of a block failed; retrying';
  expect(warn.mock.calls).toEqual(Array(warnings).fill([expect.objectContaining({ block: head.number, code: MISSING }), text]));
  warn.mockRestore();
});

test('log reader waits for the recheck delay, and ends with its callers and with the server', async () => {
  const { reader, callCount } = readerOver(() => ({ error: new GraphError(MISSING, 'no') }), 60_000);
  const reading = reader.logsOf(head, neverAborted);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(callCount()).toBe(1);
  const left = new GraphError('TIMEOUT', 'The caller has left.');
  await expect(reader.logsOf(headOf(withLogs[1]!), AbortSignal.abort(left))).rejects.toBe(left);
  expect(callCount()).toBe(1);
  const stopped = new GraphError('SHUTTING_DOWN', 'The server stops.');
  reader.stop(stopped);
  await expect(reading).rejects.toBe(stopped);
  await expect(reader.logsOf(head, neverAborted)).rejects.toBe(stopped);
});

test('log reader counts logs in the block although the node counts them in each transaction', async () => {
  const receiptOf = (log: RpcLog) => ({ logs: [{ ...log, logIndex: '0x0' }] });
  const { reader } = readerOver((hash) => ({ result: chain.block(hash)!.logs.map(receiptOf) }));
  const several = headOf(withLogs.find(({ logs }) => logs.length > 1)!);
  expect(await reader.logsOf(several, neverAborted)).toEqual(chain.block(several.hash)!.logs);
});

test('log reader uses the next source when one times out', async () => {
  let aborted = 0;
  const reader = createLogReader({
    currentSource: () => ({
      send: (calls, signal) =>
        new Promise((resolve) => {
          onAbort(signal, () => {
            aborted += 1;
            resolve(calls.map(() => ({ error: signal.reason })));
          });
        }),
    }),
    createSource: () => ({
      send: async (calls) => calls.map(({ params: [hash] }) => logsResult(hash as string)),
    }),
    isOnSideBranch: () => false,
    timeoutMs: 10,
    maxCacheBytes: 1e6,
    timing: FOLLOWER_TIMING,
    sourceHealth: new SourceHealth(),
    log,
  });
  expect(await reader.logsOf(head, neverAborted)).toEqual(chain.block(head.hash)!.logs);
  expect(aborted).toBe(1);
});

test.each([
  ['shows logs', { transactionsRoot: head.hash }, undefined],
  ['is empty, and the block has transactions', { transactionsRoot: head.hash, logsBloom: EMPTY_BLOOM }, true],
  ['is empty, and the block is empty', { transactionsRoot: EMPTY_TRIE_ROOT, logsBloom: EMPTY_BLOOM }, undefined],
])('an empty list of logs needs a confirmation only where the bloom %s: %#', async (_case, header, confirmsEmpty) => {
  const sent: RpcCall[] = [];
  const source: RpcSender = {
    send: async (calls) => {
      sent.push(...calls);
      return calls.map(({ method }) =>
        method === 'eth_getBlockReceipts'
          ? { error: new GraphError('METHOD_NOT_SUPPORTED', 'no receipts of blocks') }
          : { result: method === 'eth_getLogs' ? [...chain.block(head.hash)!.logs] : null },
      );
    },
  };
  const fetchLogs = createBlockLogFetcher(() => source, 1_000, neverAborted);
  await fetchLogs({ ...head, header: { ...head.header, ...header } }, neverAborted);
  expect(sent.filter(({ method }) => method === 'eth_getLogs').map(({ reader }) => reader?.confirmsEmpty)).toEqual([
    confirmsEmpty,
  ]);
});

test('the receipts root of a large block is computed in turns, and a result that contradicts it is requested again', async () => {
  const receipts = Array.from({ length: 4_000 }, (_, i) => ({
    ...{ type: '0x2', status: '0x1', cumulativeGasUsed: quantityOf(21_000 * (i + 1)), logsBloom: EMPTY_BLOOM },
    ...{ blockNumber: head.header.number, transactionIndex: quantityOf(i), logs: [] },
  })) as unknown as RpcReceipt[];
  const receiptsRoot = finishSteps(listRoot(receipts.map((receipt) => encodeReceipt(receipt)!)));
  const changed = [{ ...receipts[0]!, status: '0x0' }, ...receipts.slice(1)];
  const results = [changed, receipts];
  const readers: (ResultReader | undefined)[] = [];
  const source: RpcSender = {
    send: async ([call]) => {
      readers.push(call!.reader);
      return [{ result: results[readers.length - 1] }];
    },
  };
  let turns = 0;
  const counter = setInterval(() => turns++, 0);
  const large = { ...head, header: { ...head.header, receiptsRoot } };
  const logs = await createBlockLogFetcher(() => source, 1_000, neverAborted)(large, neverAborted);
  clearInterval(counter);
  expect({ logs, isProven: areProven(logs as readonly RpcLog[]) }).toEqual({ logs: [], isProven: true });
  expect(turns).toBeGreaterThan(1);
  const contradictions = readers.map((reader) => reader!.contradiction!(changed, large.hash, undefined, large.header)?.check);
  expect(contradictions).toEqual([undefined, 'receiptsRoot']);
});

test('log cache evicts the least recently read blocks above its size and above 512 blocks', () => {
  const log = (data: string) => ({ data }) as RpcLog;
  const cache = createLogCache(3_000);
  const cached = () => ['a', 'b', 'c', 'd'].filter((hash) => cache.get(hash));
  for (const hash of ['a', 'b', 'c']) cache.set(hash, [log('0x')]);
  expect(cached()).toEqual(['a', 'b', 'c']);
  cache.set('d', [log(`0x${'00'.repeat(500)}`)]);
  expect(cached()).toEqual(['c', 'd']);
  const many = createLogCache(1_000_000);
  for (let i = 0; i <= 512; i++) many.set(`empty ${i}`, []);
  expect([many.get('empty 0'), many.get('empty 1')]).toEqual([undefined, []]);
});
