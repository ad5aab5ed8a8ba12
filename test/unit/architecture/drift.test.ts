import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { decisionPages, docsFiles, docsGroups } from '../../../scripts/docs-pages.ts';
import { generate } from '../../../scripts/generate.ts';
import { type Lock, missingOptionals } from '../../../scripts/package-lock.ts';
import { domains } from '../../../src/app/installed-domains.ts';
import { errorCodes } from '../../../src/lib/errors.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('generated files are what "npm run generate" writes', () => {
  expect(generate(true)).toEqual([]);
});

test('docs/index.md lists each page of the documentation once', () => {
  const pages = docsGroups().flatMap((group) => group.pages);
  expect(pages.map(({ path }) => path).sort()).toEqual(docsFiles());
});

test('docs/decisions/README.md lists each decision with its title and a status', () => {
  const rows = [
    ...read('docs/decisions/README.md').matchAll(/^\| \[(\d+)\]\((\S+)\) \| (.+) \| (?:accepted|superseded by \d+)/gm),
  ];
  expect(rows.map(([, number, path, title]) => [`decisions/${path}`, `${number}. ${title}`])).toEqual(
    decisionPages().map(({ path, title }) => [path, title]),
  );
});

test('docs/errors.md lists every error code with its HTTP status, retryability and source', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (yes|no) \| (\w+) \| \S/gm)].map(
    ([, code, http, retry, source]) => [code, { http: Number(http), retryable: retry === 'yes', source }],
  );
  expect(rows).toEqual(Object.entries(errorCodes));
});

test('docs/errors.md names the error source of every domain', () => {
  const text = read('docs/errors.md');
  expect(domains.filter(({ errorSource }) => !text.includes(`\`${errorSource}\``))).toEqual([]);
});

test.each([
  'package-lock.json',
  'test/external/nodes/packages/package-lock.json',
  'test/external/routers/packages/package-lock.json',
])('%s contains no registry URL and the binaries of every platform', (path) => {
  const lock = JSON.parse(read(path)) as Lock;
  // A workspace is a link to its folder.
  expect(Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([]);
  expect(missingOptionals(lock)).toEqual([]);
});

test('CHANGELOG.md has a section for the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CHANGELOG.md')).toContain(`## ${version}`);
});
