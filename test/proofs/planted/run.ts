/**
 * Applies each planted fault of patches.json to a copy of the repository, and prints the first seed of the simulation that finds it. Exits with
 * status 1 if no seed finds one of them.
 *
 *     npx tsx test/proofs/planted/run.ts [first] [last]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createPatchedCopy, type FaultyPatch } from './patched-copy.ts';

const MAX_SEEDS = 2_000;
const MAX_LINE_CHARS = 220;

const patches: (FaultyPatch & { readonly fault: string })[] = JSON.parse(
  readFileSync(new URL('patches.json', import.meta.url), 'utf8'),
);
const [first = 1, last = patches.length] = process.argv.slice(2).map(Number);
const simulation = `run simulate -- --seed 1 --seeds ${MAX_SEEDS} --bail --kills --webhooks`.split(' ');
const copy = createPatchedCopy();
let missed = 0;
try {
  for (const [index, patch] of patches.entries()) {
    const number = index + 1;
    if (number < first || number > last) continue;
    const matching = copy.filesOf(patch);
    const [file] = matching;
    if (!file || matching.length > 1) throw new Error(`patch ${number} applies to ${matching.length} files: ${patch.find}`);
    const restore = copy.apply(file, patch);
    const { stdout } = spawnSync('npm', simulation, { cwd: copy.folder, encoding: 'utf8' });
    const [, seed, reason = ''] = /^seed (\d+) failed after \d+ ms: (.*)$/m.exec(stdout) ?? [];
    if (seed === undefined) missed += 1;
    const line = `${number} ${seed === undefined ? 'not found' : `seed ${seed}`}: ${patch.fault}: ${reason}`;
    process.stdout.write(`${line.slice(0, MAX_LINE_CHARS)}\n`);
    restore();
  }
} finally {
  copy.remove();
}
process.exit(missed > 0 ? 1 : 0);
