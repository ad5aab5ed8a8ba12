import { expect, test } from '@jest/globals';
import { parseUrl } from '../../../src/lib/urls.ts';

test('a text that is no absolute URL is undefined', () => {
  for (const text of ['', 'example.com', '//example.com', 'https://', 'https://a b/']) expect(parseUrl(text)).toBeUndefined();
});

test('a host with characters of Latin-1 is parsed however often', () => {
  const hosts = new Set(Array.from({ length: 50_000 }, () => parseUrl('https://bücher.example/')?.hostname));
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});
