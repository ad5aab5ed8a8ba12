import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startDevnet } from '../../../devnet/src/index.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { runSql } from '../../support/postgres.ts';

let lines: string[];
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
beforeEach(() => {
  lines = [];
});

test('a network has a temporary database beside its chain, which ends with it', async () => {
  const devnet = await startDevnet({ hasActivity: false, hasDatabase: true, log });
  const url = await devnet.database!.url;
  expect(devnet.database!.restoredHeight).toBeUndefined();
  expect(await runSql(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await devnet.stop();
  await expect(runSql(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  expect(lines).toEqual([]);
});

test('a network whose database cannot start is running, and the failure is logged once', async () => {
  const directory = createTemporaryFolder();
  writeFileSync(join(directory, 'postgres'), '');
  const devnet = await startDevnet({ hasActivity: false, hasDatabase: true, dataDirectory: directory, log });
  await expect(devnet.database!.url).rejects.toThrow('The embedded database did not start');
  expect(lines).toEqual(['the embedded database did not start']);
  expect((await fetch(`${devnet.description.nodeService.origin}/devnet.json`)).status).toBe(200);
  await devnet.stop();
});
