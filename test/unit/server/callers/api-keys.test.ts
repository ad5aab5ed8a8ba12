import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../../../src/server/callers/api-keys.ts';

const KEY = 'Kx7/qPz+0vT-n3Lw4u==';
const OTHER_KEY = 'b2Yd9~Rs!gHj5mNc';
const HASH = hashOf(KEY);

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const errorOf = (entries: readonly string[]): Error => {
  try {
    parseApiKeys(entries);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`accepted ${inspect(entries)}`);
};

test.each<[name: string, entries: readonly string[], key: string, app: string | undefined]>([
  ['a plain key', [`wallet=${KEY}`], KEY, 'wallet'],
  ['a key by its hash', [`wallet=sha256:${HASH}`], KEY, 'wallet'],
  ['a key by its hash in capitals', [`wallet=sha256:${HASH.toUpperCase()}`], KEY, 'wallet'],
  ['the hash itself, sent as a key', [`wallet=sha256:${HASH}`], HASH, undefined],
  ['the entry of a hash, sent as a key', [`wallet=sha256:${HASH}`], `sha256:${HASH}`, undefined],
  ['the second key of an application', [`wallet=${KEY}`, `wallet=${OTHER_KEY}`], OTHER_KEY, 'wallet'],
  ['the first of several keys', [`wallet=${KEY}`, `games.v-2_x=${OTHER_KEY}`], KEY, 'wallet'],
  ['the last of several keys', [`wallet=${KEY}`, `games.v-2_x=${OTHER_KEY}`], OTHER_KEY, 'games.v-2_x'],
  ['a key of 16 characters', ['wallet=0123456789abcdef'], '0123456789abcdef', 'wallet'],
  ['an application of 64 characters', [`${'a'.repeat(64)}=${KEY}`], KEY, 'a'.repeat(64)],
  ['an unknown key', [`wallet=${KEY}`], OTHER_KEY, undefined],
  ['the start of a key', [`wallet=${KEY}`], KEY.slice(0, -1), undefined],
  ['a key with another case', [`wallet=${KEY}`], KEY.toLowerCase(), undefined],
  ['an entry, sent as a key', [`wallet=${KEY}`], `wallet=${KEY}`, undefined],
  ['an empty key', [`wallet=${KEY}`], '', undefined],
  ['a key of 100 kB', [`wallet=${KEY}`], KEY.repeat(5_000), undefined],
  ['any key without entries', [], KEY, undefined],
])('API keys: %s belongs to its application or to none', (_name, entries, key, app) => {
  expect(parseApiKeys(entries).appOf(key)).toBe(app);
});

test.each<[name: string, entries: readonly string[], message: RegExp]>([
  ['no name', [KEY.replaceAll('=', '')], /^Entry 1 of API_KEYS has no valid name/],
  ['no name but a padded key', [KEY], /^Entry 1 of API_KEYS has no valid name/],
  ['only a padded key of letters', ['Kx7qPz0vTn3Lw4uB2d=='], /^Entry 1 of API_KEYS has no valid key/],
  ['an empty name', [`=${KEY}`], /^Entry 1 of API_KEYS has no valid name/],
  ['a long name', [`${'a'.repeat(65)}=${KEY}`], /has no valid name/],
  ['a name with a space', [`my wallet=${KEY}`], /has no valid name/],
  ['a name with a line break', [`wallet\n=${KEY}`], /has no valid name/],
  ['an empty key', ['wallet='], /has no valid key/],
  ['a key of 15 characters', ['wallet=0123456789abcde'], /has no valid key/],
  ['a key with a space', [`wallet=${KEY} `], /has no valid key/],
  ['a key after a space', [`wallet= ${KEY}`], /has no valid key/],
  ['a key with a line break', [`wallet=${KEY}\n`], /has no valid key/],
  ['a key outside of ASCII', [`wallet=${KEY}é`], /has no valid key/],
  ['the key before the name', [`${OTHER_KEY.replace(/[~!]/g, '')}xyz=wallet`], /has no valid key/],
  ['a short hash', [`wallet=sha256:${HASH.slice(1)}`], /has no valid SHA-256 hash/],
  ['a long hash', [`wallet=sha256:${HASH}0`], /has no valid SHA-256 hash/],
  ['a key after the prefix of a hash', [`wallet=sha256:${KEY}`], /has no valid SHA-256 hash/],
  ['the hash of an empty key', [`wallet=sha256:${hashOf('')}`], /has the hash of an empty key/],
  ['a repeated entry', [`wallet=${KEY}`, `wallet=${KEY}`], /^Entry 2 of API_KEYS has the key of entry 1\./],
  ['a key of two applications', [`a=${OTHER_KEY}`, `b=${KEY}`, `c=${KEY}`], /^Entry 3 of API_KEYS has the key of entry 2\./],
  ['a key and its hash', [`wallet=${KEY}`, `games=sha256:${HASH}`], /^Entry 2 of API_KEYS has the key of entry 1\./],
])('API_KEYS rejects %s without its key', (_name, entries, message) => {
  const error = errorOf(entries);
  expect(error.message).toMatch(message);
  for (const secret of [KEY, OTHER_KEY, HASH, ...entries.map((entry) => entry.trim())]) {
    expect(inspect(error)).not.toContain(secret.slice(0, 15));
  }
});

test('the printed form of API keys contains no key', () => {
  const printed = inspect(parseApiKeys([`wallet=${KEY}`, `games=sha256:${hashOf(OTHER_KEY)}`]), { depth: 9, showHidden: true });
  for (const secret of [KEY, HASH, hashOf(OTHER_KEY)]) expect(printed).not.toContain(secret.slice(0, 8));
});
