import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { runSize } from '../support/random-tests.ts';

/** The benchmarks whose figures have bounds: of responses, and of many subscribers against a raw broadcast of equal bytes. */
const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

beforeAll(() => run(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('bench/tsconfig.json')]));

/** Only `npm run prove` measures CPU, time and memory: a small run beside other tests is noise. */
async function measure(file: string, ...options: string[]): Promise<string> {
  const bounds = runSize(0, 1) === 1 ? ['--rounds', '9', '--check'] : ['--rounds', '1'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const requested = run(process.execPath, [pathOf(`bench/dist/bench/${file}`), ...options, ...bounds], { env });
  // The output names the missed bound.
  const { stdout } = await requested.catch((failed: Awaited<typeof requested>) => failed);
  process.stdout.write(stdout);
  await requested;
  return stdout;
}

test('broadcast delivers each event to all subscribers at about the cost of a raw broadcast', async () => {
  const clients = runSize(50, 10_000);
  const said = await measure('subscriptions/run.js', '--clients', `${clients}`, '--deliveries', `${runSize(1_000, 100_000)}`);
  expect(said).toContain(`${clients} of ${clients} clients are still subscribed`);
});

test('broadcast closes a client that stops reading, without a cost for the others', async () => {
  const clients = runSize(3, 1_000);
  // The kernel buffers megabytes for a client that does not read; how many depends on the machine.
  const [bytes, events] = [runSize(30_000, 6_000), runSize(1_500, 250)];
  const said = await measure(
    'subscriptions/run.js',
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

test('an idle subscriber takes few bytes and little CPU', async () => {
  const clients = runSize(50, 15_000);
  const said = await measure('subscriptions/run.js', '--clients', `${clients}`, '--idle', `${runSize(1, 40)}`);
  expect(said).toContain(`ours: ${clients} idle clients`);
});

test('the CPU of each kind of response is within its bound', async () => {
  const said = await measure('run.js', '--contenders', 'floor,ours', ...(runSize(0, 1) === 1 ? [] : ['--only', 'block']));
  expect(said).toMatch(/block, loaded: |one block, 5 fields/);
});

test('long responses take little more memory than an idle server, however often they are requested', async () => {
  const said = await measure('memory.js', '--flags=', '--requests', `${runSize(2, 20)}`);
  expect(said).toContain('| ours | other blocks each time |');
});
