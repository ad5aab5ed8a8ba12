import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { dataOf } from '../../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSql } from '../../support/postgres.ts';
import { waitUntil } from '../../support/wait-until.ts';

const BLOCK_TIME = 0.2;

let path: string;
let running: GraphProcess | undefined;
beforeEach(() => {
  const parent = createTemporaryFolder();
  // As root, PostgreSQL runs as another user.
  chmodSync(parent, 0o755);
  path = join(parent, 'data');
});

const start = async (): Promise<GraphProcess> => {
  running = await startGraph({ DATA_DIR: path, DEVNET_BLOCK_TIME: String(BLOCK_TIME) });
  return running;
};

const descriptionOf = async ({ url }: GraphProcess) => (await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription;

const query = (graph: GraphProcess, text: string) => dataOf(graph.execute(text));

const headOf = async (graph: GraphProcess): Promise<{ number: number; hash: string; timestamp: number }> => {
  const { number, hash, timestamp } = (await query(graph, '{ block { number hash timestamp } }')).block;
  return { number: Number(number), hash, timestamp: Number(timestamp) };
};
const hashAt = async (graph: GraphProcess, number: number): Promise<string | undefined> =>
  (await query(graph, `{ block(number: ${number}) { hash } }`)).block?.hash;

const waitForHeight = (graph: GraphProcess, height: number) =>
  waitUntil(async () => (await headOf(graph)).number >= height, `the head is at block ${height}`);

/** Height at which the chain was restored. */
const restoredHeight = ({ output }: GraphProcess): number =>
  Number(/"height":(\d+).*the embedded chain continues/.exec(output())?.[1]);

const manifest = () => readFileSync(join(path, 'network.json'), 'utf8');

/** URL of the embedded database, which the program does not print. */
async function databaseUrl(): Promise<string> {
  const postgres = join(path, 'postgres');
  const lines = () => readFileSync(join(postgres, 'data', 'postmaster.pid'), 'utf8').split('\n');
  await waitUntil(() => {
    try {
      return lines()[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }, 'the database is ready');
  return `postgresql://grimoire:${readFileSync(join(postgres, 'password'), 'utf8')}@127.0.0.1:${lines()[3]}/postgres`;
}

/** Sends ether from alice to the guest, who takes part in no other transaction. Returns the hash of the mined transaction. */
async function sendEther(graph: GraphProcess): Promise<string> {
  const { accounts } = await descriptionOf(graph);
  const guest = new Wallet(accounts.at(-1)!.privateKey);
  const transfer = { chainId: 31337, type: 2, nonce: 0, to: `0x${'9'.repeat(40)}`, value: 10n ** 18n, gasLimit: 21_000 };
  const data = await guest.signTransaction({ ...transfer, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n });
  const submit = `mutation { submitTransaction(input: { data: "${data}", waitMs: 8000 }) { hash receipt { succeeded } } }`;
  const { submitTransaction } = await query(graph, submit);
  expect(submitTransaction.receipt).toEqual({ succeeded: true });
  return submitTransaction.hash;
}

test('a network with DATA_DIR has its chain, its tournament and its database after a restart', async () => {
  const before = await start();
  const { landmarks, contracts, accounts, nodeService } = await descriptionOf(before);
  await runSql(await databaseUrl(), 'create table notes as select 7 as value');
  const hash = await sendEther(before);
  const guest = accounts.at(-1)!.address;
  const facts = `{
    genesis: block(number: 0) { hash }
    crowded: block(number: ${landmarks.crowdedBlock}) { hash transactions { index hash } account(address: "${guest}") { balance } }
    transaction(hash: "${hash}") { nonce value block { number hash timestamp } receipt { status gasUsed succeeded } }
    account(address: "${guest}") { balance transactionCount }
    duel(id: "${landmarks.finishedDuel}") { id }
  }`;
  const expected = await query(before, facts);
  expect(expected.transaction.block.number).toMatch(/^0x/);
  const wizards = (await query(before, '{ wizards(first: 1) { totalCount } }')).wizards.totalCount;
  const head = await headOf(before);
  expect(await before.stop()).toBe(0);

  const after = await start();
  expect(restoredHeight(after)).toBeGreaterThanOrEqual(head.number);
  expect(await query(after, facts)).toEqual(expected);
  expect(await hashAt(after, head.number)).toBe(head.hash);
  expect(await runSql(await databaseUrl(), 'select value from notes')).toEqual([{ value: 7 }]);
  expect(await descriptionOf(after)).toMatchObject({ landmarks, contracts, accounts });
  expect((await descriptionOf(after)).nodeService).not.toEqual(nodeService);
  expect((await query(after, '{ wizards(first: 1) { totalCount } }')).wizards.totalCount).toBeGreaterThanOrEqual(wizards);
  // New blocks have generated transactions and the current time.
  const next = restoredHeight(after) + 1;
  await waitForHeight(after, next + 2);
  const { block } = await query(after, `{ block(number: ${next + 1}) { timestamp transactionCount } }`);
  expect(Math.abs(Number(block.timestamp) - Date.now() / 1000)).toBeLessThan(10);
  expect(Number(block.transactionCount)).toBeGreaterThan(1);
});

test('a network with DATA_DIR loses at most ten seconds when its process is killed, and refuses a second process', async () => {
  const before = await start();
  const hash = await sendEther(before);
  await waitForHeight(before, (await descriptionOf(before)).landmarks.lastBlock + 5);
  const known = await headOf(before);
  // The height was read while a save may be in progress, so only the second save from here contains it.
  for (const saves of [1, 2]) {
    const current = manifest();
    await waitUntil(() => manifest() !== current, `save ${saves} of the network`);
  }
  const second = await startGraph({ DATA_DIR: path }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(second).toContain(
    `The directory ${path} is in use by process ${before.process.pid}. Stop that process, or set DATA_DIR`,
  );
  const last = await headOf(before);
  before.process.kill('SIGKILL');
  await once(before.process, 'close');

  const after = await start();
  const height = restoredHeight(after);
  expect((last.number - height) * BLOCK_TIME).toBeLessThanOrEqual(10);
  expect(await hashAt(after, known.number)).toBe(known.hash);
  const { transaction } = await query(after, `{ transaction(hash: "${hash}") { receipt { succeeded } } }`);
  expect(transaction).toEqual({ receipt: { succeeded: true } });
  await runSql(await databaseUrl(), 'select 1');
  await waitForHeight(after, height + 2);
});
