import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../../database/database.ts';
import { storeUnavailableError } from '../../../database/statements.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { SourceHold } from '../../../graphql/stream.ts';
import { abortableSleep } from '../../../lib/abort.ts';
import { CallerTurns } from '../../../lib/caller-turns.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Operation } from '../../../operation/operation.ts';
import { missingCallerError } from '../../../operation/request-checks.ts';
import type { StreamStart } from '../subscriptions/past.ts';
import { createStreamStore, LEASE_MS, type StreamKind, type StreamStore } from './store.ts';

/** Interval in which leases are renewed: one renewal may fail before a lease ends. */
const RENEWAL_INTERVAL_MS = LEASE_MS / 3;
/** Interval in which a subscription tries to claim a stream that another one consumes. */
const CLAIM_INTERVAL_MS = 500;
/** Time before the deadline of the operation at which the attempts end; by default, the lease of a consumer that has died ends before. */
const DEADLINE_RESERVE_MS = 500;
const RETENTION_INTERVAL_MS = 3_600_000;

/** Statements at the same time, of all callers and of one. */
const STATEMENT_TURNS = { running: 2, runningOfCaller: 1 };

/** Owner of the streams of a local caller, who has no application. */
const LOCAL_APP = 'default';

/** A lease of this process. */
interface Lease {
  renewedAt: number;
  readonly lose: (error: GraphError) => void;
}

interface StreamOptions {
  /** The chain of the subscriptions; undefined for the default chain. */
  readonly chainId?: Quantity | undefined;
  readonly maxStreams: number;
  readonly retentionDays: number;
  readonly log: Logger;
}

/** The application that owns the streams of an operation's caller. Throws UNAUTHENTICATED without a caller. */
function appOf(caller: Operation['caller']): string {
  if (!caller) throw missingCallerError('A stream');
  return caller.app ?? LOCAL_APP;
}

const inUseError = () =>
  new GraphError('STREAM_IN_USE', 'Another subscription consumes the stream. End it, or pass another name.');
const takenOverError = () =>
  new GraphError('STREAM_IN_USE', 'The stream was deleted, or another subscription has taken it over.');

/** Creates the named streams of a server. Without a database, each use rejects with STREAMS_NOT_CONFIGURED. */
export function createStreams(database: Database | undefined, { chainId, maxStreams, retentionDays, log }: StreamOptions) {
  const store = database && createStreamStore(database, maxStreams, chainId);
  const turns = new CallerTurns(STATEMENT_TURNS);
  /** The leases of this process, by holder. */
  const leases = new Map<string, Lease>();

  const storeOf = () => {
    if (store) return store;
    throw new GraphError('STREAMS_NOT_CONFIGURED', 'The server has no database for streams. Its operator can set DATABASE_URL.');
  };

  /** Runs a statement when it is the turn of the caller, unless its operation has ended: an acknowledgement must not be stored after a later one. */
  const inTurn = <T>({ signal, caller }: Operation, run: (of: StreamStore, app: string) => Promise<T>): Promise<T> => {
    const app = appOf(caller);
    return turns.run(app, async () => run(storeOf(), app), signal);
  };

  const renew = async (): Promise<void> => {
    const now = performance.now();
    for (const lease of leases.values()) if (now - lease.renewedAt > LEASE_MS) lease.lose(storeUnavailableError());
    const holders = [...leases.keys()];
    if (holders.length === 0) return;
    const renewed = await storeOf()
      .renew(holders)
      .catch(() => undefined);
    for (const holder of holders) {
      const lease = leases.get(holder);
      if (renewed?.has(holder)) Object.assign(lease ?? {}, { renewedAt: now });
      else if (renewed) lease?.lose(takenOverError());
    }
  };
  const deleteExpired = () =>
    void store?.deleteExpired(retentionDays).catch((err) => log.debug({ err }, 'expired streams cannot be deleted'));
  const timers = store ? [setInterval(renew, RENEWAL_INTERVAL_MS)] : [];
  // The streams of all chains are in one table.
  if (store && chainId === undefined) {
    deleteExpired();
    timers.push(setInterval(deleteExpired, RETENTION_INTERVAL_MS));
  }
  for (const timer of timers) timer.unref();

  const holdLease = (holder: string, renewedAt: number): SourceHold => {
    let lose!: (error: GraphError) => void;
    const lost = new Promise<GraphError>((resolve) => {
      lose = resolve;
    });
    leases.set(holder, { renewedAt, lose });
    return {
      lost,
      release() {
        // If this fails, the lease ends by itself.
        if (leases.delete(holder))
          storeOf()
            .release(holder)
            .catch(() => {});
      },
    };
  };

  return {
    /**
     * Claims a stream for one subscription: resolves with the position to start from, and the hold that the subscriber releases. Waits while another
     * subscription consumes the stream, whose connection may have died. Rejects with STREAM_IN_USE before the operation exceeds its time limit.
     */
    async claim(operation: Operation, name: string, kind: StreamKind, start: StreamStart | GraphError) {
      const app = appOf(operation.caller);
      const holder = randomUUID();
      const endsAt = (operation.deadline ?? Number.POSITIVE_INFINITY) - DEADLINE_RESERVE_MS;
      do {
        const claimed = await inTurn(operation, async (of) => {
          const claimedAt = performance.now();
          const position = await of.claim(app, name, kind, holder, start);
          return position && { position, hold: holdLease(holder, claimedAt) };
        });
        if (claimed) return claimed;
        if (!(await abortableSleep(CLAIM_INTERVAL_MS, operation.signal))) throw operation.signal.reason;
      } while (performance.now() < endsAt);
      throw inUseError();
    },

    list: (operation: Operation) => inTurn(operation, (of, app) => of.list(app)),

    acknowledge: (operation: Operation, name: string, cursor: string) =>
      inTurn(operation, (of, app) => of.acknowledge(app, name, cursor)),

    delete: (operation: Operation, name: string) => inTurn(operation, (of, app) => of.delete(app, name)),

    /** Releases all leases, so that another server can claim its streams at once. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([...leases.keys()].map((holder) => store?.release(holder).catch(() => {})));
      leases.clear();
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
