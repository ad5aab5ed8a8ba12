import type { ServerContext } from '../context.ts';
import type { Connection } from './connections.ts';

/** Maximum interval of checks. Between two checks, unsent bytes may exceed their limit. */
const MAX_CHECK_INTERVAL_MS = 250;
const MIN_CHECKS_PER_TIMEOUT = 60;
/** A client that took no bytes in fewer checks than this counts as reading: the kernel takes more than a megabyte at a time. */
const MIN_STALLED_CHECKS = 4;
/** Number of consecutive checks with too many unsent bytes after which a client that reads is disconnected. */
const MAX_EXCESS_CHECKS = 8;

type StalledClientsOptions = Pick<ServerContext, 'connections' | 'sharedEvents' | 'maxUnsentBytes'> & {
  readonly timing: Pick<ServerContext['timing'], 'stallTimeoutMs'>;
};

/**
 * Disconnects clients that read none of their waiting bytes: after `stallTimeoutMs`, and earlier while the unsent bytes
 * of all clients exceed `maxUnsentBytes`. Counts checks, not time, so that a busy server does not mistake its delay for
 * a delay of a client.
 */
export class StalledClients {
  /** Number of clients disconnected so far. */
  disconnected = 0;
  readonly #options: StalledClientsOptions;
  readonly #maxStalledChecks: number;
  readonly #timer: NodeJS.Timeout;
  #excessChecks = 0;

  constructor(options: StalledClientsOptions) {
    this.#options = options;
    const { stallTimeoutMs } = options.timing;
    const intervalMs = Math.max(1, Math.min(MAX_CHECK_INTERVAL_MS, stallTimeoutMs / MIN_CHECKS_PER_TIMEOUT));
    this.#maxStalledChecks = Math.ceil(stallTimeoutMs / intervalMs);
    // Check after the poll phase of the event loop, in which the kernel takes bytes.
    this.#timer = setInterval(() => setImmediate(() => this.#check()), intervalMs).unref();
  }

  /** Bytes that wait for clients; shared bytes count once. */
  get unsentBytes(): number {
    let bytes = this.#options.sharedEvents.bytes;
    for (const connection of this.#options.connections.all) bytes += connection.ownBytes;
    return bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    let bytes = this.#options.sharedEvents.bytes;
    for (const connection of this.#options.connections.all) {
      const ownBytes = connection.checkProgress();
      if (connection.stalledChecks >= this.#maxStalledChecks) this.#disconnect(connection);
      else bytes += ownBytes;
    }
    this.#enforceLimit(bytes);
  }

  /**
   * Disconnects clients until the unsent bytes are within their limit: the clients with the largest product of bytes
   * and stalled checks first.
   */
  #enforceLimit(unsentBytes: number): void {
    let excess = unsentBytes - this.#options.maxUnsentBytes;
    if (excess > 0) {
      const clients = [...this.#options.connections.all].map((connection) => ({
        connection,
        bytes: connection.unsentBytes,
        checks: connection.stalledChecks,
      }));
      clients.sort((a, b) => b.bytes * b.checks - a.bytes * a.checks || b.bytes - a.bytes);
      // A client that reads is disconnected only if the excess lasts after clients that do not read are disconnected.
      const minChecks = this.#excessChecks < MAX_EXCESS_CHECKS ? MIN_STALLED_CHECKS : 0;
      for (const { connection, bytes, checks } of clients) {
        if (excess <= 0 || bytes === 0) break;
        if (checks < minChecks) continue;
        this.#disconnect(connection);
        excess -= bytes;
      }
    }
    this.#excessChecks = excess > 0 ? this.#excessChecks + 1 : 0;
  }

  #disconnect(connection: Connection): void {
    this.disconnected++;
    this.#options.connections.close(connection);
  }
}
