import type { Logger } from 'pino';
import type { Database } from '../../../database/database.ts';
import { startListener } from '../../../database/held-connection.ts';
import { storeUnavailableError } from '../../../database/statements.ts';
import { type SourceStream, streamOfHub } from '../../../graphql/stream.ts';
import { Sleeper } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEventHub } from '../../../lib/event-hub.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../../operation/operation-registry.ts';
import type { WebhookDelivery } from '../registrations/model.ts';
import { DELIVERIES_CHANNEL, type OwnedDelivery, readDeliveries } from '../store/delivery-store.ts';

/** Selects deliveries of one chain. Undefined selects the deliveries of every application, or to every webhook. */
export type DeliveryScope = Readonly<Record<'app' | 'webhookId', string | undefined>> & { readonly chainId: string };

/** Maximum number of deliveries in one read. */
const READ_LIMIT = 500;
/** Maximum number of changed deliveries that wait for a read. */
const MAX_WAITING = 20_000;
/** Time that a subscription waits for the connection. */
const CONNECT_WAIT_MS = 2_000;

/** The deliveries of all applications as they change, by any server on the database. */
export type DeliveryFeed = ReturnType<typeof startDeliveryFeed>;

/**
 * Starts the feed. A notification of PostgreSQL names a delivery, whose current state is read; one statement reads all
 * changed deliveries.
 */
export function startDeliveryFeed(database: Database, log: Logger) {
  const connecting = new Sleeper();
  let isConnected = false;
  let hasListeners = false;
  let reading: Promise<void> | undefined;
  /** Ids of changed deliveries that are not read yet, in the order of their first change. */
  const changed = new Set<string>();
  const hub = createEventHub<readonly OwnedDelivery[]>({
    log,
    start() {
      hasListeners = true;
    },
    stop() {
      hasListeners = false;
      changed.clear();
    },
  });

  const readChanged = async (): Promise<void> => {
    while (changed.size > 0) {
      const ids = [...changed].slice(0, READ_LIMIT);
      for (const id of ids) changed.delete(id);
      hub.emit(await readDeliveries(database.query, ids));
    }
  };
  const fail = (error: unknown): void => {
    changed.clear();
    hub.end(error instanceof GraphError ? error : storeUnavailableError(error));
  };

  const listener = startListener({
    database,
    channel: DELIVERIES_CHANNEL,
    notified(id) {
      if (!hasListeners) return;
      changed.add(id);
      if (changed.size > MAX_WAITING) fail(storeUnavailableError());
      reading ??= readChanged()
        .catch(fail)
        .finally(() => {
          reading = undefined;
        });
    },
    connected() {
      isConnected = true;
      connecting.wake();
    },
    disconnected() {
      isConnected = false;
      fail(storeUnavailableError());
    },
  });

  return {
    /**
     * The deliveries of a scope as they change. The stream ends with STORE_UNAVAILABLE when the connection to the database is lost, because the
     * changes in the meantime are not known. Rejects with STORE_UNAVAILABLE while changes are not received.
     */
    async stream({
      app,
      chainId,
      webhookId,
    }: DeliveryScope): Promise<SourceStream<{ readonly webhookDeliveries: WebhookDelivery }>> {
      if (!isConnected) await connecting.sleep(CONNECT_WAIT_MS);
      if (!isConnected) throw storeUnavailableError();
      const changes = streamOfHub(hub.subscribe, (changed) =>
        changed
          .filter((owned) => owned.chainId === chainId && (app === undefined || owned.app === app))
          .filter(({ delivery }) => webhookId === undefined || delivery.registrationId === webhookId)
          .map(({ delivery }) => ({ root: { webhookDeliveries: delivery } })),
      );
      return {
        subscribe(listener) {
          const unsubscribe = changes.subscribe(listener);
          // The connection was lost after the stream was created.
          if (!isConnected) queueMicrotask(() => fail(storeUnavailableError()));
          return unsubscribe;
        },
      };
    },
    async stop(): Promise<void> {
      hub.close(new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE));
      await listener.stop();
      await reading;
    },
  };
}
