import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createHostCheck, type HostCheck } from '../../hosts.ts';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { createAnvilRpc } from '../anvil/rpc.ts';
import { createWizardControl } from './control.ts';
import { createWizardFaultInjector, type WizardFaultsInput } from './faults.ts';
import { createWizardHttpHandler } from './http.ts';
import { startTournamentIndexer } from './indexer.ts';
import { createTournamentIndex, referencedHeights } from './tournament-index.ts';

export type { WizardControlRequest, WizardControlState } from './control.ts';
export type { WizardFaults, WizardFaultsInput } from './faults.ts';
export type { ServedDuel, ServedWizard } from './tournament-index.ts';

export interface WizardServiceOptions {
  /** JSON-RPC over HTTP of the chain that the tournament is on. */
  readonly rpcUrl: string;
  /** Address of the tournament contract. */
  readonly contract: string;
  /** What `x-api-token` and `x-email` have to be. */
  readonly token: string;
  readonly email: string;
  /** Any free one when left out. */
  readonly port?: number;
  /** Milliseconds between two looks at the chain; 100 when left out. */
  readonly pollMs?: number;
  /** Blocks that a reorganisation may take back without everything being read anew; 512 when left out. */
  readonly maxRollbackBlocks?: number;
  /** Number of duels in a season; 100 when left out. The duels of the present and the previous season are served. */
  readonly seasonDuels?: number;
  /** Duels that started up to this block are served in every season; -1, none, when left out. */
  readonly historyBlock?: number;
  /** Runs what asks the chain, and holds it back while the chain is trimmed; at once when left out. */
  readonly withSharedLock?: ReadWriteLock['shared'];
  /** All off when left out. */
  readonly faults?: WizardFaultsInput;
  /** The last part of the control path; one that cannot be guessed when left out. */
  readonly controlKey?: string;
  /** The present, in milliseconds since 1970; picks the second of the rate limit. */
  readonly now?: () => number;
  /** The Host headers that are served; those of loopback names when left out. */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

export interface DevnetWizardServer {
  /** `{base_url}`, without a slash at its end. */
  readonly url: string;
  /** Faults, and the block that answers are of: for tests and for the devnet's owner. */
  readonly control: string;
  /** Resolves when the first answers can be given; until then they are 503. Stays pending while the chain does not answer. */
  readonly indexed: Promise<void>;
  /** Resolves when the state is that of the present head, or the chain could not be read. */
  catchUp(): Promise<void>;
  /** Heights of the blocks that the listed wizards and duels name. */
  referencedHeights(): Iterable<number>;
  /** Resolves when every socket is closed, to clients and to the chain. May be called twice. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * Starts the seed's REST service over the events of a tournament contract. Rejects, leaving nothing behind, when the port is taken; it
 * does not wait for the chain. When the chain goes later, answers stay those of the last block that was seen.
 */
export async function startWizardService(options: WizardServiceOptions): Promise<DevnetWizardServer> {
  const { rpcUrl, contract, token, email, port = 0, pollMs = 100, maxRollbackBlocks = 512, faults: initial = {}, log } = options;
  const { seasonDuels = 100, historyBlock = -1, withSharedLock = (task) => task() } = options;
  const { acceptsHost = createHostCheck([]), controlKey = randomBytes(16).toString('hex'), now = Date.now } = options;
  const controlPath = `/control/${encodeURIComponent(controlKey)}`;
  const stopping = new AbortController();
  // One a request that waits.
  setMaxListeners(0, stopping.signal);
  const faults = createWizardFaultInjector(initial, now);
  const state = createTournamentIndex({ maxRollbackBlocks: maxRollbackBlocks, seasonDuels, historyBlock });

  const server = createServer();
  server.listen(port, HOST);
  await once(server, 'listening');

  const rpc = createAnvilRpc(rpcUrl);
  const indexer = startTournamentIndexer({ rpc, withSharedLock, contract, state, lag: () => faults.current.lag, pollMs, log });
  const tournament = () => (indexer.isConsistent ? state : undefined);
  const { catchUp } = indexer;
  const control = createWizardControl(faults, () => tournament()?.head);
  server.on(
    'request',
    createWizardHttpHandler({
      token,
      email,
      acceptsHost,
      tournament,
      catchUp,
      faults,
      control,
      controlPath,
      stopping: stopping.signal,
      log,
    }),
  );
  const base = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    url: base,
    control: base + controlPath,
    indexed: indexer.indexed,
    catchUp: catchUp,
    referencedHeights: () => referencedHeights(state),
    async stop() {
      stopping.abort();
      const stopped = indexer.stop();
      await Promise.all([rpc.close(), closeServer(server)]);
      await stopped;
    },
  };
}

const closeServer = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
