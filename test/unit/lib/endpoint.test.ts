import { expect, test } from '@jest/globals';
import { parseEndpoint, parseWebSocketEndpoint } from '../../../src/lib/endpoint.ts';

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test.each([
  ['a plain URL', 'http://localhost:8545', 'http://localhost:8545', '/', {}],
  ['a key in the path', 'https://node.example/v2/key', 'https://node.example', '/v2/key', {}],
  ['a key in the query', 'https://node.example/rpc?key=a%2Fb', 'https://node.example', '/rpc?key=a%2Fb', {}],
  ['the default port', 'https://node.example:443/', 'https://node.example', '/', {}],
  ['a fragment, which is not sent', 'https://node.example/v2#top', 'https://node.example', '/v2', {}],
  ['an IPv6 address', 'http://[::1]:8545/', 'http://[::1]:8545', '/', {}],
  ['user and password', 'https://alice:open@node.example/', 'https://node.example', '/', basic('alice:open')],
  ['a user without a password', 'https://alice@node.example/', 'https://node.example', '/', basic('alice:')],
  ['a password without a user', 'https://:open@node.example/', 'https://node.example', '/', basic(':open')],
  ['percent-encoded characters', 'https://a%40b:p%2F%3A@node.example/', 'https://node.example', '/', basic('a@b:p/:')],
  ['letters beyond ASCII', 'https://ann%C3%A9:open@node.example/', 'https://node.example', '/', basic('anné:open')],
  ['an invalid percent-encoding', 'https://alice:100%safe@node.example/', 'https://node.example', '/', basic('alice:100%safe')],
])('parseEndpoint parses a URL: %s', (_case, url, origin, path, headers) => {
  expect(parseEndpoint(url)).toEqual({ origin, path, headers, label: origin, compressed: url.startsWith('https:') });
});

test.each([
  ['another protocol', 'wss://node.example/hunter2'],
  ['a file', 'file:///hunter2'],
  ['a text that is not a URL', 'hunter2'],
  ['an empty text', ''],
])('parseEndpoint throws BAD_USER_INPUT without the text for %s', (_case, url) => {
  expect(() => parseEndpoint(url)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', message: 'Invalid endpoint. Pass an http:// or https:// URL.' }),
  );
});

test.each([
  ['a plain URL', 'ws://localhost:8546', 'ws://localhost:8546', '/', {}],
  ['a key in path and query', 'wss://node.example/ws/key?key=a%2Fb', 'wss://node.example', '/ws/key?key=a%2Fb', {}],
  ['the default port', 'wss://node.example:443/#top', 'wss://node.example', '/', {}],
  ['user and password', 'wss://alice:p%2F%3A@node.example/', 'wss://node.example', '/', basic('alice:p/:')],
])('parseWebSocketEndpoint parses a URL: %s', (_case, url, origin, path, headers) => {
  expect(parseWebSocketEndpoint(url)).toEqual({ origin, path, headers, label: origin, compressed: url.startsWith('wss:') });
});

test.each(['https://node.example/hunter2', 'hunter2', ''])('parseWebSocketEndpoint throws BAD_USER_INPUT for %j', (url) => {
  expect(() => parseWebSocketEndpoint(url)).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      message: 'Invalid node endpoint for subscriptions. Pass a ws:// or wss:// URL.',
    }),
  );
});
