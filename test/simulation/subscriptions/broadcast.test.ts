import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { runSize } from '../../support/random-tests.ts';

/** Many subscribers of one stream beside a raw broadcast of the same bytes: the benchmark, which waits for each event to have come everywhere. */
const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

beforeAll(() => run(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('bench/tsconfig.json')]));

/** CPU, time and memory are measured by the proof alone: a small crowd among other tests says nothing about them. */
async function measure(...options: string[]): Promise<string> {
  const bounds = runSize(0, 1) === 1 ? ['--rounds', '9', '--check'] : ['--rounds', '1'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const asked = run(process.execPath, [pathOf('bench/dist/subscriptions/run.js'), ...options, ...bounds], { env });
  // What was measured says which bound was missed.
  const { stdout } = await asked.catch((failed: Awaited<typeof asked>) => failed);
  process.stdout.write(stdout);
  await asked;
  return stdout;
}

test('each event comes to all subscribers, and costs about what a raw broadcast costs', async () => {
  const clients = runSize(300, 10_000);
  const said = await measure('--clients', `${clients}`, '--deliveries', `${runSize(6_000, 100_000)}`);
  expect(said).toContain(`${clients} of ${clients} clients are still subscribed`);
});

test('one who stops reading is cut, and costs the others nothing', async () => {
  const clients = runSize(8, 1_000);
  // A kernel holds megabytes for one who does not read, and how many differs from machine to machine.
  const [bytes, events] = [runSize(30_000, 6_000), runSize(1_500, 250)];
  const said = await measure(
    '--stalled',
    '--clients',
    `${clients}`,
    '--bytes',
    `${bytes}`,
    '--deliveries',
    `${clients * events}`,
  );
  expect(said).toContain(`${clients - 1} of ${clients} clients are still subscribed`);
});
