import DataLoader from 'dataloader';
import { isStorable, type Statements } from '../../../database/statements.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type {
  CreateWebhookInput,
  DeliveryAttempt,
  UpdateWebhookInput,
  WebhookDeliveriesArgs,
} from '../../../generated/webhooks.ts';
import { MAX_PAGE_SIZE, type PageArgs, pageRequestOf } from '../../../graphql/connections.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { WebhookEventHeader } from '../model.ts';
import { redeliver, sendSample } from '../registrations/delivery-commands.ts';
import { pageOf, type WebhookDelivery, type WebhookRegistration } from '../registrations/model.ts';
import { type RegistrationCommandSources, registrationCommands } from '../registrations/registration-commands.ts';
import { MAX_READ_ADDRESSES, readAddresses } from '../registrations/registration-store.ts';
import type { ChainStatements } from '../store/chain-statements.ts';
import { attemptsOf, type DeliveryRange, deliverySequenceOf, newestDeliveries } from '../store/delivery-store.ts';
import type { EventStore } from '../store/event-store.ts';
import type { DeliveryFeed } from '../subscriptions/delivery-feed.ts';

/**
 * Creates the delivery loaders of one operation: one statement for the deliveries, attempts or events of a whole page.
 * They do not check the caller, because an operation can only read registrations and deliveries of its caller.
 */
export function deliveryLoaders(
  { database: { query }, store }: { readonly database: Statements; readonly store: EventStore },
  operation: Operation,
) {
  // Results are not cached, because a later mutation of the operation may add deliveries.
  const pages = new DataLoader<DeliveryRange, readonly WebhookDelivery[]>((ranges) => newestDeliveries(query, ranges), {
    cache: false,
  });
  const attempts = new DataLoader<string, readonly DeliveryAttempt[]>((ids) => attemptsOf(query, ids), { cache: false });
  const events = new DataLoader<string, WebhookEventHeader | undefined>((ids) => store.findAll(ids));

  return {
    /** A page of the deliveries of a registration, the newest first. */
    async of(registrationId: string, { status, first, after }: WebhookDeliveriesArgs) {
      const page = pageRequestOf({ first, after }, { maxSize: MAX_PAGE_SIZE });
      operation.dependencies.addVolatile();
      const before = page.after === undefined ? undefined : await deliverySequenceOf(query, registrationId, page.after);
      if (page.after !== undefined && before === undefined)
        throw new GraphError('CURSOR_EXPIRED', 'The delivery of `after` is not one of this webhook. Start without `after`.');
      const range = { registrationId, status: status ?? undefined, before, limit: page.size + 1 };
      return pageOf(await pages.load(range), page);
    },

    /** The attempts of a delivery, the oldest first. */
    attempts: ({ id }: WebhookDelivery) => attempts.load(id),

    /** The event of a delivery; null for a test, and once the event is deleted. */
    event: async ({ eventId }: WebhookDelivery) => (eventId && (await events.load(eventId))) || null,
  };
}

/**
 * The application of the caller; undefined for a local caller, who may read the data of all applications. Throws
 * UNAUTHENTICATED without a caller.
 */
export function callerAppOf({ caller }: Operation): string | undefined {
  if (!caller) throw new GraphError('UNAUTHENTICATED', 'Webhooks need a caller. Send an API key.');
  return caller.app;
}

/** Owner of the webhooks that a local caller creates, who has no application. */
const LOCAL_APP = 'default';

/** State that the registration loaders of all operations share. */
export interface RegistrationSources extends RegistrationCommandSources {
  readonly database: ChainStatements;
  readonly deliveryFeed: DeliveryFeed;
}

/**
 * Creates the functions of one operation over the registrations of its caller's application. A registration of another
 * application is null, like a registration that does not exist.
 */
export function registrationLoaders(sources: RegistrationSources, operation: Operation) {
  const { database, registrations, deliveryFeed, rules } = sources;
  const commands = registrationCommands(sources);
  /** The application whose registrations the operation may read and change; undefined for all applications. */
  const scope = () => callerAppOf(operation);
  const byId = new DataLoader<string, WebhookRegistration | undefined>((ids) => registrations.findAll(ids));
  const addresses = new DataLoader<string, readonly Data[]>((ids) =>
    readAddresses(database.query, ids, Math.max(MAX_READ_ADDRESSES, rules.maxAddresses)),
  );

  return {
    /** A page of the caller's registrations, the oldest first. */
    async list({ first, after }: PageArgs) {
      const page = pageRequestOf({ first, after }, { maxSize: MAX_PAGE_SIZE });
      operation.dependencies.addVolatile();
      const found = await registrations.list(scope(), { after: page.after, limit: page.size + 1 });
      if (!found) throw new GraphError('CURSOR_EXPIRED', 'The webhook of `after` is deleted. Start without `after`.');
      return pageOf(found, page);
    },

    /** A registration of the caller. */
    async find(id: string): Promise<WebhookRegistration | null> {
      operation.dependencies.addVolatile();
      const app = scope();
      const found = isStorable(id) ? await byId.load(id) : undefined;
      return found && (app === undefined || app === found.app) ? found : null;
    },

    /** The registration of a delivery that the operation may read; null once it is deleted. */
    ofDelivery: async ({ registrationId }: WebhookDelivery) => (await byId.load(registrationId)) ?? null,

    /** The addresses of a registration; null for GAS_PRICE. */
    addressesOf: ({ id, type }: WebhookRegistration) => (type === 'GAS_PRICE' ? null : addresses.load(id)),

    create: async (input: CreateWebhookInput) => commands.create(scope() ?? LOCAL_APP, input),

    // The payloads of the following mutations are null if the caller does not have the registration or the delivery.

    async update(input: UpdateWebhookInput) {
      const webhook = await commands.update(scope(), input);
      byId.clear(input.id);
      addresses.clear(input.id);
      return webhook ? { webhook } : null;
    },

    async remove(id: string) {
      const isRemoved = await registrations.remove(scope(), id);
      byId.clear(id);
      return isRemoved ? { deletedId: id } : null;
    },

    rotate: async (id: string) => commands.rotate(scope(), id),

    /** Sends a sample. */
    async test(id: string) {
      const registration = await registrations.find(scope(), id);
      const delivery = registration && (await sendSample(database, registration));
      return delivery ? { delivery } : null;
    },

    async redeliver(deliveryId: string) {
      const delivery = await redeliver(database, scope(), deliveryId);
      return delivery ? { delivery } : null;
    },

    /** The stream of the caller's deliveries. */
    deliveryStream: async (webhookId: string | null | undefined) =>
      deliveryFeed.stream({ app: scope(), chainId: database.query.chainId, webhookId: webhookId ?? undefined }),
  };
}
