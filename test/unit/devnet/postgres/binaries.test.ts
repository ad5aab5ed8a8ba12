import { chmodSync, cpSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { resolvePostgresBinaries } from '../../../../devnet/src/postgres/binaries.ts';
import { startPostgres } from '../../../../devnet/src/postgres/server.ts';
import { createTemporaryFolder } from '../../../support/cleanups.ts';
import { runSql } from '../../../support/postgres.ts';

let directory: string;
beforeEach(() => {
  directory = createTemporaryFolder();
  chmodSync(directory, 0o755);
});

test('startPostgres on a platform without a package rejects with a hint', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...platform, value: 'plan9' });
  try {
    await expect(startPostgres()).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/package for plan9-.* not installed.*DATABASE_URL.*--omit=optional/),
    });
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
});

test.each(['initdb', 'postgres'] as const)('startPostgres without the program %s rejects with a hint', async (program) => {
  const binaries = { ...resolvePostgresBinaries(), [program]: join(directory, program) };
  await expect(startPostgres({ binaries })).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    message: expect.stringMatching(/did not start: .*ENOENT.*DATABASE_URL/),
  });
});

test('a server without a directory starts from a package without links to its libraries, and does not wait for the disk', async () => {
  const installed = resolvePostgresBinaries();
  expect(installed.links.size).toBeGreaterThan(0);
  cpSync(dirname(installed.libraries), directory, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  const binaries = {
    ...installed,
    initdb: join(directory, 'bin', 'initdb'),
    postgres: join(directory, 'bin', 'postgres'),
    libraries: join(directory, 'lib'),
  };
  const server = await startPostgres({ binaries });
  expect(await runSql(server.url, 'show fsync')).toEqual([{ fsync: 'off' }]);
  await server.stop();
});
