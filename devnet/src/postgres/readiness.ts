import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { POSTGRES_USER } from './cluster.ts';
import type { Program } from './program.ts';

const START_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 25;
const CONNECT_TIMEOUT_MS = 1_000;
/** The class of SQL states of a wrong user or password, which a retry cannot correct. */
const INVALID_AUTHORIZATION = /^28/;

export const databaseUrl = (host: string, port: number, password: string): string =>
  `postgresql://${POSTGRES_USER}:${password}@${host}:${port}/postgres`;

/** Resolves to undefined when the server accepts connections, otherwise to the reason of its failure. */
export async function waitUntilReady({ ended }: Program, url: string): Promise<string | undefined> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const exit = ended.then((failure) => failure ?? 'it ended');
  for (;;) {
    const attempt = await Promise.race([exit, connect(url)]);
    if (typeof attempt === 'string') return attempt;
    if (attempt === undefined) return undefined;
    if (INVALID_AUTHORIZATION.test(attempt.code ?? '')) return attempt.message;
    if (performance.now() > deadline) return `it was not ready within ${START_TIMEOUT_MS} ms (${attempt.message})`;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Resolves to the error of an attempt to connect. */
async function connect(url: string): Promise<NodeJS.ErrnoException | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // An error after the connection was refused would end this process otherwise.
  client.on('error', () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    await client.end().catch(() => {});
  }
}
