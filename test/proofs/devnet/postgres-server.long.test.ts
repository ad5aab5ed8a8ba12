import { spawn } from 'node:child_process';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { startPostgres } from '../../../devnet/src/postgres/server.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { runSql, startTestPostgres } from '../../support/postgres.ts';

let directory: string;
beforeEach(() => {
  directory = createTemporaryFolder();
});

const setting = async (url: string, name: string) =>
  (await runSql<{ value: string }>(url, `select current_setting('${name}') as value`))[0]?.value;

const startAndStop = async () => {
  const server = await startPostgres({ directory });
  await server.stop();
  return server;
};

test.each([0, 20, 300])('a start that is aborted after %d ms rejects, and the next one succeeds', async (delayMs) => {
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(), delayMs);
  await startPostgres({ directory, signal: stopping.signal }).then(
    (server) => server.stop(),
    (error: Error) => expect(error.message).toMatch(/^The embedded database did not start/),
  );
  await startAndStop();
});

test('a server listens on the local interface only, with durable commits, UTF-8 and passwords', async () => {
  // A full disk, or a kill, has ended an earlier start.
  writeFileSync(join(directory, 'password'), '');
  const server = await startPostgres({ directory });
  try {
    const values = Object.fromEntries(
      await Promise.all(
        ['listen_addresses', 'unix_socket_directories', 'fsync', 'server_encoding', 'lc_collate'].map(
          async (name) => [name, await setting(server.url, name).catch(() => undefined)] as const,
        ),
      ),
    );
    expect(values).toMatchObject({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'on',
      server_encoding: 'UTF8',
    });
    const methods = await runSql(server.url, 'select distinct auth_method from pg_hba_file_rules');
    expect(methods).toEqual([{ auth_method: 'scram-sha-256' }]);
    const wrongPassword = Object.assign(new URL(server.url), { password: 'wrong' }).href;
    await expect(runSql(wrongPassword, 'select 1')).rejects.toThrow('password authentication failed');
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600);
  } finally {
    await server.stop();
  }
});

test('committed data survives SIGKILL of all processes of the server', async () => {
  const server = await startTestPostgres({ isDurable: true });
  const url = await server.createDatabase();
  await runSql(url, 'create table spells as select 7 as power');
  await server.kill();
  await expect(runSql(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  await server.restart();
  expect(await runSql(url, 'select power from spells')).toEqual([{ power: 7 }]);
  expect(await server.createDatabase()).not.toBe(url);
  await server.stop();
});

test('the lock of a killed server whose pid belongs to another process is removed', async () => {
  const { uid, gid } = await startAndStop().then(() => statSync(join(directory, 'data')));
  const other = spawn('sleep', ['60'], { uid, gid });
  const lock = join(directory, 'data', 'postmaster.pid');
  writeFileSync(lock, `${other.pid}\n${join(directory, 'data')}\n1\n5432\n\n127.0.0.1\n`);
  const server = await startPostgres({ directory });
  expect(Number.parseInt(readFileSync(lock, 'utf8'), 10)).toBe(server.pid);
  await server.stop();
  other.kill();
});

test('a directory that another server uses is rejected, and that server continues', async () => {
  const server = await startPostgres({ directory });
  await expect(startPostgres({ directory })).rejects.toThrow(
    new RegExp(`postmaster.pid" already exists.*PID ${server.pid}`, 's'),
  );
  expect(await runSql(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('the error of a failed start contains the output of PostgreSQL and a hint', async () => {
  await startAndStop();
  truncateSync(join(directory, 'data', 'global', 'pg_control'));
  await expect(startPostgres({ directory })).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    message: expect.stringMatching(/did not start: .*postgres ended with .*pg_control.*DATABASE_URL/s),
  });
});
