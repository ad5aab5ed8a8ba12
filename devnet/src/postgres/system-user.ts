import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DevnetError } from '../devnet-error.ts';

/** The user of the operating system that a process runs as. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The ids of `nobody` on most systems. */
const DEFAULT_NOBODY: SystemUser = { uid: 65_534, gid: 65_534 };
const READ_AND_EXECUTE = 0o5;
const EXECUTE = 0o1;

/**
 * The user that PostgreSQL runs as, which refuses to run as root: the owner of its data, or `nobody` if there is none. Undefined unless
 * this process runs as root.
 */
export function postgresUser(data: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return statSync(data, { throwIfNoEntry: false }) ?? nobody();
}

/** Rejects a path that the user cannot reach, because PostgreSQL does not name the directory that is closed. */
export function checkReachable(path: string, user: SystemUser | undefined): void {
  if (user === undefined) return;
  let needed = READ_AND_EXECUTE;
  for (let current = realpathSync(path); ; current = dirname(current)) {
    const { uid, gid, mode } = statSync(current);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & needed) !== needed) {
      const message = `As root, the embedded database runs as user ${user.uid}, which cannot enter ${current}.`;
      const accepted = 'Start the server as a user that is not root, set DATABASE_URL, or open the directory to others.';
      throw new DevnetError('BAD_USER_INPUT', `${message} ${accepted}`);
    }
    needed = EXECUTE;
    if (current === dirname(current)) return;
  }
}

function nobody(): SystemUser {
  try {
    const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
    return uid === undefined ? DEFAULT_NOBODY : { uid: Number(uid), gid: Number(gid) };
  } catch {
    return DEFAULT_NOBODY;
  }
}
