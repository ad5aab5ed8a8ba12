import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { computeUnitsOf, METHOD_UNITS, OTHER_METHOD_UNITS } from '../../../../src/upstream/rpc/http/batches.ts';

/** The rows of the table of docs/limits.md. */
const documentedRows = (): [units: number, methods: string][] =>
  [
    ...readFileSync('docs/limits.md', 'utf8')
      .split('### Compute units')[1]!
      .split('\n## ')[0]!
      .matchAll(/^\| (\d+) \| (.+) \|$/gm),
  ].map(([, units, methods]) => [Number(units), methods!]);

test('docs/limits.md has the compute units of every method', () => {
  const documented = documentedRows().flatMap(([units, methods]) =>
    [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => [method!, units] as const),
  );
  expect(new Map(documented)).toEqual(METHOD_UNITS);
  expect(documentedRows().filter(([, methods]) => methods.startsWith('all others'))).toEqual([
    [OTHER_METHOD_UNITS, expect.any(String)],
  ]);
});

test('the compute units of a batch are the sum of those of its calls, of unknown methods too', () => {
  const calls = ['eth_blockNumber', 'eth_call', 'eth_call', 'eth_getLogs', 'eth_getBalance', 'svc_unknown'].map((method) => ({
    method,
  }));
  expect(computeUnitsOf(calls)).toBe(10 + 26 + 26 + 60 + 20 + 20);
  expect(computeUnitsOf([])).toBe(0);
});
