import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** The files of `src` that the built server executes for one query, and for one block with one event. Sorted paths. */
export interface ExecutedFiles {
  readonly query: readonly string[];
  readonly event: readonly string[];
}

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const QUERY = 'query Measured($number: Long!) { block(number: $number) { transactions { hash receipt { logs { topics } } } } }';
const SUBSCRIPTION = 'subscription Measured { logs(filter: {}) { data topics } }';

/** How long the server does nothing before and after the measured work; its timers of a second run outside of it. */
const IDLE_MS = 300;

interface CoverageRange {
  readonly startOffset: number;
  readonly count: number;
}
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly [CoverageRange, ...CoverageRange[]] }[];
}

/**
 * Measures V8's precise coverage of the built server, mapped through its source maps, while it executes a repeated request of one shape, and
 * further blocks with one log event for one subscriber. The cache is off; the chain is an embedded network in another process.
 */
export async function measureExecutedFiles(): Promise<ExecutedFiles> {
  const devnet = await startServer({ DEVNET_LIFE: 'off' });
  try {
    const description = (await (await fetch(`${devnet.url}/devnet.json`)).json()) as DevnetDescription;
    const { nodeService, landmarks } = description;
    const settings = { RPC_URL: nodeService.http, RPC_WS_URL: nodeService.ws, CACHE_BYTES: '0' };
    const server = await startServer(settings, ['--inspect=127.0.0.1:0']);
    const profiler = await connectProfiler(await server.debuggerUrl);
    try {
      const query = await filesOfRepeated(profiler, (n) => sendQuery(server.url, landmarks.crowdedBlock + n));
      const { events, dispose } = await subscribeToLogs(server.url);
      const event = await filesOfRepeated(profiler, async () => {
        await approveTokens(description);
        await events.next();
      });
      await dispose();
      return { query, event };
    } finally {
      profiler.close();
      await server.stop();
    }
  } finally {
    await devnet.stop();
  }
}

interface DevnetDescription {
  readonly nodeService: { readonly http: string; readonly ws: string };
  readonly endpoints: { readonly http: string };
  readonly accounts: readonly { readonly address: string }[];
  readonly contracts: readonly { readonly address: string }[];
  readonly landmarks: { readonly crowdedBlock: number };
}

/** The files that each of three further calls of `work` executes: on a busy machine, a timer of the server may run beside one of them. */
async function filesOfRepeated(profiler: Profiler, work: (n: number) => Promise<void>): Promise<string[]> {
  await work(0);
  const executed: string[][] = [];
  while (executed.length < 3) {
    await delay(IDLE_MS);
    await profiler.take();
    await work(1);
    await delay(IDLE_MS);
    executed.push(executedSources(await profiler.take()));
  }
  return executed[0]!.filter((file) => executed.every((files) => files.includes(file)));
}

async function post(url: string, body: object): Promise<{ readonly error?: unknown; readonly errors?: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as { error?: unknown; errors?: unknown };
  if (result.error ?? result.errors) throw new Error(`${url}: ${JSON.stringify(result)}`);
  return result;
}

const sendQuery = async (url: string, number: number): Promise<void> =>
  void (await post(`${url}/graphql`, { query: QUERY, variables: { number } }));

/** Mines a block with one transaction, which emits one event: an approval of an account that the network does not use. */
const approveTokens = async ({ endpoints, accounts, contracts }: DevnetDescription): Promise<void> => {
  const data = `0x095ea7b3${accounts[0]!.address.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
  const transaction = { from: accounts.at(-1)!.address, to: contracts[0]!.address, gas: '0x186a0', data };
  await post(endpoints.http, { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [transaction] });
};

/** Resolves when the server has accepted the subscription. */
async function subscribeToLogs(url: string) {
  const client = createClient({ url: `${url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
  const events = client.iterate({ query: SUBSCRIPTION });
  await new Promise<void>((resolve) => client.on('connected', () => resolve()));
  await delay(IDLE_MS);
  return { events, dispose: async () => void (await client.dispose()) };
}

interface Profiler {
  /** Returns the functions that were called since the last call. */
  take(): Promise<readonly ScriptCoverage[]>;
  close(): void;
}

/** Connects to the inspector of a process, and starts to count calls. */
async function connectProfiler(url: string): Promise<Profiler> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let id = 0;
  const call = async (method: string, params: object = {}): Promise<{ result: readonly ScriptCoverage[] }> => {
    socket.send(JSON.stringify({ id: ++id, method, params }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    return (JSON.parse(data.toString()) as { result: { result: readonly ScriptCoverage[] } }).result;
  };
  await call('Profiler.enable');
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return { take: async () => (await call('Profiler.takePreciseCoverage')).result, close: () => socket.close() };
}

/** The files of `src` of the functions that were called, without generated ones. */
function executedSources(coverage: readonly ScriptCoverage[]): string[] {
  const sources = new Set<string>();
  for (const { url, functions } of coverage) {
    const called = functions.filter(({ ranges: [{ count }] }) => count > 0);
    if (called.length === 0 || !url.startsWith(new URL('.', pathToFileURL(MAIN)).href)) continue;
    const { text, map } = bundle(fileURLToPath(url));
    for (const { ranges } of called) {
      const before = text.slice(0, ranges[0].startOffset).split('\n');
      const entry = map.findEntry(before.length - 1, before.at(-1)!.length);
      const path = 'originalSource' in entry ? entry.originalSource : '';
      const source = path.includes('node_modules') ? undefined : /(?:^|\/)(src\/(?!generated).+\.ts)$/.exec(path)?.[1];
      if (source) sources.add(source);
    }
  }
  return [...sources].sort();
}

function bundle(path: string): { readonly text: string; readonly map: SourceMap } {
  return { text: readFileSync(path, 'utf8'), map: new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) };
}

/** Starts the built server; resolves when it is ready. */
async function startServer(settings: Record<string, string>, nodeFlags: readonly string[] = []) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...nodeFlags, MAIN], {
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'silent', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const debuggerUrl = nodeFlags.length > 0 ? printed(child.stderr, child, /listening on (ws:\S+)/) : Promise.resolve('');
  const url = await printed(child.stdout, child, /graph +(http:\S+)\/graphql/);
  return {
    url,
    debuggerUrl,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Resolves with the first group of the first line that matches. */
async function printed(stream: NodeJS.ReadableStream, child: ChildProcess, pattern: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const match = pattern.exec(line)?.[1];
    if (match === undefined) continue;
    stream.resume();
    return match;
  }
  throw new Error(`the server ended with status ${child.exitCode} before it was ready`);
}
