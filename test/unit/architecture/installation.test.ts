import { expect, test } from '@jest/globals';
import { INSTALLATION, installations, nameInstallation, USER_PAGES } from '../../../scripts/installation.ts';
import { listFiles, readSource } from './source-files.ts';

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
