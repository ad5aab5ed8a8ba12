import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stopAfterTests } from '../cleanups.ts';
import { postJson } from '../clients/post-json.ts';
import { assertNoSecret, CLIENT_HEADERS, checkFetchedResponses } from '../secrets.ts';
import { waitUntilStoring } from '../webhooks/sender.ts';
import type { DataOf, GraphResponse } from './results.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

checkFetchedResponses();

/** A graph on a free port. */
export interface RunningGraph {
  readonly url: string;
  /** Its ready message and its log so far. */
  output(): string;
  /** Executes an operation over POST. */
  execute<const Text extends string, T = DataOf<Text>>(
    query: Text,
    variables?: Record<string, unknown>,
  ): Promise<HttpResponse<T>>;
  /** Rejects when the output holds a secret. */
  stop(): Promise<unknown>;
}

/** The built program in its own process. */
export interface GraphProcess extends RunningGraph {
  readonly process: ChildProcess;
  /** Sends SIGINT, which has no grace period, and returns the exit status. Rejects when the output holds a secret. */
  stop(): Promise<number | null>;
}

export interface HttpResponse<T = any> extends GraphResponse<T> {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Starts the program with these settings and a minimal environment, at log level trace, with one embedded chain. Resolves at its ready
 * message; with DATABASE_URL, which must work, only when the database is prepared: on a busy machine that takes longer than a request waits.
 * `flags`: those of Node.
 */
export async function startGraph(settings: Record<string, string> = {}, flags: readonly string[] = []): Promise<GraphProcess> {
  if (!existsSync(MAIN)) throw new Error('dist/main.js is missing: run "npm run build" first');
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...flags, MAIN], {
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), PORT: '0', LOG_LEVEL: 'trace', DEVNET_CHAINS: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const closed = once(child, 'close');
  const collect = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const url = await new Promise<string>((resolve, reject) => {
    // Only until the ready message: a search flattens the whole text, which grows to megabytes.
    const findUrl = () => {
      const ready = /graph +(http:\S+)\/graphql/.exec(output);
      if (!ready) return;
      child.stdout.off('data', findUrl);
      resolve(ready[1]!);
    };
    child.stdout.on('data', findUrl);
    child.once('close', (code) => reject(new Error(`the graph exited with status ${code}: ${output}`)));
  }).catch((error) => {
    assertNoSecret(output, 'the output of the graph before it exited');
    throw error;
  });
  const graph: GraphProcess = {
    url,
    process: child,
    output: () => output,
    execute: (query, variables) => executeOverHttp(url, query, variables),
    stop: stopAfterTests(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
      await closed;
      assertNoSecret(output, 'the output of the graph');
      return child.exitCode;
    }),
  };
  if (settings.DATABASE_URL) await waitUntilStoring(url);
  return graph;
}

/** Executes an operation over POST, with secrets of the client in the headers. */
export async function executeOverHttp<const Text extends string, T = DataOf<Text>>(
  url: string,
  query: Text,
  variables?: Record<string, unknown>,
): Promise<HttpResponse<T>> {
  const response = await postJson(`${url}/graphql`, { query, variables }, CLIENT_HEADERS);
  return { status: response.status, headers: response.headers, ...((await response.json()) as { data: T }) };
}
