/**
 * `npm start`: builds what has changed since the last build, starts the server in this process, and builds the
 * pages and the packages in processes of low priority once the server is ready. JavaScript, because a loader
 * of TypeScript would stay in the process of the server.
 */
import { execFile } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Inputs of every build; npm writes the second one when it installs packages. */
const COMMON = ['package.json', 'node_modules/.package-lock.json', 'scripts/bundled-licenses.ts'];
/** The site is built beside the served one, which it replaces at once. */
const NEW_DOCS = 'node_modules/.cache/docs';

/** A build: `output` is a file that it writes, `inputs` are files and folders. */
const vite = (...args) => [process.execPath, 'node_modules/vite/bin/vite.js', 'build', ...args];
const BEFORE = [
  {
    name: 'server',
    output: 'dist/main.js',
    inputs: ['src', 'vite.server.config.ts'],
    command: vite('--config', 'vite.server.config.ts'),
  },
  {
    name: 'embedded network',
    output: 'devnet/dist/index.js',
    inputs: ['devnet/src', 'devnet/vite.config.ts', 'devnet/package.json'],
    command: vite('devnet'),
  },
];
const AFTER = [
  {
    name: 'playground',
    output: 'dist/playground/index.html',
    inputs: ['playground', 'examples', 'clients/js/src', 'devnet/src/description.ts'],
    command: vite('--config', 'playground/vite.config.ts'),
  },
  {
    name: 'explorer',
    output: 'dist/explorer/index.html',
    inputs: ['explorer', 'playground', 'clients/js/src'],
    command: vite('--config', 'explorer/vite.config.ts'),
  },
  {
    name: 'package of the client',
    output: 'dist/grimoire-client.tgz',
    inputs: ['clients/js/src', 'clients/js/package.json', 'clients/js/tsconfig.json'],
    command: ['npm', 'run', '--silent', 'build:client'],
  },
  {
    name: 'documentation',
    output: 'dist/docs/index.html',
    inputs: ['docs', 'schema/graph.graphql', 'scripts/docs-pages.ts'],
    command: [process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--outDir', NEW_DOCS],
    finish() {
      rmSync('dist/docs', { recursive: true, force: true });
      renameSync(NEW_DOCS, 'dist/docs');
    },
  },
  {
    name: 'package of the embedded network',
    output: 'dist/grimoire-devnet.tgz',
    inputs: ['devnet/src', 'devnet/package.json', 'devnet/assets', 'devnet/contracts'],
    command: ['npm', 'run', '--silent', 'build:devnet'],
  },
];

/** The time of the last change of a file below a path. The times of folders do not count: VitePress writes temporary files. */
function lastChange(path) {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const below = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
  return Math.max(0, ...below.map((name) => lastChange(join(path, name))));
}

const hasChanged = ({ output, inputs }) =>
  !existsSync(output) || [...COMMON, ...inputs].some((path) => lastChange(path) >= statSync(output).mtimeMs);

/** Runs a build and prints its seconds. Rejects with its output if it fails, and with `signal` if it is interrupted. */
async function build({ name, output, command: [file, ...args], finish }, priority = constants.priority.PRIORITY_NORMAL) {
  const startedAt = new Date();
  await new Promise((resolve, reject) => {
    const child = execFile(file, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      error
        ? reject(Object.assign(error, { message: `The build of the ${name} has failed.\n${stdout}${stderr}` }))
        : resolve(undefined),
    );
    setPriority(child.pid, priority);
    process.once('exit', () => child.kill());
  });
  finish?.();
  // A change during the build is a change after it.
  utimesSync(output, startedAt, startedAt);
  console.log(`  ${name} built in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s`);
}

const namesOf = (builds) => builds.map(({ name }) => name).join(', ');

/** Ends the process with the output of the failed build. */
function fail({ message }) {
  console.error(message);
  process.exit(1);
}

process.chdir(ROOT);
const changed = BEFORE.filter(hasChanged);
if (changed.length > 0) console.log(`building: ${namesOf(changed)}`);
await Promise.all(changed.map((step) => build(step))).catch(fail);

subscribe('grimoire:ready', async () => {
  const changed = AFTER.filter(hasChanged);
  if (changed.length > 0) console.log(`building: ${namesOf(changed)}`);
  for (const step of changed) {
    await build(step, constants.priority.PRIORITY_BELOW_NORMAL).catch(({ signal, message }) => signal || console.error(message));
  }
});
// The folders of the pages exist before the server registers them.
for (const site of ['playground', 'explorer', 'docs']) mkdirSync(`dist/${site}/assets`, { recursive: true });
process.argv[1] = 'dist/main.js';
await import('../dist/main.js');
