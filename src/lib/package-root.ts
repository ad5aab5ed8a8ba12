import { existsSync, readFileSync } from 'node:fs';

/** The folder of package.json: the nearest one above this file, in `src`, in `dist` and in the compiled benchmark. */
export const PACKAGE_ROOT = findPackageRoot();

/** The version in package.json. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as { version: string };

function findPackageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}
