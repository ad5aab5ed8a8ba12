import type { Logger } from 'pino';
import type { DevnetDescription } from './description.ts';
import type { HostCheck } from './service-server.ts';
import type { WebhookReceiver } from './webhook-receiver/index.ts';
import type { ChainActivity } from './world/activity.ts';

export interface DevnetOptions {
  /**
   * Number of chains, at most 4. The further chains have ids above the id of the default chain, seeds above its seed, free ports and folders
   * in its directory, and neither PostgreSQL nor notifications. @default 1
   */
  readonly chains?: number;
  /** Seed of the generated accounts, contracts and history. @default 1 */
  readonly seed?: number;
  /** Seconds between blocks. @default 2 */
  readonly blockTime?: number;
  /** False: no generated transactions; each submitted transaction is mined at once. @default true */
  readonly hasActivity?: boolean;
  /** Directory of the chain and the database, created if it does not exist. @default temporary directories */
  readonly dataDirectory?: string | undefined;
  /** Whether to start PostgreSQL. @default false */
  readonly hasDatabase?: boolean;
  /**
   * Address that the node service and the wizard service listen on. Anvil always listens on loopback. @default loopback
   */
  readonly host?: string;
  /** HTTP port of the node service; 0 picks a free port. @default 0 */
  readonly nodePort?: number;
  /** WebSocket port of the node service; 0 picks a free port. @default 0 */
  readonly nodeWsPort?: number;
  /** Port of the wizard service; 0 picks a free port. @default 0 */
  readonly wizardsPort?: number;
  /** Checks the Host header of requests to both services. @default accepts loopback names */
  readonly acceptsHost?: HostCheck;
  readonly log: Logger;
}

/** The PostgreSQL server of a network, which starts in the background. */
export interface DevnetDatabase {
  /** URL with its password. Rejects if PostgreSQL cannot start, or if the network was stopped before it has started. */
  readonly url: Promise<string>;
  /** Height of the head when the chain was restored; undefined for a new chain. Later blocks in the database are not on this chain. */
  readonly restoredHeight: number | undefined;
}

export interface Devnet {
  readonly description: DevnetDescription;
  /** Undefined without PostgreSQL. */
  readonly database: DevnetDatabase | undefined;
  /** Undefined without activity, and without PostgreSQL. */
  readonly webhookReceiver: WebhookReceiver | undefined;
  /** Process id of the anvil of the default chain. */
  readonly pid: number;
  /** Mines a block with generated transactions, then `count` empty blocks, at most 100; undefined without activity. */
  readonly mine: ChainActivity['mine'] | undefined;
  /** Sends signed notifications of new blocks to this URL; none without activity, and none before the first call. */
  deliverNotificationsTo(url: string): void;
  /** Resolves when the anvil of a chain exits unexpectedly; never resolves after `stop`. */
  readonly exited: Promise<void>;
  /** Saves the chains if they have a directory, stops all timers, processes and sockets and removes temporary files. May be called twice. */
  stop(): Promise<void>;
}
