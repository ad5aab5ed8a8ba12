import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MAX_FILES = 16;
/** Such a replacement reaches all tests that share their modules. */
const REPLACES_GLOBALS = /useFakeTimers|unstable_mockModule|jest\.spyOn/;

/**
 * Writes files of which each imports up to 16 files of tests of a folder. Returns their paths, and those of the files that replace timers,
 * modules or functions: they share no modules. Jest loads all modules again for each file that it runs.
 */
export function groupTests(folder) {
  const tests = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.test.ts'));
  const paths = tests.sort().map((path) => resolve(folder, path));
  const alone = paths.filter((path) => REPLACES_GLOBALS.test(readFileSync(path, 'utf8')));
  const together = paths.filter((path) => !alone.includes(path));
  const directory = resolve('coverage/test-groups', folder);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const support = resolve('test/support/import-tests.ts');
  const count = Math.ceil(together.length / MAX_FILES);
  const groups = Array.from({ length: count }, (_none, group) => {
    const file = join(directory, `${group}.test.ts`);
    const imported = together.filter((_path, index) => index % count === group);
    writeFileSync(file, `import { importTests } from '${support}';\nawait importTests(${JSON.stringify(imported, null, 2)});\n`);
    return file;
  });
  return [...groups, ...alone];
}
