import { expect, test } from '@jest/globals';
import { createHostCheck, listenHostNames, parseUrl } from '../../../src/lib/urls.ts';

const accepts = createHostCheck([
  'Graph.LAN',
  '192.168.1.5',
  '[fd00::1]',
  ...listenHostNames('10.0.0.7'),
  ...listenHostNames('fd00::2'),
]);

test.each([
  ['localhost:4000', true],
  ['LOCALHOST', true],
  ['app.localhost:4000', true],
  ['127.0.0.1:4000', true],
  ['127.1.2.3', true],
  ['[::1]:4000', true],
  ['graph.lan', true],
  ['graph.lan:8080', true],
  ['192.168.1.5:4000', true],
  ['[fd00::1]:4000', true],
  ['10.0.0.7:4000', true],
  ['[fd00::2]', true],
  [undefined, true],
  ['evil.example:4000', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['evil-localhost', false],
  ['www.graph.lan', false],
  ['192.168.1.6', false],
  ['0.0.0.0:4000', false],
  ['', false],
  ['a b', false],
])('Host header %j is accepted: %s', (host, isAccepted) => {
  expect(accepts(host)).toBe(isAccepted);
});

test.each(['0.0.0.0', '::'])('a server on the wildcard address %s has no host name', (address) => {
  expect(listenHostNames(address)).toEqual([]);
});

test('a text that is no absolute URL is undefined', () => {
  for (const text of ['', 'example.com', '//example.com', 'https://', 'https://a b/']) expect(parseUrl(text)).toBeUndefined();
});

test('a host with Latin-1 characters is parsed any number of times', () => {
  const hosts = new Set(Array.from({ length: 50_000 }, () => parseUrl('https://bücher.example/')?.hostname));
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});
