import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_CONNECTIONS } from './client.ts';
import { beforeOf, canMeasure, EXECUTORS, FLOOR, OURS, PLAIN, STUB, startProgram, WORKERS } from './contenders.ts';
import { measure } from './measure.ts';
import { profile } from './profile.ts';
import { bounds, type Scenario, scenarios } from './scenarios.ts';
import { formatNumber, isFloor, median, ratiosToFloor, rows, TABLE_HEAD } from './table.ts';

const README = new URL('../../README.md', import.meta.url);

/** Replaces the text between the comments `<!-- name -->` and `<!-- /name -->` of the README. */
function writeReport(name: string, text: string): void {
  const place = new RegExp(`(<!-- ${name} -->\\n)[^]*(<!-- /${name} -->)`);
  const readme = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    readme.replace(place, (_all, start, end) => `${start}${text}\n${end}`),
  );
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    connections: { type: 'string', default: String(DEFAULT_CONNECTIONS) },
    before: { type: 'string' },
    contenders: { type: 'string', default: 'floor,ours,plain' },
    report: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const selectedScenarios = scenarios.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
const contenders = [FLOOR, OURS, WORKERS, PLAIN, ...EXECUTORS];
const programs = options.contenders.split(',').map((name) => {
  const program = contenders.find((one) => one.name === name);
  if (!program) throw new Error(`unknown contender "${name}"; pass ${contenders.map((one) => one.name).join(', ')}`);
  return program;
});
if (options.before !== undefined) programs.push(beforeOf(resolve(options.before)));
if (selectedScenarios.length === 0)
  throw new Error(`unknown scenario; --only accepts ${scenarios.map(({ name }) => name).join(', ')}`);
if (!canMeasure) print('CPU and memory are measured on Linux only; on this platform the table has the upstream counts.\n');

/** Medians are compared with bounds. */
const rounds = Number(options.rounds ?? (options.check ? 5 : 3));
const stub = await startProgram(STUB);

/** Measures a scenario and prints its figure with its bound; above the bound, the exit status is 1. */
async function checkBound(scenario: Scenario, load: 'alone' | 'loaded', connections: number): Promise<void> {
  const figures = await measure(scenario, [FLOOR, OURS], { rounds, connections, stub: stub.url });
  // The cached response of repeated requests is the last row.
  const ratio = median(ratiosToFloor(figures.at(-1)!, figures.find(isFloor)));
  const bound = bounds[scenario.name]![load];
  const isExceeded = canMeasure && ratio > bound;
  print(`${scenario.name}, ${load}: ${formatNumber(ratio)}, at most ${bound}${isExceeded ? ': EXCEEDED' : ''}`);
  if (isExceeded) process.exitCode = 1;
}

try {
  const texts: string[] = [];
  const show = (text: string) => {
    texts.push(text);
    print(text);
  };
  if (options.check) {
    for (const scenario of selectedScenarios) await checkBound(scenario, 'alone', 1);
    for (const scenario of selectedScenarios) await checkBound(scenario, 'loaded', 16);
  } else if (options.profile) {
    for (const scenario of selectedScenarios) show(`${await profile(scenario, stub.url, Number(options.connections))}\n`);
  } else {
    const measureOptions = { rounds, connections: Number(options.connections), stub: stub.url };
    show(TABLE_HEAD);
    for (const scenario of selectedScenarios) {
      show(rows(scenario, await measure(scenario, programs, measureOptions)).join('\n'));
    }
  }
  if (options.report) writeReport(options.profile ? 'profile' : 'figures', texts.join('\n').trimEnd());
} finally {
  await stub.stop();
}
