import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { rpc, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSize } from '../../support/random-tests.ts';

const BASE = runSize(600, 1_000);
const BLOCKS = runSize(1_200, 100_000);
const EMPTY_BLOCKS_PER_BATCH = 99;
const PROGRESS_BLOCKS = 5_000;
const FACTOR = 1.5;

let devnet: Devnet;
let graph: GraphProcess;

beforeAll(async () => {
  devnet = await startTestDevnet({ hasActivity: true });
  graph = await startGraph({
    ...upstreamSettings(devnet.description),
    WIZARDS_CHAIN_ID: String(devnet.description.chainId),
    LOG_LEVEL: 'error',
  });
});

const folder = new URL('../../../examples/', import.meta.url);
const queries = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql'))
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  // The graph has no database, and so no webhooks.
  .filter(([, text]) => !/^(?:subscription|mutation) |webhookEvents/m.test(text));

const height = async () => Number(await rpc(devnet.description.endpoints.http, 'eth_blockNumber', []));
const megabytes = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

const memory = () => ({ anvil: megabytes(devnet.pid), server: megabytes(graph.process.pid!) });

/** Blocks over which memory is sampled: they span two trims, between which anvil's memory rises and falls. */
const SAMPLED_BLOCKS = 512;

/** Mines up to a height. Returns the maximum memory in MB over the last blocks. */
async function mineTo(target: number): Promise<ReturnType<typeof memory>> {
  const peak = { anvil: 0, server: 0 };
  for (let at = await height(); at < target; at = await height()) {
    const now = memory();
    if (at >= target - SAMPLED_BLOCKS) {
      peak.anvil = Math.max(peak.anvil, now.anvil);
      peak.server = Math.max(peak.server, now.server);
    }
    if (at % PROGRESS_BLOCKS < EMPTY_BLOCKS_PER_BATCH) process.stdout.write(`block ${at}: ${JSON.stringify(now)}\n`);
    await devnet.mine!(Math.min(EMPTY_BLOCKS_PER_BATCH, target - at));
    const head = await height();
    // A trim removes states below the head, so the graph must have the head before the next block.
    for (let followed = 0; followed < head; await sleep(10)) {
      followed = Number((await graph.execute('{ block { number } }')).data?.block?.number ?? 0);
    }
  }
  return peak;
}

/** The minimum milliseconds of each example query, which a busy machine affects least, and the number of duels. */
async function measure() {
  const times = new Map<string, number[]>(queries.map(([name]) => [name, []]));
  for (let run = 0; run < runSize(5, 15); run++) {
    for (const [name, query] of queries) {
      const start = performance.now();
      const { errors, data } = await graph.execute(query);
      times.get(name)!.push(performance.now() - start);
      expect({ name, errors }).toEqual({ name, errors: undefined });
      expect(data).toEqual(expect.any(Object));
    }
  }
  const { data } = await graph.execute('{ duels(first: 1) { totalCount } }');
  const ms = Object.fromEntries([...times].map(([name, all]) => [name, Math.round(Math.min(...all))]));
  const total = Object.values(ms).reduce((sum, one) => sum + one, 0);
  return { duels: data.duels.totalCount, total, ms };
}

test(
  `${BLOCKS} blocks of the embedded chain take at most ${FACTOR} times the memory and time that ${BASE} take`,
  async () => {
    const base = { ...(await mineTo(BASE)), ...(await measure()) };
    const end = { ...(await mineTo(BLOCKS)), ...(await measure()) };
    process.stdout.write(`after ${BASE} blocks ${JSON.stringify(base)}, after ${BLOCKS} ${JSON.stringify(end)}\n`);
    expect(end.anvil).toBeLessThan(FACTOR * base.anvil);
    expect(end.server).toBeLessThan(FACTOR * base.server);
    // A few milliseconds are noise; other tests on the machine add more.
    expect(end.total).toBeLessThan(FACTOR * base.total + runSize(1_000, 20));
    expect(end.duels).toBeLessThan(300);
    // The built history is unchanged.
    const { landmarks, accounts, nodeService } = devnet.description;
    const { data, errors } = await graph.execute(
      `query ($hash: Bytes32!, $address: Address!) {
      transaction(hash: $hash) { status block { number } }
      old: block(number: 1) { account(address: $address) { balance } }
      block(number: ${landmarks.crowdedBlock}) { transactionCount logs(filter: {}) { index } }
      duel(id: "${landmarks.finishedDuel}") { status } timedOut: duel(id: "${landmarks.timedOutDuel}") { status }
      running: duel(id: "${landmarks.runningDuel}") { status } wizard(id: "${landmarks.eliminatedWizard}") { status } }`,
      { hash: landmarks.legacyTransaction, address: accounts[0]!.address },
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      transaction: { status: expect.anything() },
      block: { transactionCount: expect.anything() },
      duel: { status: 'FINISHED' },
      timedOut: { status: 'FINISHED' },
      running: { status: 'IN_PROGRESS' },
      wizard: { status: 'ELIMINATED' },
    });
    expect(Number(data.block.transactionCount)).toBe(240);
    const removed = {
      fromBlock: `0x${(landmarks.lastBlock + 1).toString(16)}`,
      toBlock: `0x${(landmarks.lastBlock + 200).toString(16)}`,
    };
    await expect(rpc(nodeService.http, 'eth_getLogs', [removed])).rejects.toThrow('pruned history unavailable');
  },
  runSize(300_000, 3_600_000),
);
