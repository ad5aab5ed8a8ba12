/**
 * Makes a release of the changesets: the version, the changelog, a commit, its tag, and in `release/` the packed packages, the source
 * maps of the server and the notes. Pushes nothing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const run = (command: string, ...args: string[]): void => void execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' });
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

if (execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }) !== '')
  throw new Error('the working tree has changes. Commit them before a release.');

const versionBefore = versionOf();
run('npm', 'run', 'changelog');
const version = versionOf();
if (version === versionBefore) throw new Error('no changeset raises the version. Add one with "npx changeset".');

const notes = read('CHANGELOG.md')
  .split(/^(?=## )/m)
  .find((section) => section.startsWith(`## ${version}\n`));
if (!notes) throw new Error(`CHANGELOG.md has no section for ${version}`);

// Builds before the commit, so that a failed build leaves no tag.
rmSync(`${ROOT}release`, { recursive: true, force: true });
run('npm', 'run', 'pack', '--', 'release');
for (const workspace of ['@grimoire/client', '@grimoire/devnet'])
  run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', 'release', '--workspace', workspace);
writeFileSync(`${ROOT}release/notes.md`, notes);

run('git', 'add', '--all');
run('git', 'commit', '--quiet', '--message', `chore: release ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
process.stdout.write(`release/ contains ${version}. Publish the commit and its tag with "git push --follow-tags".\n`);

function versionOf(): string {
  return (JSON.parse(read('package.json')) as { version: string }).version;
}
