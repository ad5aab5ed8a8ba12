import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isAllowedOrigin } from '../../../../src/server/requests/origins.ts';
import { connectEventStream } from '../../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: ['https://app.example'], maxConnections: 5, maxSubscriptions: 3 });
});

afterAll(() => toy?.stop());

test.each<[string, string | undefined, string | undefined, readonly string[], boolean]>([
  ['no browser', undefined, 'graph.example', [], true],
  ['a page of the server itself', 'http://graph.example', 'graph.example', [], true],
  ['the same behind a proxy that ends TLS', 'https://graph.example', 'graph.example', [], true],
  ['the same with the port that https has by itself', 'https://graph.example', 'graph.example:443', [], true],
  ['the same in capitals', 'https://graph.example', 'Graph.Example', [], true],
  ['the same on a port', 'http://localhost:4000', 'localhost:4000', [], true],
  ['the same over IPv6', 'http://[::1]:4000', '[::1]:4000', [], true],
  ['another port of the host', 'http://graph.example:81', 'graph.example', [], false],
  ['a host below', 'http://evil.graph.example', 'graph.example', [], false],
  ['a host that begins alike', 'http://graph.example.evil', 'graph.example', [], false],
  ['another host', 'https://evil.example', 'graph.example', ['https://app.example'], false],
  ['an allowed origin', 'https://app.example', 'graph.example', ['https://app.example'], true],
  ['an allowed host with another scheme', 'http://app.example', 'graph.example', ['https://app.example'], false],
  ['any origin, where all may', 'https://evil.example', 'graph.example', ['*'], true],
  ['a page that hides its origin', 'null', 'graph.example', ['https://app.example'], false],
  ['the same, where all may', 'null', 'graph.example', ['*'], true],
  ['an origin that is none', 'graph.example', 'graph.example', [], false],
  ['an empty origin', '', 'graph.example', [], false],
  ['a file', 'file://', '', [], false],
  ['any port of an allowed host', 'http://localhost:5173', 'graph.example', ['http://localhost:*'], true],
  ['the port that http has by itself', 'http://localhost', 'graph.example', ['http://localhost:*'], true],
  ['any port over IPv6', 'http://[::1]:5173', 'graph.example', ['http://[::1]:*'], true],
  ['any port, and a host that ends alike', 'http://localhost.evil:80', 'graph.example', ['http://localhost:*'], false],
  ['any port, and another scheme', 'https://localhost:5173', 'graph.example', ['http://localhost:*'], false],
  ['a host that is missing', 'http://graph.example', undefined, [], false],
])('%s is let in or not', (_case, origin, host, allowed, is) => {
  expect(isAllowedOrigin(origin, host, allowed)).toBe(is);
});

/** What the server answers to these bytes, up to the end of its head. */
function responseTo(text: string): Promise<string> {
  const { hostname, port } = new URL(toy.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
      if (/\r\n\r\n./s.test(answer) || answer.startsWith('HTTP/1.1 101')) socket.end();
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
    socket.write(text);
  });
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

test.each([
  ['to the graph', 'GET /graphql HTTP/1.1\r\nHost: graph\r\n', 101, undefined],
  ['to the graph with a search', 'GET /graphql?x=1 HTTP/1.1\r\nHost: graph\r\n', 101, undefined],
  ['of an allowed page', 'GET /graphql HTTP/1.1\r\nHost: graph\r\nOrigin: https://app.example\r\n', 101, undefined],
  ['of another page', 'GET /graphql HTTP/1.1\r\nHost: graph\r\nOrigin: https://evil.example\r\n', 403, 'BAD_REQUEST'],
  ['to another path', 'GET /graphql/ws HTTP/1.1\r\nHost: graph\r\n', 404, 'BAD_REQUEST'],
  ['to the page', 'GET / HTTP/1.1\r\nHost: graph\r\n', 404, 'BAD_REQUEST'],
  ['to no host', 'GET /graphql HTTP/1.1\r\nHost: gr aph\r\n', 400, 'BAD_REQUEST'],
])('an upgrade %s is answered', async (_case, head, status, code) => {
  const answer = await responseTo(`${head}${UPGRADE}\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  if (code === undefined) return;
  const [{ message, extensions }] = JSON.parse(answer.split('\r\n\r\n')[1]!).errors;
  expect(message).toMatch(/.\.$/);
  expect(extensions).toMatchObject({ code, source: 'graph' });
  expect(answer).toContain(`x-request-id: ${extensions.requestId}`);
});

const BODY = '{"query":"{ answer }"}';

test.each([
  ['GET', `GET /graphql?query=%7Banswer%7D HTTP/1.1\r\nHost: graph\r\napollo-require-preflight: 1\r\n`, ''],
  ['POST', `POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`, BODY],
])('a %s that would also like HTTP/2 is answered by HTTP/1.1, as Java’s client sends it', async (_case, head, body) => {
  const answer = await responseTo(
    `${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain('{"data":{"answer":42}}');
});

describe('there is a bound', () => {
  test('on the connections of the server, event streams included', async () => {
    const sockets = await Promise.all(Array.from({ length: 3 }, () => RawSocket.connect(toy.url)));
    const streams = await Promise.all(
      Array.from({ length: 2 }, () => connectEventStream(toy.url, { query: 'subscription { ticks { n } }' })),
    );
    expect([await toy.metric('sockets'), await toy.metric('event_streams')]).toEqual([3, 2]);
    await expect(RawSocket.connect(toy.url)).rejects.toThrow('HTTP 503');
    const { response } = await connectEventStream(toy.url, { query: '{ answer }' }).catch((error) => error);
    expect([response?.status, response?.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await responseTo(`GET /graphql HTTP/1.1\r\nHost: graph\r\n${UPGRADE}\r\n`)).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/,
    );
    streams[0]!.close();
    await waitUntil(async () => (await toy.metric('event_streams')) === 1, 'one has gone');
    const another = await RawSocket.connect(toy.url);
    for (const one of [...sockets, ...streams, another]) one.close();
    await waitUntil(async () => (await toy.metric('sockets')) + (await toy.metric('event_streams')) === 0, 'all have gone');
  });

  test('on the operations of one socket, of which those that are over do not count', async () => {
    const socket = await RawSocket.connect(toy.url);
    for (const id of ['1', '2', '3', '4']) socket.subscribe(id, 'subscription { ticks { n } }');
    const { payload } = await socket.waitForEnd('4');
    expect(payload[0].extensions).toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS', limit: 3, retryable: false });
    expect(payload[0].extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
    socket.send({ id: '2', type: 'complete' });
    socket.subscribe('5', '{ answer }');
    expect(await socket.waitForResults('5', 1)).toEqual([{ data: { answer: 42 } }]);
    expect(await toy.metric('subscriptions')).toBe(2);
    socket.close();
  });
});
