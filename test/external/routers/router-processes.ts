import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { createTemporaryFolder, stopAfterTests } from '../../support/cleanups.ts';
import type { HttpResponse } from '../../support/graph/running-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';

const MODULES = fileURLToPath(new URL('packages/node_modules/', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));
/** A copy of the examples where they find the packages of the routers. */
const PROGRAMS = join(MODULES, '.routers');

/** The response of a router without its headers. */
export type RouterResponse<T = any> = Omit<HttpResponse<T>, 'headers'>;

/** A router in its own process, with the configuration of `examples/routers`. */
export interface Router {
  /** Without the path `/graphql`. */
  readonly url: string;
  execute<T = any>(query: string, variables?: object, headers?: Record<string, string>): Promise<RouterResponse<T>>;
  stop(): Promise<void>;
}

/** A router, and the command that starts it over the file of a supergraph. */
export interface RouterKind {
  readonly name: string;
  readonly command: (supergraph: string, port: string) => readonly string[];
  /** Matches its output when it listens. */
  readonly ready: RegExp;
}

const hiveGateway = (name: string, config: string): RouterKind => ({
  name,
  command: (supergraph, port) => [
    join(MODULES, '@graphql-hive/gateway/dist/bin.js'),
    ...['supergraph', supergraph, '--host', '127.0.0.1', '--port', port, '--config-path', join(PROGRAMS, config)],
  ],
  ready: /Listening on/,
});

export const HIVE_GATEWAY = hiveGateway('Hive Gateway', 'hive-gateway.config.mjs');
/** Hive Gateway with subscriptions of subgraphs over WebSocket instead of event streams. */
export const HIVE_GATEWAY_WEBSOCKET = hiveGateway('Hive Gateway over WebSocket', 'hive-gateway-websocket.config.mjs');
/** Hive Gateway with its own WebSocket transport, which reconnects. */
export const HIVE_GATEWAY_STREAMS = hiveGateway('Hive Gateway with named streams', 'hive-gateway-streams.config.mjs');

export const APOLLO_GATEWAY: RouterKind = {
  name: 'Apollo Gateway',
  command: (supergraph) => [join(PROGRAMS, 'apollo-gateway.mjs'), supergraph],
  ready: /listens on/,
};

/** Composes running subgraphs with `examples/federation/compose.mjs`. */
export async function composeSupergraph(subgraphs: Readonly<Record<string, string>>): Promise<string> {
  const services = Object.entries(subgraphs).map(([name, url]) => `${name}=${url}/graphql`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(EXAMPLES, 'federation/compose.mjs'), ...services]);
  return stdout;
}

/** Starts a router over a supergraph, with these environment variables; resolves when it listens. */
export async function startRouter(
  kind: RouterKind,
  supergraphSdl: string,
  environment: Record<string, string> = {},
): Promise<Router> {
  cpSync(join(EXAMPLES, 'routers'), PROGRAMS, { recursive: true });
  const folder = createTemporaryFolder();
  const supergraph = join(folder, 'supergraph.graphql');
  writeFileSync(supergraph, supergraphSdl);
  const port = await findFreePort();
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...kind.command(supergraph, String(port))], {
    cwd: folder,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), NODE_ENV: 'production', PORT: String(port), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const stop = stopAfterTests(async () => {
    // SIGKILL: the routers have no state to save, and on SIGTERM some wait for their clients.
    child.kill('SIGKILL');
    await closed;
  });
  const url = `http://127.0.0.1:${port}`;
  await waitForOutput(child, kind);
  return { url, execute: (...request) => post(url, ...request), stop };
}

/** Resolves when the router is ready; rejects with its output if it exits before. */
const waitForOutput = (child: ChildProcess, { name, ready }: RouterKind): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = '';
    const collect = (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-16_384);
      if (ready.test(output)) resolve();
    };
    child.stdout!.on('data', collect);
    child.stderr!.on('data', collect);
    child.once('close', (code) => reject(new Error(`${name} exited with status ${code}: ${output}`)));
  });

/** Opens a connection for each request: the routers close idle connections after seconds, also while a request is being sent. */
const dispatcher = new Agent({ pipelining: 0 });

async function post(url: string, query: string, variables?: object, headers?: Record<string, string>): Promise<RouterResponse> {
  const { statusCode, body } = await request(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const text = await body.text();
  if (!text.startsWith('{')) throw new Error(`the router responded with ${statusCode}: ${text}`);
  return { status: statusCode, ...JSON.parse(text) };
}
