/** The folder of package.json. The path is valid in `src`, and in `dist`, where the bundle has no subfolders. */
export const PACKAGE_ROOT = new URL('../', import.meta.url);
