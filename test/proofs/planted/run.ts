/**
 * Applies each patch of patches.json, a fault that somebody could make, to a copy of the repository, and prints the first seed of the simulation that
 * finds it.
 *
 *     npx tsx test/proofs/planted/run.ts [first] [last]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_SEEDS = 2_000;

const patches: { readonly fault: string; readonly find: string; readonly replace: string }[] = JSON.parse(
  readFileSync(new URL('patches.json', import.meta.url), 'utf8'),
);
const [first = 1, last = patches.length] = process.argv.slice(2).map(Number);
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter(Boolean);
const folder = mkdtempSync(join(tmpdir(), 'grimoire-planted-'));
let missed = 0;
try {
  for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [index, { fault, find, replace }] of patches.entries()) {
    if (index + 1 < first || index + 1 > last) continue;
    const matching = files.filter((path) => /^src\/.*\.ts$/.test(path) && readFileSync(join(ROOT, path), 'utf8').includes(find));
    const [file] = matching;
    if (!file || matching.length > 1) throw new Error(`patch ${index + 1} applies to ${matching.length} files: ${find}`);
    writeFileSync(
      join(folder, file),
      readFileSync(join(ROOT, file), 'utf8').replace(find, () => replace),
    );
    const args = ['--import', 'tsx', 'test/simulation/simulate.ts', '--seed', '1', '--seeds', String(MAX_SEEDS), '--bail'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    const [, seed, reason] = /^seed (\d+) failed after \d+ ms: (.*)$/m.exec(stdout) ?? [];
    if (seed === undefined) missed += 1;
    process.stdout.write(
      `${index + 1} ${seed === undefined ? 'not found' : `seed ${seed}`}: ${fault}: ${reason ?? ''}\n`.slice(0, 220),
    );
    process.stdout.write('\n');
    cpSync(join(ROOT, file), join(folder, file));
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(missed > 0 ? 1 : 0);
