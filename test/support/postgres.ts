import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startParentWatchdog } from '../../devnet/src/parent-watchdog.ts';
import { resolvePostgresBinaries } from '../../devnet/src/postgres/binaries.ts';
import { prepareCluster } from '../../devnet/src/postgres/cluster.ts';
import { startPostgres } from '../../devnet/src/postgres/server.ts';
import { childProcessesOf } from './child-processes.ts';
import { stopAfterTests } from './cleanups.ts';
import { findFreePort } from './reserved-port.ts';

/** Copies the files of a new server into a directory. The first call creates them beside the programs: `initdb` takes ten times as long as a copy. */
async function copyCluster(directory: string): Promise<void> {
  const binaries = resolvePostgresBinaries();
  const cluster = join(binaries.libraries, '../test-cluster');
  if (!existsSync(cluster)) {
    const incomplete = mkdtempSync(`${cluster}-`);
    await prepareCluster({ directory: incomplete, isDurable: false, binaries, onStart() {} });
    try {
      renameSync(incomplete, cluster);
    } catch {
      // Another process was first.
      rmSync(incomplete, { recursive: true });
    }
  }
  execFileSync('cp', ['-a', join(cluster, 'data'), join(cluster, 'password'), directory]);
}

/** Starts a PostgreSQL server that a test can kill and restart. It stops after the tests of the file. Commits wait for the disk only if it `isDurable`. */
export async function startTestPostgres({ isDurable = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'grimoire-test-postgres-'));
  const watchdog = startParentWatchdog({ directory });
  const port = await findFreePort();
  const start = () => startPostgres({ directory, port, isDurable });
  let server = await copyCluster(directory)
    .then(start)
    .catch(async (error: unknown) => {
      await watchdog.release();
      throw error;
    });
  let databases = 0;
  return {
    /** Creates a database, empty or a copy of another one, and returns its URL, which stays valid after `restart`. */
    async createDatabase(templateUrl?: string): Promise<string> {
      databases += 1;
      const name = `test_${databases}`;
      const template = templateUrl === undefined ? 'template1' : new URL(templateUrl).pathname.slice(1);
      await runSql(server.url, `create database ${name} template ${template}`);
      return Object.assign(new URL(server.url), { pathname: name }).href;
    },
    /** Kills all processes of the server with SIGKILL. Resolves when they have ended. */
    async kill(): Promise<void> {
      const { pid, exited } = server;
      // A stopped server cannot replace the processes that are killed first.
      process.kill(pid, 'SIGSTOP');
      for (const child of await childProcessesOf(pid)) process.kill(child, 'SIGKILL');
      server.kill();
      await exited;
    },
    /** Starts the server again after `kill`, on the same port and with the same data. */
    async restart(): Promise<void> {
      server = await start();
    },
    /** Stops the server and removes its data. */
    stop: stopAfterTests(async () => {
      await server.stop();
      await watchdog.release();
    }),
  };
}

export type TestPostgres = Awaited<ReturnType<typeof startTestPostgres>>;

/** Opens a connection, runs one statement and returns the rows. */
export async function runSql<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
