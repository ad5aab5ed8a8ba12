import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import { LogRangeError } from '../../../../src/upstream/rpc/log-range-limit.ts';
import { withNodeKey } from '../../../support/secrets.ts';
import { type ScriptedCall, type ScriptedNode, startScriptedNode } from '../../../support/upstream/scripted-node.ts';

/** Responses above the limit of 32 MiB. The first parameter of a call is the number of MiB of its result. */
const MEBIBYTE = 'x'.repeat(1024 * 1024);

let node: ScriptedNode;
let transport: HttpRpcTransport;

beforeEach(async () => {
  const resultOf = ({ id, params }: ScriptedCall) => ({
    jsonrpc: '2.0',
    id,
    result: Array.from({ length: (params[0] as { mebibytes: number }).mebibytes }, () => MEBIBYTE),
  });
  node = await startScriptedNode(({ body }) => (Array.isArray(body) ? body.map(resultOf) : resultOf(body as ScriptedCall)));
  transport = createHttpRpcTransport({ url: withNodeKey(node.url), maxBatchSize: 10, timeoutMs: 60_000 });
});

afterEach(async () => {
  await transport.close();
  await node.stop();
});

const call = (mebibytes: number, filter: object = {}) => ({ method: 'eth_getLogs', params: [{ mebibytes, ...filter }] });
const RANGE = { fromBlock: '0x1', toBlock: '0x9' };
const send = (...calls: ReturnType<typeof call>[]) => transport.send(calls, new AbortController().signal);

test('a log search with an oversized response is too wide, so that it is narrowed by a lot', async () => {
  const [outcome] = await send(call(33, RANGE));
  expect(outcome).toMatchObject({ error: { code: 'RESULT_TOO_LARGE', hint: { limitsBlocks: false, isOversized: true } } });
  expect((outcome as { error: unknown }).error).toBeInstanceOf(LogRangeError);
});

test('another oversized response is UPSTREAM_BAD_RESPONSE', async () => {
  expect(await send(call(33, { blockHash: `0x${'1'.repeat(64)}` }))).toMatchObject([
    { error: { code: 'UPSTREAM_BAD_RESPONSE' } },
  ]);
});

test('the calls of a batch with an oversized response are sent again in halves, and only one that is too large alone fails', async () => {
  const outcomes = await send(call(1), call(33, RANGE), call(1), call(1));
  expect(outcomes.map((outcome) => ('error' in outcome ? outcome.error.code : 'ok'))).toEqual([
    'ok',
    'RESULT_TOO_LARGE',
    'ok',
    'ok',
  ]);
});
