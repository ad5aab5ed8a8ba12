/**
 * Completes package-lock.json after a change of dependencies. npm writes only this platform's optional packages, so that `npm ci` can
 * fail on other platforms. Adds the missing ones with the exact versions that their dependents name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Lock, missingOptionals, platformOf } from './package-lock.ts';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;

for (const { path, name, version, dev } of missingOptionals(lock)) {
  lock.packages[path] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
  process.stdout.write(`added ${name}@${version}\n`);
}

const packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
