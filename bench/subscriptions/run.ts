import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { canMeasure, cpuMs, peakMemoryMiB, resetPeakMemory } from '../contenders.ts';

/** A server and its clients. */
interface MeasuredServer {
  readonly name: string;
  readonly server: ChildProcess;
  readonly clients: ChildProcess;
  /** Number of clients that read their events. */
  readonly listening: number;
  /** Number of events sent in all rounds. */
  sent: number;
  /** Bytes of the server's memory per client. */
  readonly memory: number;
  readonly cpu: number[];
  readonly p99: number[];
}

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    bytes: { type: 'string', default: '600' },
    rounds: { type: 'string', default: '5' },
    /** Deliveries per round. */
    deliveries: { type: 'string', default: '200000' },
    /** Compares ours with and without one client that stops reading, instead of ours with raw. */
    stalled: { type: 'boolean', default: false },
    /** Sends no events, and measures clients that only answer pings for this number of seconds. */
    idle: { type: 'string' },
    /** Exits with status 1 when a bound is exceeded. */
    check: { type: 'boolean', default: false },
  },
});
const count = Number(options.clients);

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

async function sendCommand<T>(child: ChildProcess, command: object | string, hasResponse = true): Promise<T> {
  const response = hasResponse ? once(child, 'message') : [undefined];
  child.send(command);
  return (await response)[0] as T;
}

async function startMeasuredServer(name: string, file: string, stalled = 0): Promise<MeasuredServer> {
  const server = fork(pathOf(file), [options.bytes], { execArgv: ['--expose-gc'] });
  const [port] = await once(server, 'message');
  const before = await sendCommand<number>(server, 'memory');
  const clients = fork(pathOf('clients.js'), [port, count, file === 'raw.js' ? 0 : 1, stalled].map(String), {
    serialization: 'advanced',
  });
  await once(clients, 'message');
  while ((await sendCommand<number>(server, 'subscribers')) < count) await setTimeout(50);
  const memory = ((await sendCommand<number>(server, 'memory')) - before) / count;
  return { name, server, clients, listening: count - stalled, sent: 0, memory, cpu: [], p99: [] };
}

/** Sends events one by one, each after all clients have received the previous one. */
async function measureRound(measured: MeasuredServer, events: number): Promise<void> {
  const { server, clients, listening, cpu, p99 } = measured;
  await sendCommand(clients, { times: true });
  const before = cpuMs(server.pid!);
  const sent: number[] = [];
  for (let i = 0; i < events; i++) {
    const all = once(clients, 'message');
    await sendCommand(clients, { await: ++measured.sent * listening }, false);
    sent.push(await sendCommand<number>(server, 'emit'));
    await all;
  }
  cpu.push(((cpuMs(server.pid!) - before) * 1000) / (events * listening));
  const times = await sendCommand<number[]>(clients, { times: true });
  const latencies = times.map((at, i) => at - sent[Math.floor(i / listening)]!).sort((a, b) => a - b);
  p99.push(latencies[Math.floor(latencies.length * 0.99)]!);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const ratios = (one: readonly number[], other: readonly number[]): readonly number[] => one.map((value, i) => value / other[i]!);
const show = (all: readonly number[]): string =>
  `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} - ${Math.max(...all).toFixed(2)})`;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints each figure with its bound; with --check an exceeded bound is status 1. */
function check(bounds: readonly (readonly [name: string, actual: number, max: number])[]): void {
  for (const [name, actual, max] of canMeasure && options.check ? bounds : []) {
    const isMet = actual <= max;
    print(`${name}: ${actual.toFixed(2)}, max ${max}: ${isMet ? 'met' : 'EXCEEDED'}`);
    if (!isMet) process.exitCode = 1;
  }
}

function stop({ server, clients }: MeasuredServer): void {
  clients.disconnect();
  server.disconnect();
}

async function measureIdle(seconds: number): Promise<void> {
  for (const [name, file] of [
    ['raw', 'raw.js'],
    ['ours', 'ours.js'],
  ] as const) {
    const measured = await startMeasuredServer(name, file);
    try {
      // The garbage of the connections is collected first.
      await setTimeout(seconds * 500);
      const before = cpuMs(measured.server.pid!);
      await setTimeout(seconds * 1_000);
      const cpu = ((cpuMs(measured.server.pid!) - before) * 1_000) / seconds / count;
      const memory = (await sendCommand<number>(measured.server, 'memory')) / 1_024 / count;
      const added = measured.memory / 1_024;
      print(
        `${name}: ${count} idle clients, ${added.toFixed(1)} KiB each (${memory.toFixed(1)} with the process), ${cpu.toFixed(2)} us of CPU a second each`,
      );
      if (name === 'ours')
        check([
          ['KiB per idle client', added, 11.5],
          ['us of CPU a second per idle client', cpu, 3],
        ]);
    } finally {
      stop(measured);
    }
  }
}

if (options.idle !== undefined) {
  await measureIdle(Number(options.idle));
  process.exit();
}

const measuredServers = options.stalled
  ? [await startMeasuredServer('all read', 'ours.js'), await startMeasuredServer('one stalled', 'ours.js', 1)]
  : [await startMeasuredServer('raw', 'raw.js'), await startMeasuredServer('ours', 'ours.js')];
const [first, second] = measuredServers as [MeasuredServer, MeasuredServer];
try {
  const events = Math.max(1, Math.round(Number(options.deliveries) / count));
  for (const one of measuredServers) await measureRound(one, Math.max(20, Math.round(events / 2)));
  for (const one of measuredServers) {
    one.cpu.length = 0;
    one.p99.length = 0;
    resetPeakMemory(one.server.pid!);
  }
  if (options.stalled) await sendCommand(second.clients, { stall: true }, false);
  const memoryBefore = measuredServers.map(({ server }) => peakMemoryMiB(server.pid!));
  for (let i = 0; i < Number(options.rounds); i++) for (const one of measuredServers) await measureRound(one, events);
  print(`${count} clients, ${options.bytes} bytes, ${events} events per round`);
  const peaks = measuredServers.map(({ server }, i) => peakMemoryMiB(server.pid!) - memoryBefore[i]!);
  for (const [i, { name, cpu, p99, memory }] of measuredServers.entries()) {
    print(
      `${name}: ${median(cpu).toFixed(2)} us per delivery, p99 ${median(p99).toFixed(1)} ms, ${(memory / 1024).toFixed(1)} KiB per client, peak +${peaks[i]!.toFixed(1)} MiB`,
    );
  }
  const [cpu, p99] = [ratios(second.cpu, first.cpu), ratios(second.p99, first.p99)];
  print(`ratios: CPU ${show(cpu)}, p99 ${show(p99)}`);
  const left = await sendCommand<number>(second.server, 'subscribers');
  print(`${left} of ${count} clients are still subscribed`);
  const bounds: readonly (readonly [name: string, actual: number, max: number])[] = options.stalled
    ? [
        ['p99 of the others', median(p99), 1.1],
        ['MiB for the stalled client', peaks[1]! - peaks[0]!, 2],
      ]
    : [
        ['CPU', median(cpu), 1.15],
        ['p99', median(p99), 1.2],
        ['KiB per client', second.memory / 1024, 14],
      ];
  check(bounds);
} finally {
  for (const measured of measuredServers) stop(measured);
}
