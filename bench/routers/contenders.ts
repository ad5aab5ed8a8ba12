import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { reservePort } from '../../test/support/reserved-port.ts';
import { OURS, type RunningProgram, startProgram } from '../contenders.ts';

const ROOT = new URL('../../../../', import.meta.url);
const MODULES = fileURLToPath(new URL('test/external/routers/packages/node_modules/', ROOT));
const PROGRAMS = join(MODULES, '.routers');

/** Starts the one graph and the subgraphs, without the cache, so that every response is executed. Adds them to `running`. */
export async function startServers(
  { rpcUrl, wizardsUrl }: { readonly rpcUrl: string; readonly wizardsUrl: string },
  running: RunningProgram[],
): Promise<Record<string, RunningProgram>> {
  const settings = {
    ...OURS.settings,
    WIZARDS_URL: wizardsUrl,
    WIZARDS_API_TOKEN: 'bench',
    WIZARDS_EMAIL: 'bench@wizards.example',
  };
  const servers: Record<string, RunningProgram> = {};
  for (const name of ['graph', 'chain', 'tokens', 'wizards']) {
    const own = name === 'graph' ? settings : { ...settings, DOMAIN: name };
    servers[name] = await startProgram({ ...OURS, name, settings: own }, rpcUrl);
    running.push(servers[name]);
  }
  return servers;
}

/** Composes running subgraphs. */
export async function compose(servers: Readonly<Record<string, RunningProgram>>): Promise<string> {
  const services = Object.entries(servers).map(async ([name, { url }]) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{ _service { sdl } }"}' });
    const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
    return { name, url, typeDefs: parse(data._service.sdl) };
  });
  const { supergraphSdl, errors } = composeServices(await Promise.all(services));
  if (!supergraphSdl) throw new Error(errors!.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

const COMMANDS: Readonly<Record<string, (supergraph: string, port: string) => string[]>> = {
  'Hive Gateway': (supergraph, port) => [
    join(MODULES, '@graphql-hive/gateway/dist/bin.js'),
    ...['supergraph', supergraph, '--host', '127.0.0.1', '--port', port],
    ...['--config-path', join(PROGRAMS, 'hive-gateway.config.mjs')],
  ],
  'Apollo Gateway': (supergraph) => [join(PROGRAMS, 'apollo-gateway.mjs'), supergraph],
};

export const ROUTERS = Object.keys(COMMANDS);

/** Starts a router with the configuration of `examples/routers`. */
export async function startRouterProgram(name: string, supergraphSdl: string): Promise<RunningProgram> {
  cpSync(fileURLToPath(new URL('examples/routers/', ROOT)), PROGRAMS, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'grimoire-bench-'));
  const supergraph = join(folder, 'supergraph.graphql');
  writeFileSync(supergraph, supergraphSdl);
  const reserved = await reservePort();
  await reserved.release();
  const port = String(reserved.port);
  const child = spawn(process.execPath, COMMANDS[name]!(supergraph, port), {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (/listen(s|ing) on/i.test(output)) resolve();
    });
    child.once('exit', (status) => reject(new Error(`${name} exited with status ${status}: ${output}`)));
  });
  return {
    name,
    url: `http://127.0.0.1:${port}/graphql`,
    pid: child.pid!,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
