import { readFileSync } from 'node:fs';

/** The folder of package.json. The path is valid in `src`, and in `dist`, where the bundle has no subfolders. */
export const PACKAGE_ROOT = new URL('../', import.meta.url);

/** The version in package.json. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as { version: string };
