import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { GraphError } from '../../../src/lib/errors.ts';
import type { ObservedOperation, OperationRecord } from '../../../src/operation/operation-observer.ts';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { ManualHead, windowOf } from '../../support/graph/manual-head.ts';
import { bodyOf } from '../../support/graph/results.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

/** Each operation on each transport reports exactly one record to the observers of the server. */
let toy: ToyServer;
let started: ObservedOperation[];
let records: OperationRecord[];

const observer = {
  start: (observed: ObservedOperation) => void started.push(observed),
  end: (record: OperationRecord) => void records.push(record),
};

beforeEach(async () => {
  started = [];
  records = [];
  toy = await startToyServer({ observers: [observer] });
});

const post = async (body: object, headers: Record<string, string> = {}) =>
  bodyOf(await postJson(`${toy.url}/graphql`, body, headers));

/** Executes an operation over a WebSocket until it ends. */
async function executeOverWebSocket(payload: { query: string; extensions?: Record<string, unknown> }): Promise<void> {
  const client = createClient({ url: `${toy.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
  await new Promise<void>((resolve) => {
    client.subscribe(payload, { next: () => {}, error: () => resolve(), complete: resolve });
  });
  await client.dispose();
}

const executeOverEventStream = async (query: string, headers: Record<string, string> = {}): Promise<void> => {
  const stream = await connectEventStream(toy.url, { query }, { headers });
  await stream.ended;
};

const summaryOf = ({ observed: { origin, definition, operation }, codes, responseBytes }: OperationRecord) => ({
  transport: origin?.transport,
  name: definition?.name?.value,
  type: definition?.operation,
  isExecuted: operation !== undefined,
  codes,
  responseBytes,
});

const EXECUTED = { name: 'A', type: 'query', isExecuted: true, codes: [], responseBytes: '{"answer":42}'.length };

test('a query is reported once with its transport, name, type and size', async () => {
  const query = 'query A { answer }';
  await post({ query });
  await executeOverWebSocket({ query });
  await executeOverEventStream(query);
  expect(records.map(summaryOf)).toEqual(['http', 'ws', 'sse'].map((transport) => ({ transport, ...EXECUTED })));
  expect(records.map(({ observed }) => observed)).toEqual(started);
  for (const { durationMs, observed } of records) {
    expect(durationMs).toBeGreaterThan(0);
    expect(observed.startedAt).toBe(observed.origin!.receivedAt);
  }
});

test.each([
  ['a syntax error', 'query A {', 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', 'query A { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
])('%s is reported once on each transport, without an execution', async (_case, query, code) => {
  const { errors } = await post({ query });
  await executeOverWebSocket({ query });
  await executeOverEventStream(query);
  const rejected = { name: undefined, type: undefined, isExecuted: false, codes: [code], responseBytes: 0 };
  expect(records.map(summaryOf)).toEqual(['http', 'ws', 'sse'].map((transport) => ({ transport, ...rejected })));
  expect(records[0]!.observed.requestId).toBe(errors[0].extensions.requestId);
  expect(started).toEqual([]);
});

test('the codes of all errors of a response are reported', async () => {
  await post({ query: 'query B { fail answer leak }' });
  expect(records.map(({ codes }) => [...codes].sort())).toEqual([['INTERNAL_SERVER_ERROR', 'UPSTREAM_TIMEOUT']]);
});

test('an operation whose client disconnects is reported once as TIMEOUT', async () => {
  toy.state.hold = new Promise(() => {});
  const control = new AbortController();
  const response = fetch(`${toy.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"query C { held }"}',
    signal: control.signal,
  });
  await waitUntil(() => toy.state.operations.length === 1, 'the operation runs');
  control.abort();
  await expect(response).rejects.toThrow();
  await waitUntil(() => records.length > 0, 'the operation is reported');
  expect(records.map(summaryOf)).toEqual([
    { transport: 'http', name: 'C', type: 'query', isExecuted: true, codes: ['TIMEOUT'], responseBytes: 0 },
  ]);
});

test('a subscription is reported when it starts, and each event when it has been executed', async () => {
  const client = createSubscriptionClient(toy.url);
  const subscription = client.subscribe('subscription Ticks { ticks { n fail } }');
  await waitUntil(() => toy.state.openStreams === 1, 'the stream is open');
  toy.state.ticker().emit(2);
  await subscription.waitForEvents(2);
  const of = { name: 'Ticks', type: 'subscription', isExecuted: true };
  expect(records.map(summaryOf)).toMatchObject([
    { ...of, transport: 'ws', codes: [], responseBytes: 0 },
    { ...of, transport: undefined },
    { ...of, transport: undefined },
  ]);
  const codes = records.slice(1).flatMap((record) => record.codes);
  expect(codes).toEqual(['UPSTREAM_UNAVAILABLE']);
  toy.state.ticker().end(new GraphError('STALE_UPSTREAM', 'The source has failed.'));
  expect(await subscription.ended).toHaveLength(1);
  expect(records).toHaveLength(3);
});

describe('minimum block', () => {
  const request = { query: 'query D { answer }', extensions: { minBlock: 7 } };
  const unexecuted = { name: 'D', type: 'query', isExecuted: false, responseBytes: 0 };
  let head: ManualHead;

  beforeEach(async () => {
    await toy.stop();
    head = new ManualHead();
    toy = await startToyServer({ observers: [observer], follower: head, operationTimeoutMs: 60_000 });
  });

  test('an operation whose minimum block is not reached is reported as BLOCK_NOT_YET with its name', async () => {
    // The shortest wait: two seconds.
    head.window = windowOf([0, 1]);
    await Promise.all([post(request), executeOverWebSocket(request)]);
    const reported = records.map(summaryOf).sort((a, b) => a.transport!.localeCompare(b.transport!));
    expect(reported).toEqual(['http', 'ws'].map((transport) => ({ transport, ...unexecuted, codes: ['BLOCK_NOT_YET'] })));
  });
});

const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1, traceState: 'a=1' };
const TRACE_HEADERS = { traceparent: `00-${TRACE.traceId}-${TRACE.spanId}-01`, tracestate: 'a=1' };

test('the trace of a client is read from the headers of HTTP and event streams, and from the extensions of a WebSocket message', async () => {
  const query = '{ answer }';
  await post({ query }, TRACE_HEADERS);
  await executeOverEventStream(query, TRACE_HEADERS);
  await executeOverWebSocket({ query, extensions: TRACE_HEADERS });
  expect(records.map(({ observed }) => observed.origin?.trace)).toEqual([TRACE, TRACE, TRACE]);
  expect(records.map(({ observed }) => observed.operation?.budget?.trace)).toEqual([TRACE, TRACE, TRACE]);
});
