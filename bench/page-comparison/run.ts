/**
 * The same page with plain ethers and with Grimoire: lines of code, requests to the node and milliseconds. Prints a table; `--report` also writes it
 * to the README.
 */
import { equal } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { OURS, OURS_CACHED, startProgram } from '../contenders.ts';
import { median } from '../table.ts';
import { type CountingProxy, startCountingProxy } from './delaying-proxy.ts';
import { loadPage as loadWithEthers } from './ethers-page.ts';
import { loadPage as loadWithGrimoire } from './grimoire-page.ts';
import type { Page } from './page.ts';

/** The folder of the sources, from that of the built benchmark. */
const SOURCES = new URL('../../../page-comparison/', import.meta.url);
const README = new URL('../../../../README.md', import.meta.url);

const { values: options } = parseArgs({
  options: {
    latency: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '15' },
    report: { type: 'boolean', default: false },
  },
});
const latencyMs = Number(options.latency);

/** The part of `/devnet.json` that the measurement needs. */
interface Devnet {
  readonly nodeService: { readonly http: string; readonly ws: string };
  readonly accounts: readonly { readonly address: `0x${string}` }[];
}

interface Contender {
  readonly title: string;
  readonly file: string;
  readonly node: CountingProxy;
  load(): Promise<Page>;
}

interface Figures {
  readonly milliseconds: number[];
  requests: number;
  calls: number;
}

/** Lines of a source that are neither empty nor a comment. */
const linesOf = (file: string): number =>
  readFileSync(new URL(file, SOURCES), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line)).length;

/** Lets the contenders take turns; the first load of each is not measured. All must return the same page. */
async function measure(contenders: readonly Contender[]): Promise<Figures[]> {
  const figures = contenders.map((): Figures => ({ milliseconds: [], requests: 0, calls: 0 }));
  let expected: string | undefined;
  for (let round = 0; round <= Number(options.rounds); round += 1) {
    for (const [i, { node, load }] of contenders.entries()) {
      node.takeCounts();
      const start = performance.now();
      const page = await load();
      const elapsed = performance.now() - start;
      // ethers writes whole amounts with a decimal place.
      const text = JSON.stringify(page, null, 1).replaceAll('.0"', '"');
      expected ??= text;
      equal(text, expected);
      if (round === 0) continue;
      figures[i]!.milliseconds.push(elapsed);
      Object.assign(figures[i]!, node.takeCounts());
    }
  }
  return figures;
}

// Without traffic, so that each load has the same blocks.
const network = await startProgram({ ...OURS, settings: { DEVNET_LIFE: 'off' } });
const { nodeService, accounts } = (await (await fetch(new URL('/devnet.json', network.url))).json()) as Devnet;
const { address } = accounts[0]!;
// Standard methods alone, which ethers uses, too.
const settings = { RPC_WS_URL: nodeService.ws, NODE_METHODS: 'plain' };
const nodes = await Promise.all([1, 2, 3].map(() => startCountingProxy(nodeService.http, latencyMs)));
const graphs = await Promise.all([
  startProgram({ ...OURS, settings: { ...settings, CACHE_BYTES: '0' } }, nodes[1]!.url),
  startProgram({ ...OURS_CACHED, settings }, nodes[2]!.url),
]);
const graphProxies = await Promise.all(graphs.map(({ url }) => startCountingProxy(url, latencyMs)));
const grimoire = (title: string, i: number): Contender => ({
  title,
  file: 'grimoire-page.ts',
  node: nodes[i + 1]!,
  load: () => loadWithGrimoire(graphProxies[i]!.url, address),
});
const contenders: Contender[] = [
  { title: 'ethers', file: 'ethers-page.ts', node: nodes[0]!, load: () => loadWithEthers(nodes[0]!.url, address) },
  grimoire('Grimoire, nothing cached', 0),
  grimoire('Grimoire, loaded before', 1),
];
try {
  const rows = (await measure(contenders)).map(({ milliseconds, requests, calls }, i) => {
    const { title, file } = contenders[i]!;
    return `| ${title} | ${linesOf(file)} | ${requests} | ${calls} | ${Math.round(median(milliseconds))} |`;
  });
  const table = `| page | lines of code | requests to the node | JSON-RPC calls | milliseconds |\n|---|---|---|---|---|\n${rows.join('\n')}`;
  process.stdout.write(`${table}\n`);
  if (options.report) {
    const readme = readFileSync(README, 'utf8');
    const place = /(<!-- page-comparison -->\n).*(<!-- \/page-comparison -->)/s;
    writeFileSync(
      README,
      readme.replace(place, (_all, start, end) => `${start}${table}\n${end}`),
    );
  }
} finally {
  for (const proxy of [...nodes, ...graphProxies]) proxy.stop();
  await Promise.all([...graphs, network].map((program) => program.stop()));
}
