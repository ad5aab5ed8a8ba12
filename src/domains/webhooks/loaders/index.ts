import { setImmediate } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { ignoreError, type Query, type Statements, storeUnavailableError } from '../../../database/statements.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { QueryWebhookEventsArgs, WebhookType } from '../../../generated/webhooks.ts';
import { MAX_PAGE_SIZE, pageRequestOf } from '../../../graphql/connections.ts';
import type { CallerTurns } from '../../../lib/caller-turns.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { transactionBy } from '../../../snapshot/state-methods.ts';
import type { EventContent, WebhookEventHeader } from '../model.ts';
import { pageOf } from '../registrations/model.ts';
import { RegistrationStore } from '../registrations/registration-store.ts';
import { statementsOfChain } from '../store/chain-statements.ts';
import { EventStore } from '../store/event-store.ts';
import { type EventFeed, unknownEventError } from '../subscriptions/event-feed.ts';
import { callerAppOf, deliveryLoaders, type RegistrationSources, registrationLoaders } from './registrations.ts';

/** State that the loaders of all operations share. */
export interface WebhookLoaderSources extends Omit<RegistrationSources, 'registrations' | 'database'> {
  readonly database: Statements;
  readonly turns: CallerTurns;
  readonly eventFeed: EventFeed;
  /** The value of the columns `chain_id`. */
  readonly chainId: string;
}

/** The part of an operation's context that webhook resolvers use. */
export interface WebhooksContext {
  readonly webhooks: ReturnType<typeof webhookLoaders>;
}

/**
 * Returns the statements of one operation, in the turns of its caller's application. Each millisecond of database time
 * costs 1, and the size of the rows counts as bytes from an upstream. Rejects with RESULT_TOO_LARGE when the budget is
 * exhausted, and with the reason of the signal.
 */
export function operationStatements(
  { database, turns }: { readonly database: Statements; readonly turns: CallerTurns },
  operation: Operation,
): Statements {
  const { budget, signal } = operation;
  const counted =
    (query: Query): Query =>
    async <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => {
      budget?.throwIfExhausted();
      const start = performance.now();
      try {
        const rows = await query<Row>(text, values);
        budget?.addUpstreamBytes(sizeOf(rows));
        return rows;
      } finally {
        budget?.addCost(Math.ceil(performance.now() - start));
      }
    };
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => turns.run(operation.caller?.app, run, signal);
  return {
    query: (text, values) => inTurn(() => counted(database.query)(text, values)),
    transaction: (run) => inTurn(() => database.transaction((query) => run(counted(query)))),
  };
}

/** The approximate size of rows in bytes: the size of their texts. */
const sizeOf = (rows: readonly object[]): number =>
  rows.flatMap(Object.values).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Creates the webhook loaders of one operation on one chain, which read the events of its caller's application. */
export function webhookLoaders(sources: WebhookLoaderSources, { operation, calls, pin, availability }: Snapshot) {
  const { eventFeed, chainId } = sources;
  const database = statementsOfChain(operationStatements(sources, operation), chainId);
  const store = new EventStore(database);

  /** Reads by hash. Accepts a null result only from a node that has this operation's head. */
  const transactions = createEntityLoader(async (hash: Data) => {
    const found = await calls.call(transactionBy, hash);
    const head = pin.knownHead;
    const confirmed = found || !head ? found : await availability.readWithBlock(head.hash, transactionBy, hash);
    return confirmed && { hash };
  }, String);

  return {
    registrations: registrationLoaders({ ...sources, database, registrations: new RegistrationStore(database) }, operation),
    deliveries: deliveryLoaders({ store, database }, operation),

    /** A page of the caller's events, the newest first. */
    async events({ types, first, after }: Partial<QueryWebhookEventsArgs>) {
      const scope = { app: callerAppOf(operation), chainId, types };
      const page = pageRequestOf({ first, after }, { maxSize: MAX_PAGE_SIZE });
      operation.dependencies.addVolatile();
      const before = page.after === undefined ? undefined : await store.sequenceOf(scope, page.after);
      if (page.after !== undefined && before === undefined) throw unknownEventError();
      return pageOf(await store.newest(scope, { before, limit: page.size + 1 }), page);
    },

    /** The content of an event. */
    contentOf: contentReader(store, operation.budget),

    /** The stream of the caller's events. */
    async eventStream(types: readonly WebhookType[] | null | undefined, after: string | null | undefined) {
      // The backlog is read after this operation has ended, and each event has a separate budget.
      const { budget: _budget, ...unlimited } = operation;
      const backlog = new EventStore(operationStatements(sources, unlimited));
      return eventFeed.webhookEvents(backlog, { app: callerAppOf(operation), chainId, types }, after);
    },

    /** The stream of the transfers in the caller's events. */
    activityStream: async (addresses: readonly Data[] | null | undefined) =>
      eventFeed.addressActivity({ app: callerAppOf(operation), chainId }, addresses),

    /** The key of a transaction; null unless the node has it. Source: `eth_getTransactionByHash`. */
    transaction: (hash: Data) => transactions.load(hash),

    /** Whether a height is at or below the operation's head. */
    isReached: (number: Quantity): Promise<boolean> => pin.isReached(number),
  };
}

/**
 * Maximum size of the contents that one statement reads, unless a single event has more: parsing this size takes about
 * ten milliseconds.
 */
const MAX_READ_BYTES = 1024 * 1024;

/** Events whose contents one statement reads. */
interface ContentGroup {
  bytes: number;
  readonly ids: string[];
  /** The contents as JSON, by id. */
  readonly texts: Promise<ReadonlyMap<string, string>>;
}

/**
 * Creates the reader of contents for one operation. Events that are requested in one tick are read together, one statement after the other, and
 * each content is passed on before the next statement. Nothing is cached after the tick: a page of contents can be large.
 */
export function contentReader(store: EventStore, budget: OperationBudget | undefined) {
  /** The contents that were requested in this tick, by id. */
  const requested = new Map<string, Promise<EventContent>>();
  /** The last group of this tick. */
  let group: ContentGroup | undefined;

  const endTick = (): void => {
    requested.clear();
    group = undefined;
  };
  /** A group that is read at the end of the tick, or after the previous group of the tick. */
  const createGroup = (): ContentGroup => {
    const start = group ? group.texts.catch(ignoreError) : setImmediate().then(endTick);
    const ids: string[] = [];
    return { bytes: 0, ids, texts: start.then(() => store.contentsOf(ids)) };
  };
  const read = async (id: string, texts: ContentGroup['texts']): Promise<EventContent> => {
    const json = (await texts).get(id);
    if (json === undefined) throw storeUnavailableError(new Error('the retention has deleted the event'));
    budget?.beginTurn();
    return JSON.parse(json);
  };

  return ({ id, contentBytes }: WebhookEventHeader): Promise<EventContent> => {
    const other = requested.get(id);
    if (other) return other;
    if (!group || group.bytes + contentBytes > MAX_READ_BYTES) group = createGroup();
    group.bytes += contentBytes;
    group.ids.push(id);
    const content = read(id, group.texts);
    requested.set(id, content);
    return content;
  };
}
