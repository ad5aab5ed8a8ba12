import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { rpc, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** `examples/balances.mjs` indexes the tokens of a devnet while its client, the server and PostgreSQL are killed. */
const EXAMPLE = fileURLToPath(new URL('../../../examples/balances.mjs', import.meta.url));
const REORGS = runSize(20, 1_000);
const KILLS = { client: runSize(4, 100), server: runSize(1, 100), database: runSize(1, 100) };
const MAX_DEPTH = 8;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

let postgres: TestPostgres;
let database: string;
let devnet: DevnetDescription;
let settings: Record<string, string>;
let graph: GraphProcess;
let indexer: ReturnType<typeof startIndexer>;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  devnet = (await startTestDevnet()).description;
  settings = { ...upstreamSettings(devnet), PORT: String(await findFreePort()) };
  graph = await startGraph(settings);
  await call('evm_setAutomine', false);
});

const call = (method: string, ...params: unknown[]) =>
  rpc(devnet.endpoints.http, method as 'evm_mine', params as never) as Promise<any>;
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0');
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the example, and again when it has ended because PostgreSQL was unavailable at its start. */
function startIndexer() {
  let output = '';
  let child: ChildProcess;
  let isStopped = false;
  const failures: string[] = [];
  const start = () => {
    let errors = '';
    child = spawn(process.execPath, [EXAMPLE, graph.url], {
      env: { PATH: process.env.PATH, DATABASE_URL: database },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr!.on('data', (chunk) => {
      output += chunk;
      errors += chunk;
    });
    child.once('close', (status) => {
      if (status !== null && !/ECONNREFUSED|ECONNRESET|57P0|Connection terminated/.test(errors)) failures.push(errors);
      if (!isStopped) setTimeout(start, 20);
    });
  };
  start();
  stopAfterTests(async () => {
    isStopped = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return { failures, output: () => output, kill: () => child.kill('SIGKILL') };
}

type Balances = Record<string, string>;

/** The balances of all holders, from the contracts. */
async function balancesOfChain(): Promise<Balances> {
  const logs = await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER] });
  const holders = new Set<string>();
  for (const { address, topics } of logs as { address: string; topics: string[] }[]) {
    if (topics.length !== 3) continue;
    for (const topic of topics.slice(1)) holders.add(`${address} 0x${topic.slice(26)}`);
  }
  const entries = await Promise.all(
    [...holders].map(async (key) => {
      const [to, holder] = key.split(' ');
      const balance = BigInt(await call('eth_call', { to, data: `0x70a08231${word(holder!)}` }, 'latest'));
      return [key, balance.toString()] as const;
    }),
  );
  return Object.fromEntries(entries.filter(([, balance]) => balance !== '0').sort());
}

async function balancesOfIndexer(): Promise<Balances> {
  const rows = await runSql<{ token: string; holder: string; balance: string }>(
    database,
    'select token, holder, balance from balances where balance <> 0',
  );
  return Object.fromEntries(rows.map(({ token, holder, balance }) => [`${token} ${holder}`, balance] as const).sort());
}

/** Waits until the indexer has the logs up to the head, and compares its balances with those of the chain. */
async function expectEqualBalances(): Promise<void> {
  await transferAndMine(1);
  const expected = JSON.stringify(await balancesOfChain());
  const hasBalances = async () => JSON.stringify(await balancesOfIndexer()) === expected;
  await waitUntil(hasBalances, 'the indexer has the balances of the chain').catch(async (error) => {
    const found = { balances: await balancesOfIndexer(), error, output: indexer.output() };
    expect(found).toMatchObject({ balances: JSON.parse(expected) });
    throw error;
  });
}

let amount = 0;

/** Mines a block with transfers of different amounts. */
async function transferAndMine(count: number): Promise<void> {
  const { accounts, contracts } = devnet;
  for (let i = 0; i < count; i++) {
    amount += 1;
    const [from, to] = [accounts[0]!, accounts[1 + (amount % (accounts.length - 1))]!].map(({ address }) => address);
    const data = `0xa9059cbb${word(to!)}${word(amount.toString(16))}`;
    await call('eth_sendTransaction', { from, to: contracts[0]!.address, gas: '0x186a0', data });
  }
  await call('evm_mine');
}

async function reorganize(depth: number): Promise<void> {
  const body = JSON.stringify({ reorg: { depth, transactions: [] } });
  const response = await fetch(devnet.nodeService.control, { method: 'POST', body });
  expect(response.status).toBe(200);
}

test(`balances of the example equal those of the chain after ${REORGS} reorgs and kills of the client (${KILLS.client}), the server (${KILLS.server}) and PostgreSQL (${KILLS.database})`, async () => {
  const choices = createRandomChoices(readSeed());
  for (let i = 0; i < MAX_DEPTH; i++) await transferAndMine(2);
  indexer = startIndexer();
  const left = { reorg: REORGS, ...KILLS };
  const change = async () => {
    for (let blocks = choices.below(3); blocks >= 0; blocks--) await transferAndMine(choices.below(8));
    if (left.reorg > 0 && choices.chance(0.8)) {
      left.reorg -= 1;
      await reorganize(1 + choices.below(MAX_DEPTH));
    }
  };
  for (let round = 1; Object.values(left).some((count) => count > 0); round++) {
    await change();
    const kind = choices.pick(['client', 'server', 'database', 'none'] as const);
    if (kind !== 'none' && left[kind] > 0 && (left.reorg === 0 || choices.chance((5 * left[kind]) / left.reorg))) {
      left[kind] -= 1;
      // Kills while pages are written.
      const killDelayMs = choices.below(60);
      const changed = change();
      await delay(killDelayMs);
      if (kind === 'client') indexer.kill();
      if (kind === 'server') {
        graph.process.kill('SIGKILL');
        await graph.stop();
        // The next server does not know the blocks that this removes, nor does the node: the store undoes its pages.
        await changed.then(change);
        graph = await startGraph(settings);
      }
      if (kind === 'database') {
        await postgres.kill();
        await changed.then(change);
        await postgres.restart();
      }
      await changed;
    }
    if (round % 50 === 0) await expectEqualBalances();
  }
  await expectEqualBalances();
  expect(indexer.failures).toEqual([]);
  // The store has undone pages whose blocks neither the server nor the node has.
  const rollbacks = indexer.output().match(/neither on the chain/g)?.length ?? 0;
  expect(rollbacks).toBeGreaterThanOrEqual(runSize(0, 1));
  const [{ negative, positions }] = (await runSql<any>(
    database,
    'select (select count(*) from balances where balance < 0)::int as negative, (select count(*) from grimoire_positions)::int as positions',
  )) as [any];
  expect({ negative, positions }).toEqual({ negative: 0, positions: 1 });
});
