import { expect, test } from '@jest/globals';
import { parseEndpoint, parseWebSocketEndpoint } from '../../../src/upstream/endpoint.ts';

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test.each([
  ['a plain one', 'http://localhost:8545', 'http://localhost:8545', '/', {}],
  ['one with a key in its path', 'https://node.example/v2/key', 'https://node.example', '/v2/key', {}],
  ['one with a key in its query', 'https://node.example/rpc?key=a%2Fb', 'https://node.example', '/rpc?key=a%2Fb', {}],
  ['one on the usual port', 'https://node.example:443/', 'https://node.example', '/', {}],
  ['one with a fragment, which no server gets', 'https://node.example/v2#top', 'https://node.example', '/v2', {}],
  ['one on IPv6', 'http://[::1]:8545/', 'http://[::1]:8545', '/', {}],
  ['one with user and password', 'https://alice:open@node.example/', 'https://node.example', '/', basic('alice:open')],
  ['one with a user alone', 'https://alice@node.example/', 'https://node.example', '/', basic('alice:')],
  ['one with a password alone', 'https://:open@node.example/', 'https://node.example', '/', basic(':open')],
  ['one with encoded signs', 'https://a%40b:p%2F%3A@node.example/', 'https://node.example', '/', basic('a@b:p/:')],
  ['one with letters beyond ASCII', 'https://ann%C3%A9:open@node.example/', 'https://node.example', '/', basic('anné:open')],
  ['one with a bare percent sign', 'https://alice:100%safe@node.example/', 'https://node.example', '/', basic('alice:100%safe')],
])('an endpoint is taken apart: %s', (_case, url, origin, path, headers) => {
  expect(parseEndpoint(url)).toEqual({ origin, path, headers, label: origin, compressed: url.startsWith('https:') });
});

test.each([
  ['another protocol', 'wss://node.example/hunter2'],
  ['a file', 'file:///hunter2'],
  ['no URL', 'hunter2'],
  ['nothing', ''],
])('%s is BAD_USER_INPUT, without the text', (_case, url) => {
  expect(() => parseEndpoint(url)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', message: 'Invalid node endpoint. Pass an http:// or https:// URL.' }),
  );
});

test.each([
  ['a plain one', 'ws://localhost:8546', 'ws://localhost:8546', '/', {}],
  ['one with a key in its path and query', 'wss://node.example/ws/key?key=a%2Fb', 'wss://node.example', '/ws/key?key=a%2Fb', {}],
  ['one on the usual port', 'wss://node.example:443/#top', 'wss://node.example', '/', {}],
  ['one with user and password', 'wss://alice:p%2F%3A@node.example/', 'wss://node.example', '/', basic('alice:p/:')],
])('an endpoint for sockets is taken apart: %s', (_case, url, origin, path, headers) => {
  expect(parseWebSocketEndpoint(url)).toEqual({ origin, path, headers, label: origin, compressed: url.startsWith('wss:') });
});

test.each(['https://node.example/hunter2', 'hunter2', ''])('%j is BAD_USER_INPUT as an endpoint for sockets', (url) => {
  expect(() => parseWebSocketEndpoint(url)).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      message: 'Invalid node endpoint for subscriptions. Pass a ws:// or wss:// URL.',
    }),
  );
});
