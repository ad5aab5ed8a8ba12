import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunningGraph, startGraph } from '../kit/graph.ts';

const folder = new URL('../../examples/', import.meta.url);
const named = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending));

let graph: RunningGraph;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_BLOCK_TIME: '0.3' });
});

afterAll(() => graph?.stop());

/** Whether nothing in an answer is null but what may be: fields that are empty by nature in these examples. */
const EMPTY_BY_NATURE = new Set(['syncing', 'error']);

const nulls = (value: unknown, path: string[] = []): string[] => {
  if (value === null) return EMPTY_BY_NATURE.has(path.at(-1) ?? '') ? [] : [path.join('.')];
  return typeof value === 'object' ? Object.entries(value).flatMap(([key, inner]) => nulls(inner, [...path, key])) : [];
};

test.each(named('.graphql'))('%s finds everything that it asks for on the embedded chain', async (name) => {
  const { status, data, errors } = await graph.ask(readFileSync(new URL(name, folder), 'utf8'));
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  expect(nulls(data)).toEqual([]);
});

test('the program that sends a transaction sees it mined', async () => {
  const program = fileURLToPath(new URL('send-transaction.mjs', folder));
  const { stdout } = await promisify(execFile)(process.execPath, [program, graph.url]);
  expect(stdout).toMatch(/^sent 0x[0-9a-f]{64}\nmined in block \d+, succeeded: true, gas: 21000\n$/);
});
