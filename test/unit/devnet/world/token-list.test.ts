import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { developmentAccounts } from '../../../../src/devnet/world/accounts.ts';
import { embeddedTokenList } from '../../../../src/devnet/world/token-list.ts';
import { tokenDeployments } from '../../../../src/devnet/world/tokens.ts';
import { parseTokenLists } from '../../../../src/domains/tokens/token-lists.ts';

const tokens = tokenDeployments(developmentAccounts().map(({ address }) => address)).map(({ token }) => token);
const list = embeddedTokenList(31337, tokens);
const image = (uri: string): string => Buffer.from(uri.replace('data:image/svg+xml;base64,', ''), 'base64').toString('utf8');

/** What https://uniswap.org/tokenlist.schema.json asks of a list and of an entry. */
test('the list of the embedded tokens is one that other programs take', () => {
  expect(list.name).toMatch(/^[\w ]{1,30}$/);
  expect(new Date(list.timestamp).toISOString()).toBe(list.timestamp);
  expect(Object.keys(list.version)).toEqual(['major', 'minor', 'patch']);
  for (const { address, name, symbol, decimals, logoURI } of list.tokens) {
    expect(address).toMatch(/^0x[0-9a-f]{40}$/);
    expect(name).toMatch(/^[ \S]{1,60}$/);
    expect(symbol).toMatch(/^\S{1,20}$/);
    expect(decimals).toBeLessThanOrEqual(255);
    expect(URL.canParse(logoURI)).toBe(true);
  }
});

test('every embedded token is listed as its contract tells, and the bare one with what it does not tell', () => {
  expect(list.tokens.map(({ name, symbol, decimals }) => [name, symbol, decimals])).toEqual([
    ['Mana', 'MANA', 18],
    ['Guild Crown', 'CRWN', 6],
    ['Elder Rune', 'RUNE', 18],
    ['Nameless', 'NMLS', 18],
  ]);
  expect(list.tokens.map(({ address }) => address)).toEqual(tokens.map(({ address }) => address));
});

test('our own reader takes the list whole, logos included', () => {
  const lists = parseTokenLists([list]);
  for (const { address, name, symbol, decimals, logoURI } of list.tokens) {
    expect(lists.find('0x7a69', address)).toEqual({ name, symbol, decimals, logo: logoURI });
  }
});

describe('the logos', () => {
  const logos = list.tokens.map(({ name, logoURI }) => [name, logoURI] as const);

  test.each(logos)('of %s is small, a picture with a title, and nothing that runs or loads', (name, uri) => {
    expect(uri.length).toBeLessThan(1024);
    expect(image(uri)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 64 64">\n/);
    expect(image(uri)).toMatch(`<title>${name}</title>`);
    expect(image(uri)).not.toMatch(/script|href|style|url\(|\bon\w+=|foreignObject/i);
  });

  test('are one a token, and no more than are used', () => {
    expect(new Set(logos.map(([, uri]) => uri)).size).toBe(tokens.length);
    expect(readdirSync(new URL('../../../../assets/logos', import.meta.url))).toHaveLength(tokens.length);
  });
});
