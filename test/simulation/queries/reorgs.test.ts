import { expect, test } from '@jest/globals';
import { startReorgSetup } from '../../support/graph/reorg-setup.ts';
import { runSize } from '../../support/random-tests.ts';

/** Every how many calls a reorg is tried. */
const STEP = runSize(3, 1);
const TIMEOUT_MS = 400_000;

test.each(['longer', 'equally long', 'shorter'] as const)(
  'a reorg to a branch that is %s, before any call of an operation, leaves consistent values or BLOCK_NOT_AVAILABLE',
  async (kind) => {
    const setup = await startReorgSetup();
    let prepared = await setup.prepare(kind);
    expect(prepared.calls).toBeGreaterThan(20);
    let partial = 0;
    for (let index = 0; index < prepared.calls; index += STEP) {
      const codes = await setup.executeAcrossReorg(prepared, index);
      expect(codes.filter((code) => code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
      if (codes.length > 0) partial += 1;
      prepared = await setup.prepare(kind);
    }
    expect(partial).toBeGreaterThan(0);
    await setup.stop();
  },
  TIMEOUT_MS,
);

test(
  'a reorg that polls have not reported yet leaves consistent values, BLOCK_NOT_AVAILABLE or STALE_UPSTREAM',
  async () => {
    const setup = await startReorgSetup('polling');
    let prepared = await setup.prepare('longer');
    for (let index = 0; index < prepared.calls; index += 2 * STEP) {
      const codes = await setup.executeAcrossReorg(prepared, index);
      for (const code of codes) expect(['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE']).toContain(code);
      prepared = await setup.prepare('longer');
    }
    await setup.stop();
  },
  TIMEOUT_MS,
);
