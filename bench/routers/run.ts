import { parseArgs } from 'node:util';
import { type BenchmarkClient, createBenchmarkClient } from '../client.ts';
import { canMeasure, cpuMs, type RunningProgram, STUB, startProgram } from '../contenders.ts';
import { accountAddresses, type Scenario, scenarios } from '../scenarios.ts';
import { formatNumber, median } from '../table.ts';
import { compose, ROUTERS, startRouterProgram, startServers } from './contenders.ts';

const WARM_UP_MS = 3_000;
const LATENCY_REQUESTS = 20;
/** Requests of each kind in a round of the throughput. */
const MIXED_REQUESTS = 60;

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

const scenarioOf = (name: string): Scenario => scenarios.find((one) => one.name === name)!;
const page: Scenario = {
  name: 'page',
  title: '50 wizards with the balances of their owners',
  query: 'query page { wizards(first: 50) { nodes { id power owner { address balance } } } }',
  variables: () => ({}),
  requestsPerRound: 60,
};
/** An operation of the domain `wizards` alone that takes as much CPU as one of `chain`. */
const lists: Scenario = {
  ...page,
  name: 'lists',
  query: `query lists { ${accountAddresses.map((address, i) => `a${i}: wizards(filter: { owner: "${address}" }) { nodes { id } }`).join(' ')} }`,
};
const MEASURED = [{ ...scenarioOf('front'), requestsPerRound: 400 }, { ...scenarioOf('block'), requestsPerRound: 150 }, page];

/** A graph to measure: the one graph, or the subgraphs behind a router. */
interface Contender {
  readonly name: string;
  readonly client: BenchmarkClient;
  readonly router: RunningProgram | undefined;
  readonly servers: readonly RunningProgram[];
  next: number;
}

/** CPU milliseconds of the router and of all processes, and the median latency, of one request. */
interface Figures {
  readonly router: number;
  readonly total: number;
  readonly latency: number;
}

const cpuOf = (programs: readonly RunningProgram[]) => programs.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function measureRound(scenario: Scenario, contender: Contender): Promise<Figures> {
  const { client, servers } = contender;
  const routers = contender.router ? [contender.router] : [];
  const before = { router: cpuOf(routers), servers: cpuOf(servers) };
  const from = contender.next;
  contender.next = await client.load(scenario, from, from + scenario.requestsPerRound);
  const router = (cpuOf(routers) - before.router) / scenario.requestsPerRound;
  const total = router + (cpuOf(servers) - before.servers) / scenario.requestsPerRound;
  const latencies: number[] = [];
  for (let i = 0; i < LATENCY_REQUESTS; i++) {
    const start = performance.now();
    await client.request(scenario, contender.next++);
    latencies.push(performance.now() - start);
  }
  return { router, total, latency: median(latencies) };
}

/** Formats the median of a figure's ratios to the one graph, and their range. */
function ratio(key: keyof Figures, figures: readonly Figures[], base: readonly Figures[]): string {
  const ratios = figures.map((one, round) => one[key] / base[round]![key]);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map(formatNumber);
  return `**${formatNumber(median(ratios))}** | ${low} - ${high}`;
}

async function compareScenario(scenario: Scenario, contenders: readonly Contender[]): Promise<void> {
  for (const one of contenders) one.next = await one.client.load(scenario, one.next, one.next + 1e6, WARM_UP_MS);
  const rounds = contenders.map((): Figures[] => []);
  for (let i = 0; i < Number(options.rounds); i++) {
    for (const [at, one] of contenders.entries()) rounds[at]!.push(await measureRound(scenario, one));
  }
  const base = rounds[0]!;
  for (const [i, { name, router }] of contenders.entries()) {
    const figures = rounds[i]!;
    const [total, latency] = (['total', 'latency'] as const).map((key) => formatNumber(median(figures.map((one) => one[key]))));
    const share = median(figures.map((one) => one.router / one.total));
    print(
      router
        ? `|  | ${name} | ${ratio('total', figures, base)} | ${Math.round(share * 100)} % | ${ratio('latency', figures, base)} |`
        : `| ${scenario.title} | ${name} | 1 (${total} ms) |  |  | 1 (${latency} ms) |  |`,
    );
  }
}

/** Milliseconds in which two kinds of operations are executed at the same time, each kind by clients of its own. */
async function measureMix(chain: BenchmarkClient, wizards: BenchmarkClient, from: number): Promise<number> {
  const start = performance.now();
  const to = from + MIXED_REQUESTS;
  await Promise.all([chain.load(scenarioOf('transactions'), from, to), wizards.load(lists, from, to)]);
  return performance.now() - start;
}

if (!canMeasure) throw new Error('CPU is measured on Linux only');
const stub = await startProgram(STUB);
const wizards = await startProgram({ name: 'wizards', file: 'routers/wizards-stub.js', share: 1 });
const running: RunningProgram[] = [stub, wizards];
try {
  const upstreams = { rpcUrl: stub.url, wizardsUrl: wizards.url.replace('/graphql', '') };
  const { graph, ...subgraphs } = await startServers(upstreams, running);
  const servers = Object.values(subgraphs);
  const contenders: Contender[] = [
    { name: 'one graph', client: createBenchmarkClient(graph!.url), router: undefined, servers: [graph!], next: 1 },
  ];
  const supergraph = await compose(subgraphs);
  for (const name of ROUTERS) {
    const router = await startRouterProgram(name, supergraph);
    running.push(router);
    contenders.push({ name, client: createBenchmarkClient(router.url), router, servers, next: 1 });
  }
  print(
    '| scenario | contender | CPU of all processes, one graph = 1 | min - max | of it the router | latency, one graph = 1 | min - max |',
  );
  print('|---|---|---|---|---|---|---|');
  for (const scenario of MEASURED) await compareScenario(scenario, contenders);

  const [one, ...routed] = contenders.map(({ client }) => client);
  const direct = [subgraphs.chain!, subgraphs.wizards!].map(({ url }) => createBenchmarkClient(url));
  const second = contenders.map(({ router }) => createBenchmarkClient((router ?? graph!).url));
  const kinds: [string, BenchmarkClient, BenchmarkClient][] = [
    ['one graph', one!, second[0]!],
    ['subgraphs without a router', direct[0]!, direct[1]!],
    ...routed.map((client, i): [string, BenchmarkClient, BenchmarkClient] => [ROUTERS[i]!, client, second[i + 1]!]),
  ];
  const times = kinds.map((): number[] => []);
  for (let i = 0; i <= Number(options.rounds); i++) {
    for (const [at, [, chain, other]] of kinds.entries()) {
      const ms = await measureMix(chain, other, 1e6 + i * MIXED_REQUESTS);
      // The first round is a warm-up.
      if (i > 0) times[at]!.push(ms);
    }
  }
  print('\n| the same operations through | throughput, one graph = 1 | min - max |');
  print('|---|---|---|');
  for (const [at, [name]] of kinds.entries()) {
    const ratios = times[at]!.map((ms, round) => times[0]![round]! / ms);
    print(
      `| ${name} | ${formatNumber(median(ratios))} | ${formatNumber(Math.min(...ratios))} - ${formatNumber(Math.max(...ratios))} |`,
    );
  }
  await Promise.all([...contenders.map(({ client }) => client), ...direct, ...second].map((client) => client.close()));
} finally {
  await Promise.all(running.map((program) => program.stop()));
}
