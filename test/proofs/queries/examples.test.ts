import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const folder = new URL('../../../examples/', import.meta.url);
const named = (ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending));

let graph: RunningGraph;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_BLOCK_TIME: '0.3' });
});

/** The fields that may be null in these examples: native coins have no contract, and a contract need not have a symbol. */
const NULL_BY_NATURE = /(?:^|\.)(?:syncing|error|asset|rawContract\.token(?:\.symbol)?)$/;

/** The paths of null values, except the fields that may be null. */
const nulls = (value: unknown, path: string[] = []): string[] => {
  if (value === null) return NULL_BY_NATURE.test(path.join('.')) ? [] : [path.join('.')];
  return typeof value === 'object' ? Object.entries(value).flatMap(([key, inner]) => nulls(inner, [...path, key])) : [];
};

const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const isLive = (name: string) => /^subscription /m.test(textOf(name));

test.each(named('.graphql').filter((name) => !isLive(name)))(
  'the example %s has a value for each selected field on the embedded chain',
  async (name) => {
    const findNulls = async () => {
      const { status, data, errors } = await graph.execute(textOf(name));
      if (errors?.length === 1 && errors[0]!.extensions.code === 'STORE_UNAVAILABLE') return [errors[0]!.message];
      expect({ status, errors }).toEqual({ status: 200, errors: undefined });
      return nulls(data);
    };
    // The embedded database is prepared after the start. An event can be stored before the server knows its block.
    if (textOf(name).includes('webhookEvents')) {
      await waitUntil(async () => (await findNulls()).length === 0, 'an event is stored, and its block is known');
    } else expect(await findNulls()).toEqual([]);
  },
);

test.each(named('.graphql').filter(isLive))('the example %s receives events of the embedded chain', async (name) => {
  const url = `${graph.url.replace(/^http/, 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  try {
    for await (const { data, errors } of client.iterate({ query: textOf(name) })) {
      expect(errors).toBeUndefined();
      expect(data).toEqual(expect.any(Object));
      break;
    }
  } finally {
    await client.dispose();
  }
});

test('the SSE example of the README receives a log', async () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const lines = [...readme.matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, text]) => text!)
    .find((text) => text.includes('event-stream'));
  const shell = spawn('bash', ['-c', `exec ${lines!.replaceAll('http://127.0.0.1:4000', graph.url)}`]);
  let said = '';
  for await (const chunk of shell.stdout) {
    said += chunk;
    if (/^event: next\ndata: .*\n\n/m.test(said)) break;
  }
  shell.kill();
  expect(said).toMatch(/^event: next\ndata: \{"data":\{"logs":\{"cursor":"[\w-]+","removed":false,"blockNumber":"0x/m);
});

test('the example that stores logs has each log once and in order after repeated kills', async () => {
  const program = fileURLToPath(new URL('live-logs.mjs', folder));
  const place = createTemporaryFolder();
  const file = join(place, 'logs.ndjson');
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  for (const wanted of [3, 8, 15]) {
    const child = spawn(process.execPath, [program, file, graph.url], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    while (lines().length < wanted) await once(watch(place, { signal: AbortSignal.timeout(20_000) }), 'change');
    child.kill('SIGKILL');
    await ended;
  }
  const written = lines().map((line) => JSON.parse(line));
  const places = written.map(({ blockNumber, index }) => Number(blockNumber) * 1_000 + Number(index));
  expect(written.some(({ removed }) => removed)).toBe(false);
  const [fromBlock, toBlock] = [written[0].blockNumber, written.at(-1).blockNumber];
  const { data } = await graph.execute(
    `{ logs(filter: { fromBlock: "${fromBlock}", toBlock: "${toBlock}" }) { blockNumber index } }`,
  );
  const all = data.logs.map(({ blockNumber, index }) => Number(blockNumber) * 1_000 + Number(index));
  // The kill may have truncated the last line.
  expect(places).toEqual(all.slice(0, places.length));
  expect(all.length - places.length).toBeLessThan(20);
});

test('the example that sends a transaction reports it as mined', async () => {
  const program = fileURLToPath(new URL('send-transaction.mjs', folder));
  const { stdout } = await promisify(execFile)(process.execPath, [program, graph.url]);
  expect(stdout).toMatch(/^sent 0x[0-9a-f]{64}\nmined in block \d+, succeeded: true, gas: 21000\n$/);
});
