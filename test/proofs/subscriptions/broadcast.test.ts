import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { runSize } from '../../support/random-tests.ts';

/** The benchmark of many subscribers of one stream against a raw broadcast of equal bytes. It awaits every delivery. */
const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

beforeAll(() => run(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('bench/tsconfig.json')]));

/** Only `npm run prove` measures CPU, time and memory: a small run beside other tests is noise. */
async function measure(...options: string[]): Promise<string> {
  const bounds = runSize(0, 1) === 1 ? ['--rounds', '9', '--check'] : ['--rounds', '1'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const requested = run(process.execPath, [pathOf('bench/dist/bench/subscriptions/run.js'), ...options, ...bounds], { env });
  // The output names the missed bound.
  const { stdout } = await requested.catch((failed: Awaited<typeof requested>) => failed);
  process.stdout.write(stdout);
  await requested;
  return stdout;
}

test('broadcast delivers each event to all subscribers at about the cost of a raw broadcast', async () => {
  const clients = runSize(50, 10_000);
  const said = await measure('--clients', `${clients}`, '--deliveries', `${runSize(1_000, 100_000)}`);
  expect(said).toContain(`${clients} of ${clients} clients are still subscribed`);
});

test('broadcast closes a client that stops reading, without a cost for the others', async () => {
  const clients = runSize(3, 1_000);
  // The kernel buffers megabytes for a client that does not read; how many depends on the machine.
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
