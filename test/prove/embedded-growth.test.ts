import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../src/devnet/index.ts';
import { rpc } from '../kit/chain.ts';
import { type RunningGraph, startGraph } from '../kit/graph.ts';
import { size } from '../kit/prove.ts';

const BASE = size(600, 1_000);
const BLOCKS = size(2_000, 100_000);
const MINED_AT_ONCE = 100;
const FACTOR = 1.5;

let devnet: Devnet;
let graph: RunningGraph;

beforeAll(async () => {
  devnet = await startDevnet({ blockTime: 0.1, log: pino({ level: 'silent' }) });
  const { nodeService, wizardService, chainId } = devnet.description;
  graph = await startGraph({
    RPC_URL: nodeService.http,
    RPC_WS_URL: nodeService.ws,
    WIZARDS_URL: wizardService.url,
    WIZARDS_API_TOKEN: wizardService.token,
    WIZARDS_EMAIL: wizardService.email,
    WIZARDS_CHAIN_ID: String(chainId),
    LOG_LEVEL: 'error',
  });
});

afterAll(async () => {
  await graph?.stop();
  await devnet?.stop();
});

const folder = new URL('../../examples/', import.meta.url);
const queries = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .filter((text) => !/^subscription /m.test(text));

const height = async () => Number(await rpc(devnet.description.endpoints.http, 'eth_blockNumber', []));
const megabytes = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function mineTo(target: number): Promise<void> {
  for (let at = await height(); at < target; at = await height()) {
    await devnet.mine!(Math.min(MINED_AT_ONCE, target - at));
    // The graph follows block by block, and must not fall behind the part of the chain that it walks back.
    for (let followed = 0; followed <= at; await sleep(10)) {
      followed = Number((await graph.ask('{ block { number } }')).data?.block?.number ?? 0);
    }
  }
}

/** Memory in MB, milliseconds for all example queries one after the other, and the length of the list of duels. */
async function measure() {
  const times = [];
  for (let run = 0; run < 15; run++) {
    const start = performance.now();
    for (const query of queries) {
      const { errors, data } = await graph.ask(query);
      expect({ query, errors }).toEqual({ query, errors: undefined });
      expect(data).toEqual(expect.any(Object));
    }
    times.push(performance.now() - start);
  }
  const { data } = await graph.ask('{ duels(first: 1) { totalCount } }');
  return { anvil: megabytes(devnet.pid), server: megabytes(graph.process.pid!), ms: median(times), duels: data.duels.totalCount };
}

test(`${BLOCKS} blocks of the embedded chain take at most ${FACTOR} times the memory and time that ${BASE} take`, async () => {
  await mineTo(BASE);
  const base = await measure();
  await mineTo(BLOCKS);
  const end = await measure();
  process.stdout.write(`after ${BASE} blocks ${JSON.stringify(base)}, after ${BLOCKS} ${JSON.stringify(end)}\n`);
  expect(end.anvil).toBeLessThan(FACTOR * base.anvil);
  expect(end.server).toBeLessThan(FACTOR * base.server);
  // Some milliseconds are the machine's own.
  expect(end.ms).toBeLessThan(FACTOR * base.ms + 20);
  expect(end.duels).toBeLessThan(1_100);
  // The built history is there as on the first day.
  const { landmarks, accounts, endpoints } = devnet.description;
  const { data, errors } = await graph.ask(
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
  expect(await rpc(endpoints.http, 'eth_getBlockByNumber', [`0x${(landmarks.lastBlock + 10).toString(16)}`, false])).toBeNull();
});
