import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { isAllowedOrigin } from '../../../../src/server/requests/origins.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer } from '../../../support/graph/toy-server.ts';

let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ corsOrigins: ['https://app.example'], maxSubscriptions: 3 });
});

test.each<[string, string | undefined, string | undefined, readonly string[], boolean]>([
  ['a client without an origin', undefined, 'graph.example', [], true],
  ['a page of the server itself', 'http://graph.example', 'graph.example', [], true],
  ['a page of the server behind a TLS proxy', 'https://graph.example', 'graph.example', [], true],
  ['a page of the server on the default https port', 'https://graph.example', 'graph.example:443', [], true],
  ['a page of the server with its host in upper case', 'https://graph.example', 'Graph.Example', [], true],
  ['a page of the server on a port', 'http://localhost:4000', 'localhost:4000', [], true],
  ['a page of the server over IPv6', 'http://[::1]:4000', '[::1]:4000', [], true],
  ['a page of another port of the host', 'http://graph.example:81', 'graph.example', [], false],
  ['a page of a subdomain', 'http://evil.graph.example', 'graph.example', [], false],
  ['a page of a host with the same prefix', 'http://graph.example.evil', 'graph.example', [], false],
  ['a page of another host', 'https://evil.example', 'graph.example', ['https://app.example'], false],
  ['an allowed origin', 'https://app.example', 'graph.example', ['https://app.example'], true],
  ['an allowed host with another scheme', 'http://app.example', 'graph.example', ['https://app.example'], false],
  ['any origin with the wildcard', 'https://evil.example', 'graph.example', ['*'], true],
  ['an opaque origin', 'null', 'graph.example', ['https://app.example'], false],
  ['an opaque origin with the wildcard', 'null', 'graph.example', ['*'], true],
  ['an invalid origin', 'graph.example', 'graph.example', [], false],
  ['an empty origin', '', 'graph.example', [], false],
  ['a file URL', 'file://', '', [], false],
  ['any port of an allowed host', 'http://localhost:5173', 'graph.example', ['http://localhost:*'], true],
  ['the default port of an allowed host', 'http://localhost', 'graph.example', ['http://localhost:*'], true],
  ['any port of an allowed IPv6 host', 'http://[::1]:5173', 'graph.example', ['http://[::1]:*'], true],
  ['a host with an allowed host as prefix', 'http://localhost.evil:80', 'graph.example', ['http://localhost:*'], false],
  ['another scheme of a host with any port', 'https://localhost:5173', 'graph.example', ['http://localhost:*'], false],
  ['a request without a host', 'http://graph.example', undefined, [], false],
])('isAllowedOrigin of %s (%j, host %j, allowed %j) returns %s', (_case, origin, host, allowed, isAllowed) => {
  expect(isAllowedOrigin({ origin, host }, allowed)).toBe(isAllowed);
});

/** Sends these bytes and returns the response up to the end of its head. */
function responseTo(text: string): Promise<string> {
  const { hostname, port } = new URL(toy.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
      if (/\r\n\r\n./s.test(response) || response.startsWith('HTTP/1.1 101')) socket.end();
    });
    socket.once('close', () => resolve(response));
    socket.once('error', reject);
    socket.write(text);
  });
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

test.each([
  ['to /graphql', 'GET /graphql HTTP/1.1\r\nHost: graph\r\n', 101, undefined],
  ['to /graphql with a query string', 'GET /graphql?x=1 HTTP/1.1\r\nHost: graph\r\n', 101, undefined],
  ['to /graphql/', 'GET /graphql/ HTTP/1.1\r\nHost: graph\r\n', 101, undefined],
  ['from an allowed origin', 'GET /graphql HTTP/1.1\r\nHost: graph\r\nOrigin: https://app.example\r\n', 101, undefined],
  ['from another origin', 'GET /graphql HTTP/1.1\r\nHost: graph\r\nOrigin: https://evil.example\r\n', 403, 'BAD_REQUEST'],
  ['to another path', 'GET /graphql/ws HTTP/1.1\r\nHost: graph\r\n', 404, 'BAD_REQUEST'],
  ['to /', 'GET / HTTP/1.1\r\nHost: graph\r\n', 404, 'BAD_REQUEST'],
  ['with an invalid Host header', 'GET /graphql HTTP/1.1\r\nHost: gr aph\r\n', 400, 'BAD_REQUEST'],
])('upgrade request %s is accepted or rejected with the right status', async (_case, head, status, code) => {
  const response = await responseTo(`${head}${UPGRADE}\r\n`);
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  if (code === undefined) return;
  const [{ message, extensions }] = JSON.parse(response.split('\r\n\r\n')[1]!).errors;
  expect(message).toMatch(/.\.$/);
  expect(extensions).toMatchObject({ code, source: 'graph' });
  expect(response).toContain(`x-request-id: ${extensions.requestId}`);
});

const BODY = '{"query":"{ answer }"}';

test.each([
  ['GET', `GET /graphql?query=%7Banswer%7D HTTP/1.1\r\nHost: graph\r\napollo-require-preflight: 1\r\n`, ''],
  ['POST', `POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`, BODY],
])(
  '%s request that offers an upgrade to HTTP/2, as the Java client does, gets an HTTP/1.1 response',
  async (_case, head, body) => {
    const response = await responseTo(
      `${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n${body}`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('{"data":{"answer":42}}');
  },
);

test('socket rejects active subscriptions above MAX_SUBSCRIPTIONS', async () => {
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
