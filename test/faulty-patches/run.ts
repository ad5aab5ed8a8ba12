/**
 * Applies each faulty patch of patches.json to a copy of the repository and runs the unit tests, then the API tests, that import the
 * changed file: compares the detection of faults before and after a change of the tests. A patch names its code by its text.
 *
 *     npx tsx test/faulty-patches/run.ts [first] [last]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createPatchedCopy, type FaultyPatch } from '../support/patched-copy.ts';

const patches: (FaultyPatch & { readonly area: string })[] = JSON.parse(
  readFileSync(new URL('patches.json', import.meta.url), 'utf8'),
);
const [first = 1, last = patches.length] = process.argv.slice(2).map(Number);
const copy = createPatchedCopy();

/** A run that takes longer has detected the patch: some patches make operations wait for ever. */
const MAX_RUN_MS = 300_000;

const JEST = [
  '--experimental-vm-modules',
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
  '--maxWorkers=2',
  '--bail=1',
  '--forceExit',
];

/** Returns the first test file that fails, or undefined. */
async function failingTest(file: string): Promise<string | undefined> {
  for (const project of ['unit', 'api']) {
    const args = [...JEST, '--selectProjects', project, '--passWithNoTests', '--findRelatedTests', file];
    // In a separate process group, so that the workers of jest end with it.
    const run = spawn(process.execPath, args, { cwd: copy.folder, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    const timer = setTimeout(() => process.kill(-run.pid!, 'SIGKILL'), MAX_RUN_MS);
    let output = '';
    run.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [status] = await once(run, 'close');
    clearTimeout(timer);
    if (status !== 0) return /^FAIL \w+ (\S+)/m.exec(output)?.[1] ?? 'a run without a result';
  }
  return undefined;
}

const counts = { detected: 0, undetected: 0, 'not applicable': 0 };
function report(outcome: keyof typeof counts, number: number, details: string): void {
  counts[outcome]++;
  process.stdout.write(`${number} ${outcome}: ${details}\n`);
}

try {
  for (const [index, patch] of patches.entries()) {
    const number = index + 1;
    if (number < first || number > last) continue;
    const matching = copy.filesOf(patch);
    const [file] = matching;
    if (!file || matching.length > 1) {
      report('not applicable', number, `${patch.area}: ${matching.length} files contain ${patch.find}`);
      continue;
    }
    const restore = copy.apply(file, patch);
    const failing = await failingTest(file);
    if (failing) report('detected', number, `${file} by ${failing}`);
    else report('undetected', number, `${file}: ${patch.replace}`);
    restore();
  }
} finally {
  copy.remove();
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
