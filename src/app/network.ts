import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { servesSeveralChains } from '../config/setting-checks.ts';
import type { EmbeddedServices } from '../domains/domain.ts';
import { GraphError, isErrorCode } from '../lib/errors.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import { createHostCheck, listenHostNames } from '../lib/urls.ts';

type Devnet = Awaited<ReturnType<typeof import('@grimoire/devnet')['startDevnet']>>;

/** The embedded network, or one of its further chains, as `/devnet.json` describes it. */
export type NetworkDescription = Devnet['description'];

/**
 * The embedded network that a server uses, of this process or of `grimoire devnet`. A network of another process has
 * neither a database, a receiver of registered webhooks nor notifications, its exit is not observed, and `stop` does not
 * stop it.
 */
export type EmbeddedNetwork = Pick<Devnet, 'description' | 'stop'> & Partial<Devnet>;

/** The code of the embedded network. Throws BAD_USER_INPUT if its package is not installed. */
async function importDevnet(): Promise<typeof import('@grimoire/devnet')> {
  try {
    return await import('@grimoire/devnet');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const path = resolveDevnet();
  if (path !== undefined) return await import(pathToFileURL(path).href);
  const file = fileURLToPath(new URL('dist/grimoire-devnet.tgz', PACKAGE_ROOT));
  throw new GraphError(
    'BAD_USER_INPUT',
    `The package of the embedded network is not installed. Install it (npm install ${JSON.stringify(file)}), or set RPC_URL to a node.`,
  );
}

/**
 * Finds the package of the embedded network when `import` does not find it: in a clone whose workspaces npm has not
 * linked, and in a project of `grimoire init`, which links the folder of the server. For a linked folder, Node does not
 * search the packages of the project.
 */
function resolveDevnet(): string | undefined {
  for (const base of [new URL('devnet/package.json', PACKAGE_ROOT), pathToFileURL(join(process.cwd(), 'package.json'))]) {
    try {
      const path = createRequire(base).resolve('@grimoire/devnet');
      if (existsSync(path)) return path;
    } catch {
      // The package is not installed there.
    }
  }
  return undefined;
}

/** Converts an expected failure of the embedded network, whose package has its own class of errors. */
function rethrowDevnetError(error: unknown): never {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name !== 'DevnetError' || !isErrorCode(code)) throw error;
  throw new GraphError(code, message!, { cause: error });
}

/** Starts the embedded network. Imports its code dynamically, so that a server with RPC_URL does not load it. */
export async function startEmbeddedNetwork(
  settings: CoreSettings,
  log: Logger,
  { host = '127.0.0.1', ...options }: { readonly host?: string; readonly hasDatabase: boolean; readonly chains: number },
): Promise<EmbeddedNetwork> {
  const { startDevnet } = await importDevnet();
  const network = await startDevnet({
    ...options,
    seed: settings.DEVNET_SEED,
    blockTime: settings.DEVNET_BLOCK_TIME,
    hasActivity: settings.DEVNET_LIFE === 'on',
    dataDirectory: settings.DATA_DIR,
    host,
    nodePort: settings.DEVNET_NODE_PORT,
    nodeWsPort: settings.DEVNET_NODE_WS_PORT,
    wizardsPort: settings.DEVNET_WIZARDS_PORT,
    acceptsHost: createHostCheck([...listenHostNames(host), ...settings.ALLOWED_HOSTS]),
    log,
  }).catch(rethrowDevnetError);
  const { database } = network;
  if (!database) return network;
  const url = database.url.catch(rethrowDevnetError);
  // The network has logged the failure, and `url` may have no reader.
  url.catch(() => {});
  return { ...network, database: { ...database, url } };
}

/**
 * Connects to the embedded network of DEVNET_URL, or starts one; undefined with RPC_URL. Throws BAD_USER_INPUT for a subgraph with neither
 * setting: each subgraph would start its own chain.
 */
export async function connectEmbeddedNetwork(settings: CoreSettings, log: Logger): Promise<EmbeddedNetwork | undefined> {
  const { RPC_URL, DEVNET_URL, DOMAIN, RPC_TIMEOUT_MS } = settings;
  if (RPC_URL !== undefined) return undefined;
  if (DEVNET_URL !== undefined) {
    const description = await fetchDescription(DEVNET_URL, RPC_TIMEOUT_MS);
    return { description, stop: async () => {} };
  }
  if (DOMAIN.length > 0) {
    const message =
      'A server of single domains (DOMAIN) needs a chain that all subgraphs share. Set RPC_URL to a node, or DEVNET_URL to a running "grimoire devnet".';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  const chains = servesSeveralChains(settings) ? settings.DEVNET_CHAINS : 1;
  return startEmbeddedNetwork(settings, log, { hasDatabase: settings.DATABASE_URL === undefined, chains });
}

/**
 * Reads the description of the network at `url`. The services are on the host of `url`, although the description names
 * their loopback addresses.
 */
async function fetchDescription(url: string, timeoutMs: number): Promise<NetworkDescription> {
  const { hostname, origin } = new URL(url);
  try {
    const response = await fetch(new URL('/devnet.json', origin), { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const text = (await response.text()).replace(/\b(http|ws):\/\/127\.0\.0\.1:/g, `$1://${hostname}:`);
    const description = JSON.parse(text) as Partial<NetworkDescription> | null;
    if (!description?.nodeService) throw new SyntaxError('The document has no node service.');
    return description as NetworkDescription;
  } catch (cause) {
    throw new GraphError(
      'BAD_USER_INPUT',
      `Cannot read the embedded network at ${origin} (${reasonOf(cause)}). Set DEVNET_URL to the URL of a running "grimoire devnet".`,
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the response is not its description';
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return name === 'TimeoutError' ? 'timeout' : (cause?.code ?? message);
}

/** What a chain uses of its network; a further chain has the description alone. */
export type NetworkOfChain = Pick<EmbeddedNetwork, 'description' | 'database' | 'webhookReceiver'>;

/** The services of the embedded network for the domains. */
export const embeddedServices = ({ description, database, webhookReceiver }: NetworkOfChain): EmbeddedServices => ({
  database,
  services: { ...description, webhookReceiver },
});
