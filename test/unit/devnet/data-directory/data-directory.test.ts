import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import {
  acquireDataDirectory,
  type ChainDumps,
  type DataDirectory,
  type SavedNetwork,
} from '../../../../devnet/src/data-directory/index.ts';
import { createTemporaryFolder } from '../../../support/cleanups.ts';

let path: string;
beforeEach(() => {
  path = join(createTemporaryFolder(), 'created', 'data');
});

const SEED = 7;
const network = (pool: readonly string[]) => ({ seed: SEED, pool }) as unknown as SavedNetwork;
const dumps = (text: string): ChainDumps => ({
  chain: Buffer.from(`chain ${text}`),
  historyStates: Buffer.from(`states ${text}`),
});
const using = async <Result>(use: (directory: DataDirectory) => Result | Promise<Result>, seed = SEED): Promise<Result> => {
  const directory = acquireDataDirectory(path, seed);
  try {
    return await use(directory);
  } finally {
    directory.release();
  }
};
const saved = () =>
  using((directory) => [
    directory.saved?.network.pool,
    String(directory.saved?.dumps.chain),
    String(directory.saved?.dumps.historyStates),
  ]);
const failure = (seed = SEED): Promise<unknown> => using(() => undefined, seed).catch((error: unknown) => error);
const badInput = (message: RegExp) =>
  expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(message) });

test('a data directory has the network of the last save, with the last states of the history', async () => {
  await using(async (directory) => {
    await directory.save(network(['0x1']), dumps('1'));
    await directory.save(network(['0x2']), { chain: Buffer.from('chain 2') });
  });
  expect(await saved()).toEqual([['0x2'], 'chain 2', 'states 1']);
  await using((directory) => directory.save(network(['0x3']), dumps('3')));
  expect(await saved()).toEqual([['0x3'], 'chain 3', 'states 3']);
  // The manifest and two dumps.
  expect(readdirSync(path)).toHaveLength(3);
});

test('an interrupted save leaves the previous network, and the next start removes its files', async () => {
  await using((directory) => directory.save(network(['0x1']), dumps('1')));
  const complete = readdirSync(path);
  writeFileSync(join(path, 'chain-2.json.gz'), 'chain 2');
  writeFileSync(join(path, 'history-2.json.gz.incomplete'), 'sta');
  writeFileSync(join(path, 'network.json.incomplete'), '{');
  expect(await saved()).toEqual([['0x1'], 'chain 1', 'states 1']);
  expect(readdirSync(path)).toEqual(complete);
});

test('a failed save leaves the previous network and no new file', async () => {
  await using(async (directory) => {
    mkdirSync(join(path, 'network.json'));
    await expect(directory.save(network(['0x1']), dumps('1'))).rejects.toThrow('network.json');
    expect(readdirSync(path)).toEqual(['lock', 'network.json']);
    rmdirSync(join(path, 'network.json'));
    await directory.save(network(['0x2']), dumps('2'));
    const complete = readdirSync(path);
    await expect(directory.save(network(['0x3']), { chain: undefined as unknown as Uint8Array })).rejects.toThrow();
    expect(readdirSync(path)).toEqual(complete);
  });
  expect(await saved()).toEqual([['0x2'], 'chain 2', 'states 2']);
});

test('a process that has lost the lock of a data directory does not write to it', async () => {
  await using(async (directory) => {
    rmSync(join(path, 'lock'));
    await expect(directory.save(network([]), dumps('1'))).rejects.toThrow('another process uses it');
  });
  expect(readdirSync(path)).toEqual([]);
});

test('a data directory that is in use is rejected with its path and the pid', async () => {
  const error = await using(() => failure());
  expect(error).toEqual(badInput(new RegExp(`${path} is in use by process ${process.pid}\\. Stop .* DATA_DIR .* 10 seconds`)));
});

test('a data directory with another seed is rejected with both seeds, and is not locked', async () => {
  await using((directory) => directory.save(network([]), dumps('1')));
  expect(await failure(8)).toEqual(badInput(/has the seed 7, and DEVNET_SEED is 8\. Set DEVNET_SEED to 7/));
  expect(existsSync(join(path, 'lock'))).toBe(false);
});

test.each<[string, (manifest: string) => string, RegExp]>([
  ['is no JSON', () => '{', /cannot be restored \(.*JSON.*\)\. Remove the directory/],
  ['has another format', (manifest) => manifest.replace('"version":1', '"version":2'), /\(format 2 instead of 1\)/],
  ['names a file that is missing', (manifest) => manifest.replace('chain-', 'other-'), /\(ENOENT\)/],
])('a data directory whose manifest %s is rejected', async (_case, change, message) => {
  await using((directory) => directory.save(network([]), dumps('1')));
  const manifest = join(path, 'network.json');
  writeFileSync(manifest, change(readFileSync(manifest, 'utf8')));
  expect(await failure()).toEqual(badInput(message));
});
