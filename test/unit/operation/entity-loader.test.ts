import { expect, test } from '@jest/globals';
import { createEntityLoader } from '../../../src/operation/entity-loader.ts';

const keyOf = ({ id }: { id: string }) => id;

test('an entity loader reads equal keys once', async () => {
  const reads: string[] = [];
  const loader = createEntityLoader(async ({ id }: { id: string }) => {
    reads.push(id);
    return id.toUpperCase();
  }, keyOf);
  expect(await Promise.all([loader.load({ id: 'a' }), loader.load({ id: 'b' }), loader.load({ id: 'a' })])).toEqual([
    'A',
    'B',
    'A',
  ]);
  expect(await loader.load({ id: 'a' })).toBe('A');
  expect(reads).toEqual(['a', 'b']);
});

test('an entity loader rejects a failed key alone, and does not read it again', async () => {
  let failures = 0;
  const loader = createEntityLoader(async ({ id }: { id: string }) => {
    if (id !== 'bad') return id;
    failures += 1;
    throw new Error('failed');
  }, keyOf);
  const results = await Promise.allSettled([loader.load({ id: 'bad' }), loader.load({ id: 'good' })]);
  expect(results).toMatchObject([{ reason: { message: 'failed' } }, { value: 'good' }]);
  await expect(loader.load({ id: 'bad' })).rejects.toThrow('failed');
  expect(failures).toBe(1);
});

test('an entity loader resolves a key while another key of the same tick is pending', async () => {
  const loader = createEntityLoader(
    ({ id }: { id: string }) => (id === 'slow' ? new Promise<string>(() => {}) : Promise.resolve(id)),
    keyOf,
  );
  void loader.load({ id: 'slow' });
  expect(await loader.load({ id: 'fast' })).toBe('fast');
});
