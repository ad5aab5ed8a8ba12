import { describe, expect, test } from '@jest/globals';
import { type ErrorCode, GraphError } from '../../../../src/lib/errors.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { createBlockLogFetcher } from '../../../../src/sync/logs/log-fetcher.ts';
import type { RpcCall, RpcOutcome } from '../../../../src/upstream/rpc/rpc-call.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 4, bloom: 'real', blocks: 120 });
const heads = [...Array(120).keys()].flatMap((height) => {
  const block = chain.main.at(height)!;
  return block.logs.length > 0 ? [headOf(block)] : [];
});
const neverAborted = new AbortController().signal;
const RECEIPTS = 'eth_getBlockReceipts';
const LOGS = 'eth_getLogs';

const errorOf = (code: ErrorCode): RpcOutcome => ({ error: new GraphError(code, 'no') });

/** The correct response to a read of receipts or of logs. */
function resultOf({ method, params: [of] }: RpcCall): RpcOutcome {
  const { logs } = chain.block(method === RECEIPTS ? (of as string) : (of as { blockHash: string }).blockHash)!;
  return { result: method === RECEIPTS ? [{ logs: [...logs] }] : [...logs] };
}

/** A fetcher over a node, and the calls of each batch that it has sent. */
function fetcherOver(respond: (call: RpcCall, batchSize: number) => RpcOutcome) {
  const batches: string[][] = [];
  const send = async (calls: readonly RpcCall[]) => {
    batches.push(calls.map(({ method }) => method));
    return calls.map((call) => respond(call, calls.length));
  };
  const fetchLogs = createBlockLogFetcher(() => ({ send }), 1_000, neverAborted);
  const read = async (of: readonly Head[], signal = neverAborted) =>
    (await Promise.all(of.map((head) => fetchLogs(head, signal)))).map((one) => one && ('code' in one ? one.code : one.length));
  /** The sizes of the batches of a read. */
  const sizesOf = async (of: readonly Head[]) => {
    batches.length = 0;
    await read(of);
    return batches.map(({ length }) => length);
  };
  return { batches, read, sizesOf };
}

describe('the batches of a read of many blocks', () => {
  test('batches are halved while each block of a batch fails because the response is too large, and grow again', async () => {
    const { sizesOf } = fetcherOver((call, size) => (size > 4 ? errorOf('UPSTREAM_TIMEOUT') : resultOf(call)));
    const twenty = heads.slice(0, 20);
    expect(await sizesOf(twenty)).toEqual([20]);
    expect(await sizesOf(twenty)).toEqual([10, 5, 3, 2]);
    expect(await sizesOf(twenty)).toEqual([5, 3, 4, 5, 3]);
  });

  test('a batch in which some blocks fail keeps its size', async () => {
    const { sizesOf } = fetcherOver((call) => (call.params[0] === heads[0]!.hash ? errorOf('UPSTREAM_TIMEOUT') : resultOf(call)));
    const forty = heads.slice(0, 40);
    expect(await sizesOf(forty)).toEqual([32, 8]);
    expect(await sizesOf(forty)).toEqual([32, 8]);
    expect(await sizesOf([heads[0]!])).toEqual([1]);
    expect(await sizesOf(forty)).toEqual([32, 8]);
  });

  test('a read that has ended before its batch is not sent', async () => {
    const { read, batches } = fetcherOver(resultOf);
    expect(await read([heads[0]!], AbortSignal.abort())).toEqual([undefined]);
    expect(batches).toEqual([]);
    const both = await Promise.all([read([heads[0]!], AbortSignal.abort()), read([heads[1]!])]);
    expect(both).toEqual([[undefined], [chain.block(heads[1]!.hash)!.logs.length]]);
    expect(batches).toEqual([[RECEIPTS]]);
  });
});

test.each<[string, ErrorCode, ErrorCode | undefined, string[][]]>([
  ['logs at once, without the method', 'METHOD_NOT_SUPPORTED', undefined, [[RECEIPTS], [LOGS], [LOGS]]],
  [
    'logs at once, without the method and without the block',
    'METHOD_NOT_SUPPORTED',
    'BLOCK_NOT_AVAILABLE',
    [[RECEIPTS], [LOGS], [LOGS]],
  ],
  ['logs at once, after an error of receipts alone', 'UPSTREAM_ERROR', undefined, [[RECEIPTS], [LOGS], [LOGS]]],
  ['logs at once, where the receipts of one block are too large', 'RESULT_TOO_LARGE', undefined, [[RECEIPTS], [LOGS], [LOGS]]],
  ['receipts first, after an error of both', 'UPSTREAM_ERROR', 'UPSTREAM_ERROR', [[RECEIPTS], [LOGS], [RECEIPTS], [LOGS]]],
  ['receipts alone, after a lost connection', 'UPSTREAM_UNAVAILABLE', undefined, [[RECEIPTS], [RECEIPTS]]],
])('a later read requests %s', async (_case, receiptsCode, logsCode, expected) => {
  const { read, batches } = fetcherOver((call) =>
    call.method === RECEIPTS ? errorOf(receiptsCode) : logsCode ? errorOf(logsCode) : resultOf(call),
  );
  await read([heads[0]!]);
  await read([heads[1]!]);
  expect(batches).toEqual(expected);
});

test.each<[string, ErrorCode, boolean, (number | string)[][]]>([
  ['divided, if receipts of several are too large', 'RESULT_TOO_LARGE', true, [[RECEIPTS, RECEIPTS], [RECEIPTS], [LOGS]]],
  ['read without receipts, if those of one fail', 'UPSTREAM_ERROR', false, [[RECEIPTS, RECEIPTS], [LOGS, LOGS], [LOGS]]],
])('the blocks of a batch are %s', async (_case, code, failsForAll, expected) => {
  const { read, batches } = fetcherOver((call) => {
    const fails = call.method === RECEIPTS && (failsForAll || call.params[0] === heads[0]!.hash);
    return fails ? errorOf(code) : resultOf(call);
  });
  await read(heads.slice(0, 2));
  await read([heads[2]!]);
  expect(batches).toEqual(expected);
});
