import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { OperationMetrics } from '../../src/observability/index.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { errorsOver, type JsonRequest } from '../support/clients/transport-errors.ts';
import { startToyServer } from '../support/graph/toy-server.ts';

const ANSWER = 'query Answer { answer }';
const SUM = 'query Sum($of: [Int!]!) { sum(of: $of) }';
const TICKS = 'subscription Ticks { ticks { n } }';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const texts = new Map([
  ['answer', ANSWER],
  [hashOf(SUM), SUM],
  [`sha256:${hashOf(TICKS)}`, TICKS],
]);

const start = (mode: 'on' | 'only' | 'off', options = {}) => startToyServer({ trustedDocuments: { mode, texts }, ...options });

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json() as Promise<any>;
}

async function firstMessage(url: string, payload: object) {
  const socket = await RawSocket.connect(url);
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '', ...payload } }));
  const { payload: received } = await socket.waitForMessage(({ type }: { type: string }) => type === 'next' || type === 'error');
  socket.close();
  return received;
}

test.each<[string, object, unknown]>([
  ['its id', { documentId: 'answer' }, { answer: 42 }],
  ['the hash of its text', { documentId: `sha256:${hashOf(ANSWER)}` }, { answer: 42 }],
  ['its id and variables', { documentId: hashOf(SUM), variables: { of: [1, 2] } }, { sum: 3 }],
  [
    "the hash of Apollo's clients",
    { extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(SUM) } }, variables: { of: [4] } },
    { sum: 4 },
  ],
])('HTTP, WebSocket and event stream execute the document with %s', async (_case, request, data) => {
  const { url } = await start('only');
  expect((await post(url, request)).data).toEqual(data);
  expect((await firstMessage(url, request)).data).toEqual(data);
  const events = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(request),
  });
  expect(await events.text()).toContain(JSON.stringify({ data }).slice(1, -1));
});

test('GET takes the id as a parameter', async () => {
  const { url } = await start('on');
  const response = await fetch(`${url}/graphql?documentId=answer`, { headers: { 'apollo-require-preflight': '1' } });
  expect(await response.json()).toMatchObject({ data: { answer: 42 } });
});

test.each<[string, JsonRequest, string]>([
  ['another document', { query: '{ answer }' }, 'This server executes only trusted documents. Send the `documentId` of one'],
  ['an unknown id', { query: '', documentId: 'none' }, 'The server has no trusted document with this `documentId`.'],
])('in the mode only, %s is refused on every transport', async (_case, request, message) => {
  const { url, state } = await start('only');
  for (const over of Object.values(errorsOver))
    expect(await over(url, request)).toEqual([{ code: 'DOCUMENT_NOT_TRUSTED', message: expect.stringContaining(message) }]);
  expect(state.operations).toEqual([]);
});

test('the exact text of a trusted document is trusted; in the mode on others are executed, too', async () => {
  expect((await post((await start('only')).url, { query: ANSWER })).data).toEqual({ answer: 42 });
  expect((await post((await start('on')).url, { query: '{ answer }' })).data).toEqual({ answer: 42 });
});

test.each<[string, object, string]>([
  ['an unknown hash', { extensions: { persistedQuery: { sha256Hash: 'ab' } } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ['an id that is a number', { documentId: 7 }, 'BAD_REQUEST'],
  ['no document', {}, 'BAD_REQUEST'],
])('%s has the code of its error', async (_case, request, code) => {
  const { errors } = await post((await start('on')).url, request);
  expect(errors[0].extensions.code).toBe(code);
});

test('in the mode off no id is known', async () => {
  const { errors } = await post((await start('off')).url, { documentId: 'answer' });
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('The server has no trusted documents.') });
});

test.each<[string, string, string]>([
  ['a syntax error', 'query {', 'The document "a" of TRUSTED_DOCUMENTS_FILE is invalid: Syntax Error'],
  ['an unknown field', '{ nothing }', 'The document "a" of TRUSTED_DOCUMENTS_FILE is invalid: Cannot query field "nothing"'],
])('a document with %s stops the start', async (_case, text, message) => {
  const trustedDocuments = { mode: 'on', texts: new Map([['a', text]]) } as const;
  await expect(startToyServer({ trustedDocuments })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: expect.stringContaining(message),
  });
});

test('a document with the hash of another text stops the start', async () => {
  const trustedDocuments = { mode: 'on', texts: new Map([[`sha256:${hashOf(SUM)}`, ANSWER]]) } as const;
  await expect(startToyServer({ trustedDocuments })).rejects.toThrow('does not have this hash.');
});

test.each([
  ['DOCUMENT_NOT_TRUSTED', { documentId: 'none' }],
  ['PERSISTED_QUERY_NOT_SUPPORTED', { extensions: { persistedQuery: { sha256Hash: 'ab' } } }],
])(
  'the metrics count a request without a document as rejected, and not as an operation, on each transport: %s',
  async (code, body) => {
    const operations = new OperationMetrics();
    const { url, metric } = await start('on', { observers: [operations], metrics: operations.metrics });
    await post(url, body);
    await post(url, body, { accept: 'text/event-stream' });
    expect((await firstMessage(url, body))[0].extensions.code).toBe(code);
    expect(await metric(`requests_rejected_total{code="${code}"}`)).toBe(3);
    expect(await metric(`operations_total{name="unknown",type="unknown",code="${code}"}`)).toBeNaN();
  },
);

test('the metrics count trusted documents by id and application', async () => {
  const metrics = new OperationMetrics();
  const { url } = await start('on', { observers: [metrics], metrics: metrics.metrics });
  for (const body of [{ documentId: 'answer' }, { query: ANSWER }, { query: '{ answer }' }]) await post(url, body);
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text.match(/^grimoire_trusted_documents_total.*$/gm)).toEqual([
    'grimoire_trusted_documents_total{document="answer",app="anonymous"} 2',
  ]);
});
