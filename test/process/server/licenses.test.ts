import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** The licences of the packages that the built bundles contain. */
const DIST = new URL('../../../dist/', import.meta.url);
const licensesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, DIST)).flatMap((name) =>
    /^licenses.*\.txt$/.test(name) ? [readFileSync(new URL(folder + name, DIST), 'utf8')] : [],
  );
const namesOf = (text: string): string[] => [...text.matchAll(/^={3,} (\S+) \S+ \(.+\)$/gm)].map(([, name]) => name!);

test('the bundle of the server has the licence of each package in it', () => {
  const [text, ...others] = licensesIn('');
  expect(others).toEqual([]);
  const maps = readdirSync(DIST).filter((name) => name.endsWith('.js.map'));
  const sources = maps.flatMap(
    (name) => (JSON.parse(readFileSync(new URL(name, DIST), 'utf8')) as { sources: string[] }).sources,
  );
  const bundled = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
  expect(bundled.length).toBeGreaterThan(1000);
  expect([...new Set(bundled)].filter((name) => !namesOf(text!).includes(name))).toEqual([]);
  // A package under the Apache License that has a notice.
  expect(text).toMatch(/^={3,} typescript .+ \(Apache-2\.0\)\n[^=]+Apache License[^=]+THIRD[ -]PARTY/ims);
});

test.each([
  ['playground', ['react', 'graphiql', 'graphql', 'monaco-editor', 'graphql-language-service'], 'NOTICES AND INFORMATION'],
  ['explorer', ['react', 'react-dom', 'wouter'], 'Copyright (c) Meta Platforms'],
])('the bundle of the %s has the licences of its packages', (page, names, words) => {
  const texts = licensesIn(`${page}/assets/`);
  expect(texts.flatMap(namesOf)).toEqual(expect.arrayContaining(names));
  expect(texts.join()).toContain(words);
});

test('each licence is a text of the package, or the licence in its package.json', () => {
  for (const folder of ['', 'playground/assets/', 'explorer/assets/']) {
    const entries = licensesIn(folder).flatMap((text) => text.split(/^={3,} /m).slice(1));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => !/copyright|\(c\)|license/i.test(entry.slice(entry.indexOf('\n'))))).toEqual([]);
  }
});
