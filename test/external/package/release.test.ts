import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { copyRepository, runOutside } from '../../support/package/installed.ts';

const MINUTE = 60_000;
const GIT = 'git -c user.name=Tester -c user.email=tester@example.org';

let folder: string;
let clone: string;
let version: string;

/** A file of a packed package. */
const packedFile = (file: string, path: string): Promise<string> =>
  runOutside(clone, `tar -xzOf release/${file} package/${path}`);

/** The paths in a packed file. */
const packedPaths = async (file: string): Promise<string[]> => (await runOutside(clone, `tar -tzf release/${file}`)).split('\n');

beforeAll(async () => {
  folder = createTemporaryFolder();
  clone = join(folder, 'grimoire');
  copyRepository(clone);
  writeFileSync(join(clone, '.changeset/of-the-test.md'), '---\n"grimoire": minor\n---\n\nA change of the test.\n');
  await runOutside(folder, 'git init --quiet --bare --initial-branch main published.git');
  // The packages of this repository, whose links lead to the workspaces of the clone: an installation takes a minute.
  await runOutside(folder, `cp --archive --link ${fileURLToPath(new URL('../../../node_modules', import.meta.url))} ${clone}`);
  await runOutside(
    clone,
    `git init --quiet --initial-branch main && git config user.name Tester && git config user.email t@example.org
git add --all && git commit --quiet --message Start && git remote add origin ../published.git && git push --quiet origin main
npm run release && git push --quiet --follow-tags origin main`,
  );
  version = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).version;
}, 20 * MINUTE);

test('a release pushes one commit and its tag, in which no changeset is left', async () => {
  const published = (command: string): Promise<string> => runOutside(join(folder, 'published.git'), `${GIT} ${command}`);
  expect(await published('log --format=%s')).toBe(`chore: release ${version}\nStart\n`);
  expect(await published('rev-parse main')).toBe(await published(`rev-parse v${version}^{commit}`));
  expect(await published(`ls-tree --name-only v${version} .changeset/`)).toBe(
    '.changeset/changelog.cjs\n.changeset/config.json\n',
  );
  const files = Promise.all(
    ['package.json', 'devnet/package.json', 'package-lock.json'].map(async (path) => published(`show v${version}:${path}`)),
  );
  expect((await files).map((text) => JSON.parse(text).version)).toEqual([version, version, version]);
  expect(await published(`show v${version}:schema/released.graphql`)).toBe(await published(`show main:schema/graph.graphql`));
});

test('a release writes the packed packages, the source maps and the notes', async () => {
  const files = readdirSync(join(clone, 'release')).sort();
  expect(files).toEqual([
    expect.stringMatching(/^grimoire-\d/),
    expect.stringMatching(/^grimoire-client-\d/),
    expect.stringMatching(/^grimoire-devnet-\d/),
    expect.stringMatching(/^grimoire-source-maps-\d/),
    'notes.md',
  ]);
  const notes = readFileSync(join(clone, 'release/notes.md'), 'utf8');
  expect(notes).toMatch(new RegExp(`^## ${version}\\n`));
  expect(notes).toContain('A change of the test.');
  expect(notes.match(/^## /gm)).toHaveLength(1);
});

test('the packed server has no dependency, no source map and the version of the release', async () => {
  const server = `grimoire-${version}.tgz`;
  const description = JSON.parse(await packedFile(server, 'package.json'));
  expect(description).toMatchObject({ name: 'grimoire', version, bin: { grimoire: 'dist/main.js' } });
  expect(Object.keys(description)).not.toContainEqual(expect.stringMatching(/dependencies|scripts/i));
  const paths = await packedPaths(server);
  expect(paths).toEqual(
    expect.arrayContaining(['package/dist/main.js', 'package/dist/licenses.txt', 'package/schema/graph.graphql']),
  );
  expect(paths.filter((path) => path.endsWith('.map'))).toEqual([]);
  expect(await packedPaths(`grimoire-source-maps-${version}.tgz`)).toContain('dist/main.js.map');
});

test('a release of a working tree with changes fails', async () => {
  writeFileSync(join(clone, 'README.md'), 'changed');
  await expect(runOutside(clone, 'npm run release')).rejects.toThrow('the working tree has changes');
});
