import { CallerTurns } from '../../lib/caller-turns.ts';
import { metricTable } from '../../lib/metrics.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { type DomainServices, defineDomain } from '../domain.ts';
import { webhooksWeights } from './costs.ts';
import { migrateJobQueue } from './delivery/job-queue.ts';
import { startDeliveryWorker } from './delivery/worker.ts';
import { startDerivation } from './derivation/index.ts';
import type { DerivationStatus, DerivedChain } from './derivation/options.ts';
import { networkName } from './derivation/term.ts';
import { type WebhookLoaderSources, webhookLoaders } from './loaders/index.ts';
import { type AuthToken, parseAuthToken } from './receiver/auth-tokens.ts';
import { createReceiver, type ReceiverCounts } from './receiver/receive.ts';
import { WriteQueue } from './receiver/write-queue.ts';
import { type EmbeddedWebhookReceiver, startEmbeddedWebhooks } from './registrations/embedded-webhooks.ts';
import { RegistrationStore } from './registrations/registration-store.ts';
import { webhooksResolvers } from './resolvers/index.ts';
import { webhookSettings } from './settings.ts';
import { DEFAULT_CHAIN, statementsOfChain } from './store/chain-statements.ts';
import { deleteExpiredDeliveries } from './store/delivery-store.ts';
import { EventStore, markRemovedAbove } from './store/event-store.ts';
import { startDeliveryFeed } from './subscriptions/delivery-feed.ts';
import { startEventFeed } from './subscriptions/event-feed.ts';

/**
 * Maximum number of concurrent statements of all applications, and of one. The other connections are for notifications, the derivation
 * and the feeds.
 */
const STATEMENT_TURNS = { running: 3, runningOfCaller: 2 };

/** Interval in which expired rows are deleted. */
const RETENTION_INTERVAL_MS = 3_600_000;

/** The services of the embedded network that the domain uses, by their names in `/devnet.json`. */
interface EmbeddedWebhookServices {
  /** Null without activity. */
  readonly notificationService?: AuthToken | null;
  readonly webhookReceiver?: EmbeddedWebhookReceiver | undefined;
}

/** The metrics of the derivation on one chain; `status` is undefined without it. */
const derivationMetrics = (status: Readonly<DerivationStatus> | undefined) =>
  metricTable({
    webhook_derivation_leading: [
      'Whether this server derives the events of registered webhooks: 1 or 0.',
      () => status && Number(status.isLeading),
    ],
    webhook_derivation_height: [
      'Height of the block up to which this server has derived the events of registered webhooks.',
      () => (status?.isLeading ? status.height : undefined),
    ],
    webhook_blocks_skipped_total: [
      'Blocks whose webhooks this server has not derived for an application, after three failures.',
      () => status?.skipped.count ?? 0,
    ],
    webhook_transactions_unwatched_total: [
      'Pending transactions that are not watched, because their application watches 2,000.',
      () => status?.unwatched ?? 0,
    ],
  });

/** Path that receives notifications. */
const NOTIFICATION_PATH = '/webhooks';

/** Maximum size of a notification. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Signed webhooks of a notification service: the server verifies them, stores them in PostgreSQL and serves them as
 * events. Also the webhooks that callers register.
 */
export const webhooks = defineDomain({
  name: 'webhooks',
  servesAllChains: true,
  schema: 'schema/webhooks',
  settings: webhookSettings,
  resolvers: webhooksResolvers,
  weights: webhooksWeights,
  errorSource: 'graph',
  enableHint: 'set DATABASE_URL to a PostgreSQL database',
  isEnabled: ({ DATABASE_URL, RPC_URL, DEVNET_URL }) =>
    DATABASE_URL !== undefined || (RPC_URL === undefined && DEVNET_URL === undefined),
  create({ settings, embedded, openDatabase, log, ...own }) {
    const { notificationService, webhookReceiver: receiver } = (embedded?.services ?? {}) as EmbeddedWebhookServices;
    const database = openDatabase();
    if (!database) throw new Error('the webhooks domain needs DATABASE_URL or the embedded chain');
    const { url } = database;
    const restoredHeight = settings.DATABASE_URL === undefined ? embedded?.database?.restoredHeight : undefined;
    database.prepareWith(async (query) => {
      await migrateJobQueue(query, url, log);
      if (restoredHeight !== undefined) await markRemovedAbove(query, restoredHeight);
    });
    const store = new EventStore(database);
    const eventFeed = startEventFeed(database, store, log);
    const deleteExpired = (): void => {
      const { WEBHOOK_RETENTION_DAYS: days } = settings;
      for (const deletion of [store.deleteExpired(days), deleteExpiredDeliveries(database.query, days)])
        deletion.catch((err) => log.debug({ err }, 'expired rows of the webhooks cannot be deleted'));
    };
    deleteExpired();
    const retention = setInterval(deleteExpired, RETENTION_INTERVAL_MS).unref();
    const deliveryFeed = startDeliveryFeed(database, log);
    const registrations = new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN));
    const receiverUrls = {
      allowsPrivate: settings.WEBHOOK_ALLOW_PRIVATE === 'on',
      exempt: new Set(receiver ? [receiver.url] : []),
    };
    const worker = startDeliveryWorker(database, { url, ...receiverUrls }, log);
    const derivation =
      settings.WEBHOOK_DERIVATION === 'on'
        ? startDerivation({ database, tracesBlocks: settings.WEBHOOK_INTERNAL_TRANSFERS === 'on', log })
        : undefined;
    const sources: Omit<WebhookLoaderSources, 'chainId'> = {
      database,
      turns: new CallerTurns(STATEMENT_TURNS),
      eventFeed,
      deliveryFeed,
      rules: { maxAddresses: settings.MAX_WEBHOOK_ADDRESSES, receiverUrls },
      maxWebhooks: settings.MAX_WEBHOOKS,
      tokenGraceHours: settings.WEBHOOK_TOKEN_GRACE_HOURS,
    };
    const embeddedWebhooks =
      receiver &&
      embedded?.database &&
      startEmbeddedWebhooks(receiver, embedded.database.url, { ...sources, registrations }, log);
    const counts: ReceiverCounts = { accepted: 0, repeated: 0, unauthenticated: 0, invalid: 0, failed: 0 };
    const tokens = [...settings.WEBHOOK_AUTH_TOKENS.map(parseAuthToken), ...(notificationService ? [notificationService] : [])];
    const queue = new WriteQueue((events, answered) => store.insert(events, answered));
    /** The further chains by the names of their networks in notifications. */
    const chainsByNetwork = new Map<string, string>();
    const handle = createReceiver(tokens, queue, counts, (network) => chainsByNetwork.get(network) ?? DEFAULT_CHAIN);
    const serveChain = (chainId: string, chain: Pick<DomainServices, Exclude<keyof DerivedChain, 'chainId'>>) => ({
      loaders: (snapshot: Snapshot) => webhookLoaders({ ...sources, chainId }, snapshot),
      metrics: derivationMetrics(derivation?.add({ ...chain, chainId })),
    });
    const { loaders, metrics } = serveChain(DEFAULT_CHAIN, own);
    return {
      loaders,
      serveChain(chainId, chain) {
        chainsByNetwork.set(networkName(chainId), chainId);
        return serveChain(chainId, chain);
      },
      routes: [{ method: 'POST', path: NOTIFICATION_PATH, maxBodyBytes: MAX_BODY_BYTES, handle }],
      notificationPath: NOTIFICATION_PATH,
      label:
        settings.DATABASE_URL === undefined
          ? 'embedded PostgreSQL'
          : database.startProblem().then((problem) => (problem ? `PostgreSQL, the database ${problem}; retrying` : 'PostgreSQL')),
      metrics: [
        ...metrics,
        ...metricTable({
          webhooks_accepted_total: ['Received webhooks that were stored as new events.', () => counts.accepted],
          webhooks_repeated_total: ['Received webhooks whose event was stored before.', () => counts.repeated],
          webhooks_unauthenticated_total: ['Received webhooks without a valid signature.', () => counts.unauthenticated],
          webhooks_invalid_total: ['Signed webhooks whose body is no notification.', () => counts.invalid],
          webhooks_failed_total: ['Signed webhooks that could not be stored; the sender sends them again.', () => counts.failed],
          webhook_attempts_delivered_total: [
            'Attempts to deliver a registered webhook that its receiver accepted.',
            () => worker.counts.DELIVERED,
          ],
          webhook_attempts_failed_total: [
            'Attempts to deliver a registered webhook that failed and are repeated later.',
            () => worker.counts.RETRYING,
          ],
          webhook_deliveries_dead_total: [
            'Deliveries of registered webhooks that were given up after an attempt.',
            () => worker.counts.DEAD,
          ],
        }),
      ],
      async checkOptional(signal) {
        await database.check(signal);
        derivation?.check();
      },
      async stop() {
        embeddedWebhooks?.stop();
        await derivation?.stop();
        await worker.stop();
        clearInterval(retention);
        await Promise.all([eventFeed.stop(), deliveryFeed.stop()]);
      },
    };
  },
});
