import { expect, test } from '@jest/globals';
import { decisionPages, docsFiles, docsGroups } from '../../../scripts/docs-pages.ts';
import { generate } from '../../../scripts/generate.ts';
import { INSTALLATION, installations, nameInstallation, USER_PAGES } from '../../../scripts/installation.ts';
import { type Lock, missingOptionals } from '../../../scripts/package-lock.ts';
import { domains } from '../../../src/app/installed-domains.ts';
import { errorCodes } from '../../../src/lib/errors.ts';
import { listFiles, readSource } from './source-files.ts';

test('generated files are what "npm run generate" writes', () => {
  expect(generate(true)).toEqual([]);
});

test('docs/index.md lists each page of the documentation once', () => {
  const pages = docsGroups().flatMap((group) => group.pages);
  expect(pages.map(({ path }) => path).sort()).toEqual(docsFiles());
});

test('docs/decisions/README.md lists each decision with its title and a status', () => {
  const rows = [
    ...readSource('docs/decisions/README.md').matchAll(/^\| \[(\d+)\]\((\S+)\) \| (.+) \| (?:accepted|superseded by \d+)/gm),
  ];
  expect(rows.map(([, number, path, title]) => [`decisions/${path}`, `${number}. ${title}`])).toEqual(
    decisionPages().map(({ path, title }) => [path, title]),
  );
});

test('docs/errors.md lists every error code with its HTTP status, retryability and source', () => {
  const rows = [...readSource('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (yes|no) \| (\w+) \| \S/gm)].map(
    ([, code, http, retry, source]) => [code, { http: Number(http), retryable: retry === 'yes', source }],
  );
  expect(rows).toEqual(Object.entries(errorCodes));
});

test('docs/errors.md names the error source of every domain', () => {
  const text = readSource('docs/errors.md');
  expect(domains.filter(({ errorSource }) => !text.includes(`\`${errorSource}\``))).toEqual([]);
});

test.each([
  'package-lock.json',
  'test/external/nodes/packages/package-lock.json',
  'test/external/routers/packages/package-lock.json',
])('%s contains no registry URL and the binaries of every platform', (path) => {
  const lock = JSON.parse(readSource(path)) as Lock;
  // A workspace is a link to its folder.
  expect(Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([]);
  expect(missingOptionals(lock)).toEqual([]);
});

test('CHANGELOG.md has a section for the version of the package', () => {
  const { version } = JSON.parse(readSource('package.json')) as { version: string };
  expect(readSource('CHANGELOG.md')).toContain(`## ${version}`);
});

const { files, registry } = installations;

test('no page and no text of the program names a package of this repository as one of a registry that does not have it', () => {
  const folders = ['src/', 'playground/', 'explorer/', 'schema/', 'templates/', 'examples/', 'deploy/', '.changeset/'];
  const texts = folders.flatMap((folder) =>
    listFiles(folder, ['.ts', '.tsx', '.md', '.mjs', '.json', '.graphql', '.html', 'ml']),
  );
  const others = Object.values(installations).filter((installation) => installation !== INSTALLATION);
  const found = [...USER_PAGES, 'llms.txt', 'CHANGELOG.md', ...texts].flatMap((path) =>
    others.filter(({ command, client }) => [command, client].some((words) => readSource(path).includes(words))).map(() => path),
  );
  expect(found).toEqual([]);
});

test('one constant decides how the pages name the installation', () => {
  const pages = USER_PAGES.map(readSource);
  const published = pages.map((page) => nameInstallation(page, registry));
  expect(published.join()).not.toMatch(/node dist\/main\.js|npm install \S+grimoire-client/);
  expect(published.map((page) => nameInstallation(page, files))).toEqual(pages);
});

const { dependencies, devDependencies } = JSON.parse(readSource('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

const IMPORT = /(?:from|import|import\() *'((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g;
const imported = new Set(
  [...listFiles('src/', ['.ts']), ...listFiles('playground/', ['.ts', '.tsx']), ...listFiles('explorer/', ['.ts', '.tsx'])]
    .filter((path) => !path.endsWith('.config.ts') && path !== 'playground/gzipped.ts')
    .flatMap((path) => [...readSource(path).matchAll(IMPORT)].map(([, name]) => name!)),
);

test('each package that the server and its pages import is a dependency, and no other one is', () => {
  expect(Object.keys(dependencies).filter((name) => !imported.has(name))).toEqual([]);
  expect(Object.keys(devDependencies).filter((name) => imported.has(name))).toEqual([]);
  expect([...imported]).toEqual(expect.arrayContaining(['fastify', 'graphql', 'react']));
});
