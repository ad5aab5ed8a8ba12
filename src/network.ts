import type { Logger } from 'pino';
import { z } from 'zod';
import type { CoreSettings } from './config.ts';
import type { Devnet, DevnetDatabase, DevnetDescription } from './devnet/index.ts';
import { GraphError } from './errors.ts';
import { createHostCheck, listenHostNames } from './hosts.ts';

/** The embedded network that a server uses, of this process or of `grimoire devnet`. */
export interface EmbeddedNetwork {
  readonly description: DevnetDescription;
  /** PostgreSQL beside the chain; undefined for a network of another process. */
  readonly database: DevnetDatabase | undefined;
  /** Receiver of registered webhooks; undefined for a network of another process, and without activity or PostgreSQL. */
  readonly webhookReceiver?: Devnet['webhookReceiver'];
  /** Sends signed notifications of new blocks to this URL; undefined for a network of another process. */
  deliverNotificationsTo?(url: string): void;
  /** Resolves when the chain exits by itself; undefined for a network of another process. */
  readonly exited: Promise<void> | undefined;
  /** Stops the network if this process has started it. */
  stop(): Promise<void>;
}

/** Starts the embedded network. Imports its code dynamically, so that a server with RPC_URL does not load it. */
export async function startEmbeddedNetwork(
  settings: CoreSettings,
  log: Logger,
  { host = '127.0.0.1', hasDatabase }: { readonly host?: string; readonly hasDatabase: boolean },
): Promise<Devnet> {
  const { startDevnet } = await import('./devnet/index.ts');
  return startDevnet({
    seed: settings.DEVNET_SEED,
    blockTime: settings.DEVNET_BLOCK_TIME,
    hasActivity: settings.DEVNET_LIFE === 'on',
    dataDirectory: settings.DATA_DIR,
    hasDatabase,
    host,
    nodePort: settings.DEVNET_NODE_PORT,
    nodeWsPort: settings.DEVNET_NODE_WS_PORT,
    wizardsPort: settings.DEVNET_WIZARDS_PORT,
    acceptsHost: createHostCheck([...listenHostNames(host), ...settings.ALLOWED_HOSTS]),
    log,
  });
}

/**
 * Connects to the embedded network of DEVNET_URL, or starts one; undefined with RPC_URL. Throws BAD_USER_INPUT for a subgraph with neither
 * setting: each subgraph would start a chain of its own.
 */
export async function connectEmbeddedNetwork(settings: CoreSettings, log: Logger): Promise<EmbeddedNetwork | undefined> {
  const { RPC_URL, DEVNET_URL, DOMAIN, RPC_TIMEOUT_MS } = settings;
  if (RPC_URL !== undefined && DEVNET_URL !== undefined)
    throw new GraphError('BAD_USER_INPUT', 'RPC_URL and DEVNET_URL are both set. Set one of them.');
  if (RPC_URL !== undefined) return undefined;
  if (DEVNET_URL !== undefined)
    return {
      description: await fetchDescription(DEVNET_URL, RPC_TIMEOUT_MS),
      database: undefined,
      exited: undefined,
      stop: async () => {},
    };
  if (DOMAIN.length > 0) {
    const message =
      'A server of single domains (DOMAIN) needs a chain that all subgraphs share. Set RPC_URL to a node, or DEVNET_URL to a running "grimoire devnet".';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  return startEmbeddedNetwork(settings, log, { hasDatabase: settings.DATABASE_URL === undefined });
}

/** The parts of a description that a server uses. */
const descriptionSchema = z.looseObject({
  chainId: z.number(),
  nodeService: z.looseObject({ http: z.url(), ws: z.url() }),
  wizardService: z.looseObject({ url: z.url(), token: z.string(), email: z.string() }),
  tokenList: z.looseObject({ tokens: z.array(z.unknown()) }),
});

/** Reads the description of the network at `url`. Its services are on the same host, whatever name their own process has for it. */
async function fetchDescription(url: string, timeoutMs: number): Promise<DevnetDescription> {
  const { hostname } = new URL(url);
  try {
    const response = await fetch(new URL('/devnet.json', url), { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const text = (await response.text()).replace(/\b(http|ws):\/\/127\.0\.0\.1:/g, `$1://${hostname}:`);
    return descriptionSchema.parse(JSON.parse(text)) as unknown as DevnetDescription;
  } catch (cause) {
    throw new GraphError(
      'BAD_USER_INPUT',
      `Cannot read the embedded network at ${url} (${reasonOf(cause)}). Set DEVNET_URL to the URL of a running "grimoire devnet".`,
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'the response is not its description';
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return name === 'TimeoutError' ? 'timeout' : (cause?.code ?? message);
}
