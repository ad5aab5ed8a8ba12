import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of the name of a file that is being written. */
export const INCOMPLETE_SUFFIX = '.incomplete';

/**
 * Writes or replaces a file so that the file has the old or the new content, even after a crash of the operating
 * system.
 */
export async function writeFileAtomically(path: string, data: string | Uint8Array): Promise<void> {
  const incomplete = path + INCOMPLETE_SUFFIX;
  try {
    await withFile(incomplete, 'w', async (file) => {
      await file.writeFile(data);
      await file.sync();
    });
    await rename(incomplete, path);
  } catch (error) {
    await rm(incomplete, { force: true });
    throw error;
  }
  // Windows cannot open directories.
  if (process.platform !== 'win32') await withFile(dirname(path), 'r', (directory) => directory.sync());
}

async function withFile(path: string, flags: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
