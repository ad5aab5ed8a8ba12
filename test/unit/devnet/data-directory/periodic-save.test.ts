import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startPeriodicSave } from '../../../../devnet/src/data-directory/periodic-save.ts';
import { log } from '../../../support/silent-log.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const silent = log;

test('a periodic save continues until stop, which saves a last time and only once', async () => {
  const calls: boolean[] = [];
  const periodic = startPeriodicSave(async (isLast) => void calls.push(isLast), silent, 1);
  await waitUntil(() => calls.length >= 3, 'three saves');
  await Promise.all([periodic.stop(), periodic.stop()]);
  expect(calls.filter((isLast) => isLast)).toHaveLength(1);
  expect(calls.at(-1)).toBe(true);
});

test('a periodic save that fails is repeated, and logged once for each outage', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  // Two outages, of three saves and of the saves from the fifth on.
  let calls = 0;
  const save = async () => {
    calls += 1;
    if (calls !== 4) throw new Error('disk full');
  };
  const periodic = startPeriodicSave(save, log, 1);
  await waitUntil(() => calls >= 7, 'seven saves');
  await periodic.stop();
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['disk full', 'disk full']);
});
