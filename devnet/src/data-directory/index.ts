import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DevnetError } from '../devnet-error.ts';
import { INCOMPLETE_SUFFIX, writeFileAtomically } from './atomic-file.ts';
import { acquireLock, STALE_LOCK_MS } from './lock.ts';
import { type ChainDumps, FORMAT_VERSION, type SavedNetwork } from './saved-network.ts';

export type { ChainDumps, SavedNetwork } from './saved-network.ts';

/** The directory of a network whose chain and database survive restarts. */
export interface DataDirectory {
  /** Absolute. */
  readonly path: string;
  /** The network at the start of this process; undefined for a new network. */
  readonly saved: { readonly network: SavedNetwork; readonly dumps: ChainDumps } | undefined;
  /** Directory of the database, which may not exist. */
  readonly databasePath: string;
  /**
   * Replaces the saved network atomically, even if the process is killed. A call without states of the history leaves
   * the states of the previous call in place. Rejects if the files cannot be written, or if another process uses the
   * directory now. The calls must not overlap.
   */
  save(network: SavedNetwork, dumps: Pick<ChainDumps, 'chain'> & Partial<ChainDumps>): Promise<void>;
  /** Lets other processes use the directory. May be called twice. */
  release(): void;
}

/** The file that is replaced last. It names the other files, so that all files always belong to one save. */
interface Manifest extends SavedNetwork {
  readonly version: number;
  readonly chainFile: string;
  readonly historyFile: string;
}

const MANIFEST = 'network.json';
const DUMP_NAME = /^(?:chain|history)-.*\.json\.gz$/;

/**
 * Locks a directory, which is created if it does not exist, and reads its network. Throws BAD_USER_INPUT if it cannot be used: it is not
 * writable, another process uses it, its network has another seed, or its files cannot be read.
 */
export function acquireDataDirectory(path: string, seed: number): DataDirectory {
  const root = resolve(path);
  const lock = createAndLock(root);
  if (typeof lock === 'number') {
    const message = `The directory ${root} is in use by process ${lock}. Stop that process, or set DATA_DIR to another directory.`;
    throw invalid(`${message} If that process has ended, start again after ${STALE_LOCK_MS / 1000} seconds.`);
  }
  try {
    let manifest = readManifest(root, seed);
    const saved = manifest && { network: manifest, dumps: readDumps(root, manifest) };
    removeUnusedFiles(root, manifest);
    return {
      path: root,
      saved,
      databasePath: join(root, 'postgres'),
      async save(network, { chain, historyStates }) {
        // Checks the lock again after the dumps, because this process may have been suspended.
        const checkLock = () => {
          if (!lock.isHeld()) throw new Error(`The lock of the directory ${root} was removed, or another process uses it.`);
        };
        checkLock();
        const names = { chainFile: dumpName('chain'), historyFile: historyStates ? dumpName('history') : manifest!.historyFile };
        const next: Manifest = { ...network, version: FORMAT_VERSION, ...names };
        try {
          await writeFileAtomically(join(root, next.chainFile), chain);
          if (historyStates) await writeFileAtomically(join(root, next.historyFile), historyStates);
          checkLock();
          await writeFileAtomically(join(root, MANIFEST), JSON.stringify(next));
          manifest = next;
        } finally {
          // Removes the files of the previous save, or the files of this save if it has failed: the disk may be full.
          if (lock.isHeld()) removeUnusedFiles(root, manifest);
        }
      },
      release: lock.release,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const invalid = (message: string, cause?: unknown): DevnetError => new DevnetError('BAD_USER_INPUT', message, { cause });

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

function createAndLock(root: string): ReturnType<typeof acquireLock> {
  try {
    mkdirSync(root, { recursive: true });
    return acquireLock(join(root, 'lock'));
  } catch (cause) {
    const message = `The embedded network cannot write to the directory ${root} (${codeOf(cause)}).`;
    throw invalid(`${message} Set DATA_DIR to a directory that it can write to.`, cause);
  }
}

/** Returns undefined if no network has been saved. */
function readManifest(root: string, seed: number): Manifest | undefined {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(root, MANIFEST), 'utf8')) as Manifest;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(root, error);
  }
  if (manifest.version !== FORMAT_VERSION)
    throw unreadable(root, new Error(`format ${manifest.version} instead of ${FORMAT_VERSION}`));
  if (manifest.seed === seed) return manifest;
  const message = `The network in the directory ${root} has the seed ${manifest.seed}, and DEVNET_SEED is ${seed}.`;
  throw invalid(`${message} Set DEVNET_SEED to ${manifest.seed}, or DATA_DIR to another directory.`);
}

function readDumps(root: string, { chainFile, historyFile }: Manifest): ChainDumps {
  try {
    return { chain: readFileSync(join(root, chainFile)), historyStates: readFileSync(join(root, historyFile)) };
  } catch (error) {
    throw unreadable(root, error);
  }
}

/** The error for a network that cannot be restored. */
export const unreadable = (root: string, cause: unknown): DevnetError =>
  invalid(
    `The network in the directory ${root} cannot be restored (${codeOf(cause)}). Remove the directory to start a new one, or set DATA_DIR to another.`,
    cause,
  );

const dumpName = (kind: 'chain' | 'history'): string => `${kind}-${randomUUID()}.json.gz`;

/** Removes the files of earlier saves and of interrupted saves. */
function removeUnusedFiles(root: string, manifest: Manifest | undefined): void {
  for (const name of readdirSync(root)) {
    const isUnused = DUMP_NAME.test(name) && name !== manifest?.chainFile && name !== manifest?.historyFile;
    if (isUnused || name.endsWith(INCOMPLETE_SUFFIX)) rmSync(join(root, name), { force: true });
  }
}
