import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { createAnvilRpc } from '../anvil/rpc.ts';
import { acceptsLoopbackHost, closeServer, type HostCheck, LOOPBACK_ADDRESS, listenOnAddress } from '../service-server.ts';
import { createWizardControl } from './control.ts';
import { createWizardFaultInjector, type WizardFaultsInput } from './faults.ts';
import { createWizardHttpHandler } from './http.ts';
import { startTournamentIndexer } from './indexer.ts';
import { createTournamentIndex, referencedHeights, type SavedTournamentIndex } from './tournament-index.ts';

export type { WizardFaultsInput } from './faults.ts';
export type { SavedTournamentIndex } from './tournament-index.ts';

export interface WizardServiceOptions {
  /** JSON-RPC URL of the tournament's chain. */
  readonly rpcUrl: string;
  /** Address of the tournament contract. */
  readonly contract: string;
  /** Required value of `x-api-token`. */
  readonly token: string;
  readonly email: string;
  /** Address that the server listens on. @default loopback */
  readonly host?: string;
  /** Port that the server listens on. @default a free port */
  readonly port?: number;
  /** Milliseconds between two polls of the chain. @default 100 */
  readonly pollMs?: number;
  /** Maximum depth of a reorg without a complete new index. @default 512 */
  readonly maxRollbackBlocks?: number;
  /** Number of duels in a season. The service lists the duels of the current and the previous season. @default 100 */
  readonly seasonDuels?: number;
  /** Duels that started up to this block are listed in every season; -1 for no duels. @default -1 */
  readonly historyBlock?: number;
  /**
   * Index of the chain before its restart: the blocks that it covers may be pruned. @default none; the service reads
   * the whole chain
   */
  readonly savedIndex?: SavedTournamentIndex | undefined;
  /** Delays reads while the chain is pruned. @default runs reads at once */
  readonly withSharedLock?: ReadWriteLock['shared'];
  /** Initial faults. @default all faults off */
  readonly faults?: WizardFaultsInput;
  /** Last segment of the control path. @default random */
  readonly controlKey?: string;
  /** Current time in milliseconds since 1970, for the rate limit. */
  readonly now?: () => number;
  /** Checks the Host header. @default accepts loopback names */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

export interface DevnetWizardServer {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Control endpoint for faults and the current block, for tests and the operator of the devnet. */
  readonly control: string;
  /** Resolves when the index is complete for the first time; requests are 503 before. */
  readonly indexed: Promise<void>;
  /** Resolves when the index has reached the head, or the chain cannot be read. */
  catchUp(): Promise<void>;
  /** Heights of the blocks that the listed wizards and duels name. */
  referencedHeights(): Iterable<number>;
  /** The index at its head; undefined while it is incomplete. */
  saveIndex(): SavedTournamentIndex | undefined;
  /** Closes every socket to clients and to the chain. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the described REST service over the events of a tournament contract. Rejects, with everything stopped, if the
 * port is in use. It does not wait for the chain. If the chain becomes unavailable, responses show the last block.
 */
export async function startWizardService(options: WizardServiceOptions): Promise<DevnetWizardServer> {
  const { rpcUrl, contract, token, email, host = LOOPBACK_ADDRESS, port = 0, pollMs = 100, faults: initial = {}, log } = options;
  const { maxRollbackBlocks = 512, seasonDuels = 100, historyBlock = -1, savedIndex } = options;
  const { withSharedLock = (task) => task(), acceptsHost = acceptsLoopbackHost } = options;
  const { controlKey = randomBytes(16).toString('hex'), now = Date.now } = options;
  const controlPath = `/control/${encodeURIComponent(controlKey)}`;
  const stopping = new AbortController();
  // One listener for each delayed request.
  setMaxListeners(0, stopping.signal);
  const faults = createWizardFaultInjector(initial, now);
  const state = createTournamentIndex({ maxRollbackBlocks, seasonDuels, historyBlock, saved: savedIndex });

  const server = createServer();
  const base = `http://${await listenOnAddress(server, host, port)}`;

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
  return {
    url: base,
    control: base + controlPath,
    indexed: indexer.indexed,
    catchUp,
    referencedHeights: () => referencedHeights(state),
    saveIndex: () => tournament()?.save(),
    async stop() {
      stopping.abort();
      const stopped = indexer.stop();
      await Promise.all([rpc.close(), closeServer(server)]);
      await stopped;
    },
  };
}
