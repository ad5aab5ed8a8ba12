import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DevnetDescription } from '../../src/devnet/index.ts';
import { type GraphProcess, type RunningGraph, startGraph } from '../support/graph/running-graph.ts';

export const DOMAINS = ['chain', 'tokens', 'wizards'] as const;

/** Reads the description of the embedded chain of a graph. */
export const readDevnet = async ({ url }: RunningGraph): Promise<DevnetDescription> =>
  (await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription;

/** Settings of a server over the node and the wizard service of a devnet. */
export const upstreamSettings = ({ nodeService, wizardService }: DevnetDescription): Record<string, string> => ({
  RPC_URL: nodeService.http,
  RPC_WS_URL: nodeService.ws,
  WIZARDS_URL: wizardService.url,
  WIZARDS_API_TOKEN: wizardService.token,
  WIZARDS_EMAIL: wizardService.email,
});

/** The subgraph of each domain, in a process of its own. */
export type Subgraphs = Readonly<Record<(typeof DOMAINS)[number], GraphProcess>>;

/** Starts one server for each domain with these settings. */
export async function startSubgraphs(settings: Record<string, string>): Promise<Subgraphs> {
  const servers = await Promise.all(DOMAINS.map((domain) => startGraph({ ...settings, DOMAIN: domain })));
  return Object.fromEntries(DOMAINS.map((domain, i) => [domain, servers[i]!])) as unknown as Subgraphs;
}

/** The URLs of subgraphs by name, as a composer needs them. */
export const urlsOf = (subgraphs: Subgraphs): Record<string, string> =>
  Object.fromEntries(DOMAINS.map((domain) => [domain, subgraphs[domain].url]));

/** The subgraph of another team in `examples/federation`. */
export interface ForeignSubgraph {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startForeignSubgraph(): Promise<ForeignSubgraph> {
  const program = fileURLToPath(new URL('../../examples/federation/profiles.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return {
    url: String(line)
      .trim()
      .replace(/\/graphql$/, ''),
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
