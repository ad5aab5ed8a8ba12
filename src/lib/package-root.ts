import { existsSync, readFileSync } from 'node:fs';

/** The folder of package.json: the nearest one above this file, in `src`, in `dist` and in the compiled benchmark. */
export const PACKAGE_ROOT = findPackageRoot(import.meta.url);

/** The version in package.json. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as { version: string };

/** Returns the nearest folder with a package.json above a file. Throws if there is none, as when `dist` was copied alone. */
export function findPackageRoot(file: string): URL {
  let folder = new URL('./', file);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href)
      throw new Error(`No package.json above ${file}; keep the package.json of Grimoire beside dist.`);
    folder = parent;
  }
  return folder;
}
