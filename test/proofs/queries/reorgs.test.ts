import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
