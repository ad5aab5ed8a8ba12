import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { executeQuery, nameOf, waitForGraphHead } from '../../support/graph/consistent-reads.ts';
import { type ReorgKind, type ReorgSetup, startReorgSetup } from '../../support/graph/reorg-setup.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/** The short run draws the calls before which it tries a reorg. */
const SEED = readSeed();
/** Every how many calls a reorg is tried. */
const STEP = runSize(8, 1);
const TIMEOUT_MS = 400_000;

let setup: ReorgSetup;

beforeAll(async () => {
  setup = await startReorgSetup();
});

afterAll(() => setup?.stop());

/** Returns the error codes of operations with a reorg before every `step`th call, by the number of the call. */
async function codesAcrossReorgs(setup: ReorgSetup, kind: ReorgKind, step: number): Promise<Map<number, string[]>> {
  const codes = new Map<number, string[]>();
  let prepared = await setup.prepare(kind);
  expect(prepared.calls).toBeGreaterThan(20);
  for (let index = Math.floor(random(SEED)() * step); index < prepared.calls; index += step) {
    codes.set(index, await setup.executeAcrossReorg(prepared, index));
    prepared = await setup.prepare(kind);
  }
  return codes;
}

test.each(['longer', 'equally long', 'shorter'] as const)(
  `a reorg to a branch that is %s, before any call of an operation, leaves consistent values or BLOCK_NOT_AVAILABLE (SEED=${SEED})`,
  async (kind) => {
    const codes = [...(await codesAcrossReorgs(setup, kind, STEP)).values()];
    expect(codes.flat().filter((code) => code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
    expect(codes.filter(({ length }) => length > 0)).not.toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  `a reorg that polls have not reported yet leaves consistent values, BLOCK_NOT_AVAILABLE or STALE_UPSTREAM (SEED=${SEED})`,
  async () => {
    const polling = await startReorgSetup('polling');
    const codes = [...(await codesAcrossReorgs(polling, 'longer', 2 * STEP)).values()].flat();
    expect(codes.filter((code) => code !== 'STALE_UPSTREAM' && code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
    await polling.stop();
  },
  TIMEOUT_MS,
);

const hex = (n: number): string => `0x${n.toString(16)}`;
const headersFrom = (base: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => setup.rpc('eth_getBlockByNumber', hex(base + i), false)));

test('an operation over several round trips returns what the node returns for its block', async () => {
  const { expected, head, base } = await setup.prepare('longer');
  const alice = setup.devnet.description.accounts[0]!.address;
  const at = { blockHash: head.hash };
  expect(expected.data.account).toEqual({
    balance: await setup.rpc('eth_getBalance', alice, at),
    transactionCount: await setup.rpc('eth_getTransactionCount', alice, at),
    storage: await setup.rpc('eth_getStorageAt', alice, '0x0', at),
  });
  const blocks = await headersFrom(base, 4);
  expect(expected.data.blocks.map(nameOf)).toEqual(blocks.map(nameOf));
  expect(expected.data.blocks.map((one: { confirmations: string }) => one.confirmations)).toEqual(['0x4', '0x3', '0x2', '0x1']);
  const balances = await Promise.all(blocks.map(({ hash }) => setup.rpc('eth_getBalance', alice, { blockHash: hash })));
  expect(expected.data.blocks.map((one: any) => one.account.balance)).toEqual(balances);
  const logs = await setup.rpc('eth_getLogs', { fromBlock: hex(base), toBlock: head.number });
  expect(expected.data.logs.map((log: { data: string }) => log.data)).toEqual(logs.map((log: { data: string }) => log.data));
  expect(expected.data.transaction).toMatchObject({ state: 'MINED', confirmations: '0x1', blockNumber: head.number });
});

test('the same query after a reorg returns the new branch only', async () => {
  const { query, reorganize, base } = await setup.prepare('longer');
  await reorganize();
  const head = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  await waitForGraphHead(setup.graph, head.hash);
  const { data, errors, extensions } = await executeQuery(setup.graph, query);
  expect({ errors, block: extensions!.block }).toEqual({ errors: undefined, block: nameOf(head) });
  expect(data.transaction).toBeNull();
  expect(data.blocks.map(nameOf)).toEqual((await headersFrom(base, 5)).map(nameOf));
  const alice = setup.devnet.description.accounts[0]!.address;
  expect(data.account.balance).toBe(await setup.rpc('eth_getBalance', alice, { blockHash: head.hash }));
});
