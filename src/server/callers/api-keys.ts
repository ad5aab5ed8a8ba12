import { createHash, timingSafeEqual } from 'node:crypto';
import { GraphError } from '../../lib/errors.ts';

const APP_NAME = /^[\w.-]{1,64}$/;
/** A text that an HTTP header can contain, long enough not to be guessed. */
const KEY = /^[!-~]{16,}$/;
const HASH_PREFIX = 'sha256:';
const HASH = /^[0-9a-f]{64}$/i;

const ACCEPTED = 'Write app=key or app=sha256:<64 hex digits>; a key has at least 16 visible ASCII characters.';

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The digest of an unset variable in a script that hashes keys; it would accept an empty header. */
const EMPTY_KEY_DIGEST = digestOf('');

/** The applications that may send requests, by the SHA-256 digests of their keys. */
export type ApiKeys = ReturnType<typeof parseApiKeys>;

/**
 * Parses the entries of API_KEYS: `app=key`, or `app=sha256:<hash>` with the SHA-256 hash of the key. An application may have several
 * keys. Throws BAD_USER_INPUT for a malformed entry and for a key that occurs twice.
 */
export function parseApiKeys(entries: readonly string[]) {
  const keys = entries.map((entry, index) => parseEntry(entry, index + 1));
  for (const [index, { digest }] of keys.entries()) {
    const first = keys.findIndex((key) => key.digest.equals(digest));
    if (first < index) throw invalidEntry(index + 1, `has the key of entry ${first + 1}. Give each entry a different key.`);
  }
  return {
    /** The names of the applications. */
    apps: new Set(keys.map(({ app }) => app)) as ReadonlySet<string>,
    /**
     * Returns the name of the application with this key; undefined if there is none. Takes equal time for all keys of
     * one length.
     */
    appOf(key: string): string | undefined {
      const digest = digestOf(key);
      let app: string | undefined;
      for (const entry of keys) if (timingSafeEqual(entry.digest, digest)) app = entry.app;
      return app;
    },
  };
}

function parseEntry(entry: string, position: number): { readonly app: string; readonly digest: Buffer } {
  const separator = entry.indexOf('=');
  const app = entry.slice(0, Math.max(0, separator));
  const key = entry.slice(separator + 1);
  if (!APP_NAME.test(app)) {
    throw invalidEntry(position, `has no valid name of an application: 1 to 64 letters, digits, ".", "_" or "-". ${ACCEPTED}`);
  }
  if (!key.startsWith(HASH_PREFIX)) {
    if (!KEY.test(key)) throw invalidEntry(position, `has no valid key. ${ACCEPTED}`);
    return { app, digest: digestOf(key) };
  }
  const hash = key.slice(HASH_PREFIX.length);
  if (!HASH.test(hash)) throw invalidEntry(position, `has no valid SHA-256 hash. ${ACCEPTED}`);
  const digest = Buffer.from(hash, 'hex');
  if (digest.equals(EMPTY_KEY_DIGEST)) throw invalidEntry(position, `has the hash of an empty key. ${ACCEPTED}`);
  return { app, digest };
}

/** Names the entry by its position, because a malformed entry may have the key in place of the application's name. */
const invalidEntry = (position: number, problem: string): Error =>
  new GraphError('BAD_USER_INPUT', `Entry ${position} of API_KEYS ${problem}`);
