import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { developmentAccounts } from '../../../../devnet/src/world/accounts.ts';
import { embeddedTokenList } from '../../../../devnet/src/world/token-list.ts';
import { tokenDeployments } from '../../../../devnet/src/world/tokens.ts';
import { readTokenLists } from '../../../../src/config/token-lists.ts';

const tokens = tokenDeployments(developmentAccounts().map(({ address }) => address)).map(({ token }) => token);
const list = embeddedTokenList(31337, tokens);
const image = (uri: string): string => Buffer.from(uri.replace('data:image/svg+xml;base64,', ''), 'base64').toString('utf8');

/** Checks the requirements of https://uniswap.org/tokenlist.schema.json for a list and its entries. */
test('embedded token list fits the schema of Uniswap token lists', () => {
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

test('readTokenLists reads every entry of the embedded token list, including logos', () => {
  const lists = readTokenLists([], [list]);
  for (const { address, name, symbol, decimals, logoURI } of list.tokens) {
    expect(lists.find('0x7a69', address)).toEqual({ name, symbol, decimals, logo: logoURI });
  }
});

describe('token logos', () => {
  const logos = list.tokens.map(({ name, logoURI }) => [name, logoURI] as const);

  test.each(logos)('logo of %s is a small SVG with a title and without scripts or external references', (name, uri) => {
    expect(uri.length).toBeLessThan(1024);
    expect(image(uri)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 64 64">\n/);
    expect(image(uri)).toMatch(`<title>${name}</title>`);
    expect(image(uri)).not.toMatch(/script|href|style|url\(|\bon\w+=|foreignObject/i);
  });

  test('each embedded token has its own logo, and no logo file is unused', () => {
    expect(new Set(logos.map(([, uri]) => uri)).size).toBe(tokens.length);
    expect(readdirSync(new URL('../../../../devnet/assets/logos', import.meta.url))).toHaveLength(tokens.length);
  });
});
