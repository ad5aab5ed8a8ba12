/**
 * Packs the built server for an installation without a clone: `grimoire-<version>.tgz` has a package.json without dependencies, because
 * the bundle contains them. Its source maps are a file beside it.
 *
 *     npx tsx scripts/pack.ts [folder]
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The fields of package.json that describe the work in a clone. */
const CLONE_FIELDS = [
  'private',
  'workspaces',
  'files',
  'scripts',
  'dependencies',
  'devDependencies',
  'overrides',
  'allowScripts',
];

const destination = resolve(process.argv[2] ?? ROOT);
const description = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
for (const field of CLONE_FIELDS) delete description[field];
mkdirSync(destination, { recursive: true });

const folder = mkdtempSync(join(tmpdir(), 'grimoire-pack-'));
try {
  const npm = (args: string[], cwd: string): string => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  const [listed] = JSON.parse(npm(['pack', '--json', '--dry-run', '--ignore-scripts', '--silent'], ROOT)) as [
    { files: { path: string }[] },
  ];
  for (const { path } of listed.files) cpSync(join(ROOT, path), join(folder, path));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
  npm(['pack', '--silent', '--dry-run=false', '--ignore-scripts', '--pack-destination', destination], folder);
} finally {
  rmSync(folder, { recursive: true });
}

const maps = readdirSync(join(ROOT, 'dist')).filter((file) => file.endsWith('.js.map'));
execFileSync('tar', [
  '-czf',
  join(destination, `grimoire-source-maps-${description.version}.tgz`),
  '-C',
  ROOT,
  ...maps.map((file) => `dist/${file}`),
]);
