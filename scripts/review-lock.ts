/**
 * Reviews package-lock.json for `npm run audit`: fails when a package comes from another place than the registry, has no checksum, or
 * runs a script during its installation that `allowScripts` of package.json does not name.
 */
import { readFileSync } from 'node:fs';
import type { Lock } from './package-lock.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json') as Lock;
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };

const problems = Object.entries(packages).flatMap(([path, { resolved, integrity, link, hasInstallScript, optional }]) => {
  // The root and the workspaces are folders of the repository.
  if (link || !path.includes('node_modules/')) return [];
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return [
    ...(resolved === undefined ? [] : [`${path} comes from ${resolved}`]),
    // complete-lock.ts adds binaries of other platforms, which npm has not downloaded, without a checksum.
    ...(integrity || optional ? [] : [`${path} has no checksum`]),
    ...(hasInstallScript && !(name in allowScripts) ? [`${path} runs a script during its installation`] : []),
  ];
});
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exit(1);
