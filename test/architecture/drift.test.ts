import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { type Lock, missingOptionals } from '../../scripts/package-lock.ts';
import { errorCodes } from '../../src/errors.ts';

/** What is written in two places says the same in both. */
const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('generated files are what "npm run generate" writes', () => {
  const script = fileURLToPath(new URL('scripts/generate.ts', root));
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, '--check'], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  });
  expect(stderr.split('\n').filter((line) => line.startsWith('out of date'))).toEqual([]);
  expect(status).toBe(0);
});

test('docs/errors.md lists the codes that there are, each with its status, whether a retry may help, and its source', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (yes|no) \| (\w+) \| \S/gm)].map(
    ([, code, http, retry, source]) => [code, { http: Number(http), retryable: retry === 'yes', source }],
  );
  expect(rows).toEqual(Object.entries(errorCodes));
});

test('the lock file names no host, and has the binaries of every platform', () => {
  const lock = JSON.parse(read('package-lock.json')) as Lock;
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  expect(missingOptionals(lock)).toEqual([]);
});

test('the changelog has the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CHANGELOG.md')).toContain(`## ${version}`);
});
