import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DevnetError } from '../devnet-error.ts';
import { linkLibraries, POSTGRES_INSTALL_HINT, type PostgresBinaries } from './binaries.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';
import { checkReachable, postgresUser, type SystemUser } from './system-user.ts';

/** The name of the superuser, which owns every database. */
export const POSTGRES_USER = 'grimoire';

/** The files of a PostgreSQL server that is ready to be started. */
export interface PostgresCluster {
  readonly data: string;
  readonly password: string;
  /** Options with which programs that use the files are started. */
  readonly options: ProgramOptions;
}

export interface ClusterOptions {
  /** Directory of all files, created if it does not exist. */
  readonly directory: string;
  /** Whether the files survive a crash of the operating system. */
  readonly isDurable: boolean;
  readonly binaries: PostgresBinaries;
  /** Called with each program that is started. */
  readonly onStart: (program: Program) => void;
}

/** Creates the files of a server, unless the directory has them: `data`, `password`, and `lib` if libraries lack links. */
export async function prepareCluster({ directory, isDurable, binaries, onStart }: ClusterOptions): Promise<PostgresCluster> {
  mkdirSync(dirname(directory), { recursive: true });
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  // The command line of a running server has this path, see `removeStaleLock`.
  const root = realpathSync(directory);
  const data = join(root, 'data');
  const user = postgresUser(data);
  chown(root, user);
  for (const path of [root, binaries.initdb, binaries.postgres, binaries.libraries]) checkReachable(path, user);
  const libraries = join(root, 'lib');
  const environment = { ...linkLibraries(binaries, libraries), TZ: 'UTC' };
  if (existsSync(libraries)) chown(libraries, user);
  const options = { directory: root, environment, user };
  const passwordFile = join(root, 'password');
  const password = existsSync(data) ? readFileSync(passwordFile, 'utf8') : writePassword(passwordFile, user);
  if (existsSync(data)) removeStaleLock(data);
  else {
    // Renamed once it is complete: this process may be killed before.
    const incomplete = join(root, 'incomplete');
    rmSync(incomplete, { recursive: true, force: true });
    const args = ['-D', incomplete, '-U', POSTGRES_USER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    args.push('--encoding=UTF8', '--locale=C', '--no-instructions', ...(isDurable ? [] : ['--no-sync']));
    const initdb = startProgram(binaries.initdb, args, options);
    onStart(initdb);
    const failure = await initdb.ended;
    if (failure !== undefined) throw startError(failure);
    renameSync(incomplete, data);
  }
  return { data, password, options };
}

export const startError = (reason: string, cause?: unknown): DevnetError =>
  new DevnetError('UPSTREAM_UNAVAILABLE', `The embedded database did not start: ${reason}. ${POSTGRES_INSTALL_HINT}`, { cause });

/** Writes a new password, also when a start that ended before `data` was complete has left a file. */
function writePassword(path: string, user: SystemUser | undefined): string {
  const password = randomBytes(24).toString('hex');
  rmSync(path, { force: true });
  writeFileSync(path, password, { mode: 0o600 });
  chown(path, user);
  return password;
}

/**
 * Removes the lock of a server that was killed, if its pid belongs to another program now, which is usual after the restart of a
 * container. PostgreSQL itself detects a pid that is unused, and memory that another server of these files uses.
 */
function removeStaleLock(data: string): void {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const commandLine = `/proc/${Number.parseInt(readFileSync(lock, 'utf8'), 10)}/cmdline`;
  if (existsSync(commandLine) && !readFileSync(commandLine, 'utf8').includes(data)) rmSync(lock);
}

function chown(path: string, user: SystemUser | undefined): void {
  if (user) chownSync(path, user.uid, user.gid);
}
