import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installVirtualCluster } from './cluster.ts';
import { installVirtualNetwork } from './network.ts';
import { installVirtualTime } from './virtual-time.ts';

/**
 * Runs the whole server in virtual time: one process, one seed, no real time, no real sockets.
 *
 *     npm run simulate -- --seed 7                             # one seed, whose trace hash is equal in each run
 *     npm run simulate -- --seed 1 --seeds 200 --processes 2   # seeds 1 to 200; exits with status 1 if a promise is broken
 *     npm run simulate -- --seed 1 --seeds 200 --also 1546,3603  # and two further seeds
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    // Also runs these seeds, separated by commas.
    also: { type: 'string', default: '' },
    // Prints the trace hash of each seed.
    traces: { type: 'boolean', default: false },
    // Also kills the server, and starts it again.
    kills: { type: 'boolean', default: false },
    // Some seeds also have webhooks over PostgreSQL.
    webhooks: { type: 'boolean', default: false },
    // Ends at the first seed that fails.
    bail: { type: 'boolean', default: false },
  },
});
const [first, count, processes] = [values.seed, values.seeds, values.processes].map(Number) as [number, number, number];
const also = values.also.split(',').filter(Boolean).map(Number);
const seeds = [...Array.from({ length: count }, (_none, i) => first + i), ...also];

/** Runs a share of the seeds in each process, and returns the number of processes with a failed seed. */
async function runProcesses(): Promise<number> {
  const flags = (['traces', 'bail', 'kills', 'webhooks'] as const).filter((name) => values[name]).map((name) => `--${name}`);
  const statuses = Array.from({ length: processes }, async (_none, i) => {
    const own = ['--seeds', 0, '--also', seeds.filter((_seed, at) => at % processes === i), ...flags];
    const args = [...process.execArgv, fileURLToPath(import.meta.url), ...own];
    const [status] = await once(spawn(process.execPath, args.map(String), { stdio: 'inherit' }), 'exit');
    return status;
  });
  return (await Promise.all(statuses)).filter((status) => status !== 0).length;
}

/** Runs the seeds one after the other, and returns the number of failed ones. */
async function runSeeds(): Promise<number> {
  // As the program sets it.
  process.env.NODE_ENV = 'production';
  const realNow = performance.now.bind(performance);
  // The first use connects it, in real time.
  const { stdout } = process;
  // They make errors slower.
  process.setSourceMapsEnabled(seeds.length === 1);
  const time = installVirtualTime();
  const [network, cluster] = [installVirtualNetwork(), installVirtualCluster()];
  const { simulate } = await import('./world.ts');
  const startedAt = realNow();
  const sums = { virtualMs: 0, queries: 0, events: 0, faults: 0, resumptions: 0, kills: 0, deliveries: 0 };
  const failed: number[] = [];
  let current = seeds[0];
  process.on('unhandledRejection', (error) => {
    stdout.write(`seed ${current} failed: nothing handles ${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  });
  for (const seed of seeds) {
    current = seed;
    time.reset(seed);
    network.reset();
    cluster.reset();
    try {
      const outcome = await simulate(seed, time, { network, cluster }, values);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += outcome[name];
      if (values.traces || seeds.length === 1) stdout.write(`seed ${seed}: trace ${outcome.trace}\n`);
    } catch (error) {
      failed.push(seed);
      stdout.write(`seed ${seed} failed after ${time.now} ms: ${error instanceof Error ? error.stack : error}\n`);
      if (values.bail) break;
    }
  }
  const seconds = (realNow() - startedAt) / 1_000;
  const { virtualMs, queries, events, faults, resumptions, kills, deliveries } = sums;
  stdout.write(
    `${seeds.length} seeds from ${seeds[0]} in ${seconds.toFixed(1)} s, ${(virtualMs / 1_000 / seconds).toFixed(0)} times real time: ${queries} queries, ` +
      `${events} events, ${faults} faults, ${kills} kills, ${resumptions} resumptions, ${deliveries} deliveries; failed: ${failed.join(' ') || 'none'}\n`,
  );
  return failed.length;
}

const failures = processes > 1 ? await runProcesses() : await runSeeds();
process.exit(failures > 0 ? 1 : 0);
