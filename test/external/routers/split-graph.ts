import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FurtherChain } from '../../../devnet/src/description.ts';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { transfer } from '../../../devnet/src/world/transaction-requests.ts';
import { rpc, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { waitUntil } from '../../support/wait-until.ts';

export const DOMAINS = ['chain', 'tokens', 'webhooks', 'wizards'] as const;

let postgres: Promise<TestPostgres> | undefined;

/** Creates an empty database for webhooks, whose server ends with the test file, and returns its URL. */
export async function createDatabase(): Promise<string> {
  postgres ??= startTestPostgres();
  return (await postgres).createDatabase();
}

/** Reads the description of the embedded chain of a graph. */
export const readDevnet = async ({ url }: RunningGraph): Promise<DevnetDescription> =>
  (await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription;

export { upstreamSettings };

/** The entry of a file of CHAINS for a further embedded chain. */
export const configuredChain = ({ chainId, nodeService, wizardService, tournament }: FurtherChain) => ({
  id: chainId,
  rpcUrl: nodeService.http,
  rpcWsUrl: nodeService.ws,
  wizardsUrl: wizardService.url,
  wizardsApiToken: wizardService.token,
  wizardsEmail: wizardService.email,
  tournamentAddress: tournament.address,
});

/** Mines a block with a token transfer of the first account, which emits one log; resolves with the hash of the block. */
export async function mineTransfer({ accounts, contracts, endpoints }: DevnetDescription): Promise<string> {
  const [alice, bob] = accounts.map(({ address }) => address);
  const call = (method: string, ...params: unknown[]) => rpc(endpoints.http, method, params);
  const hash = await call('eth_sendTransaction', transfer(alice!, contracts[0]!.address, bob!, 1n));
  let receipt: { blockHash: string } | null = null;
  await waitUntil(async () => {
    receipt = await call('eth_getTransactionReceipt', hash);
    return receipt !== null;
  }, 'the transfer is mined');
  return receipt!.blockHash;
}

/** Resolves when the head of each server, which has the domain `chain`, is this block. */
export async function waitForHead(hash: string, servers: readonly RunningGraph[]): Promise<void> {
  for (const server of servers) {
    await waitUntil(async () => (await server.execute('{ block { hash } }')).data.block.hash === hash, `the head is ${hash}`);
  }
}

/** The subgraph of each domain; each runs in its own process. */
export type Subgraphs = Readonly<Record<(typeof DOMAINS)[number], GraphProcess>>;

/** Starts one server for each domain with these settings, and over an empty database without DATABASE_URL. */
export async function startSubgraphs(settings: Record<string, string>): Promise<Subgraphs> {
  const { DATABASE_URL = await createDatabase() } = settings;
  const servers = await Promise.all(DOMAINS.map((domain) => startGraph({ ...settings, DATABASE_URL, DOMAIN: domain })));
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
  const program = fileURLToPath(new URL('../../../examples/federation/profiles.mjs', import.meta.url));
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
