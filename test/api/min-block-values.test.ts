import { beforeEach, expect, test } from '@jest/globals';
import { errorsOver } from '../support/clients/transport-errors.ts';
import { ManualHead } from '../support/graph/manual-head.ts';
import { bodyOf } from '../support/graph/results.ts';
import { startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';

/** Values of `x-graph-min-block` and `extensions.minBlock`, of `x-graph-verify` and `extensions.verify`, and combinations with `x-graph-block`. */
let head: ManualHead;
let toy: ToyServer;

beforeEach(async () => {
  head = new ManualHead();
  head.moveTo(5);
  toy = await startToyServer({ follower: head, corsOrigins: ['https://app.example'] });
});

const headersOf = (minBlock: unknown): Record<string, string> => ({
  'content-type': 'application/json',
  'x-graph-min-block': String(minBlock),
});

const post = async (body: object, headers: Record<string, string>) =>
  (await fetch(`${toy.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).json();

const INVALID: readonly (readonly [name: string, value: unknown])[] = [
  ['a word', 'latest'],
  ['a number of 65 bits', '18446744073709551616'],
  ['a fraction', '1.5'],
];

test.each(INVALID)('%s as a minimum block fails with BAD_USER_INPUT with status 400', async (_name, value) => {
  const body = '{"query":"{ answer }"}';
  const response = await fetch(`${toy.url}/graphql`, { method: 'POST', headers: headersOf(value), body });
  expect(response.status).toBe(400);
  const [{ message, extensions }] = (await bodyOf(response)).errors;
  expect(extensions.code).toBe('BAD_USER_INPUT');
  expect(message).toBe(
    'Invalid header x-graph-min-block. Send a block number below 2^64 in decimal or 0x-hex, for example 42, "42" or "0x2a"; above 2^53 as a string.',
  );
  const events = await errorsOver.events(toy.url, { query: '{ answer }' }, headersOf(value));
  expect(events).toEqual([{ code: 'BAD_USER_INPUT', message }]);
});

test.each([...INVALID, ['a JSON fraction', 1.5], ['a JSON number above 2^53', 2 ** 53], ['a list', [7]], ['a boolean', true]])(
  '%s in `extensions.minBlock` fails with BAD_USER_INPUT on every transport',
  async (_name, minBlock) => {
    const request = { query: '{ answer }', extensions: { minBlock } };
    const expected = await errorsOver.http(toy.url, request);
    expect(expected[0]!.code).toBe('BAD_USER_INPUT');
    expect(expected[0]!.message).toContain('Invalid `extensions.minBlock`. Send a block number');
    expect(await errorsOver.events(toy.url, request)).toEqual(expected);
    expect(await errorsOver.webSocket(toy.url, request)).toEqual(expected);
    expect(toy.state.operations).toEqual([]);
  },
);

test('an unknown verification fails with BAD_USER_INPUT on every transport', async () => {
  const request = { query: '{ answer }', extensions: { verify: ['logs', 'everything'] } };
  const expected = [{ code: 'BAD_USER_INPUT', message: 'Invalid `extensions.verify`. Send a list of report, logs, state.' }];
  expect(await errorsOver.http(toy.url, request)).toEqual(expected);
  expect(await errorsOver.events(toy.url, request)).toEqual(expected);
  expect(await errorsOver.webSocket(toy.url, request)).toEqual(expected);
  const headers = { 'content-type': 'application/json', 'x-graph-verify': 'everything' };
  const { errors } = (await post({ query: '{ answer }' }, headers)) as { errors: { message: string }[] };
  expect(errors[0]!.message).toBe('Invalid header x-graph-verify. Send a list of report, logs, state.');
  expect(toy.state.operations).toEqual([]);
});

test.each([
  ['a header', {}, { 'x-graph-min-block': '8' }],
  ['an extension', { minBlock: 8 }, {}],
])('x-graph-block with a number below %s fails with BAD_USER_INPUT at once', async (_name, extensions, headers) => {
  const request = { query: '{ block }', extensions };
  const errors = await errorsOver.http(toy.url, request, { 'x-graph-block': '7', ...headers } as Record<string, string>);
  expect(errors[0]!.code).toBe('BAD_USER_INPUT');
  expect(errors[0]!.message).toContain('x-graph-block is below x-graph-min-block');
});

test('x-graph-block with a number of at least the minimum waits for the minimum and reads that block', async () => {
  const headers = { ...headersOf(6), 'x-graph-block': '6' };
  const response = post({ query: '{ block }' }, headers);
  await waitUntil(() => head.waiting === 1, 'the operation waits');
  head.moveTo(9);
  expect(await response).toEqual({ data: { block: '0x6' }, extensions: { block: { number: '0x6' } } });
});

test('CORS preflight allows the headers of the graph for an allowed origin', async () => {
  const preflight = await fetch(`${toy.url}/graphql`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-graph-block,x-graph-min-block,x-graph-verify,x-graph-cost',
    },
  });
  for (const name of ['x-graph-block', 'x-graph-min-block', 'x-graph-verify', 'x-graph-cost'])
    expect(preflight.headers.get('access-control-allow-headers')).toContain(name);
});
