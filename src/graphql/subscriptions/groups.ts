import { GraphError } from '../../lib/errors.ts';
import type { SharedCounts } from '../../lib/shared-counts.ts';
import type { SourceStream } from '../stream.ts';
import { type EventExecutor, type OperationSink, QueuedEvents } from './event-execution.ts';
import { ExecutionTurns } from './execution-turns.ts';
import { SubscriptionGroup } from './group.ts';
import type { GroupResources } from './group-resources.ts';
import { RetainedText } from './retained-text.ts';
import type { Subscriber } from './subscriber.ts';
import {
  type PricedGroup,
  type SubscribingConnection,
  type SubscriptionCostLimits,
  SubscriptionCosts,
} from './subscription-costs.ts';

/** Maximum number of subscriptions of all clients together. */
const MAX_SUBSCRIPTIONS = 100_000;
/** Maximum number of groups of live queries that execute at the same time; their cost has the limit of other groups. */
const MAX_LIVE_GROUPS = 1_000;
/** Maximum number of characters in the keys of all groups. A key contains the variables, whose length the client chooses. */
const MAX_KEY_CHARS = 32 * 1024 * 1024;
/** Maximum number of characters in the documents of all groups, each document counted once. */
const MAX_DOCUMENT_CHARS = 4 * 1024 * 1024;
/** Maximum number of replays that execute events in one turn of the event loop: live events wait for the end of a turn several times. */
const MAX_REPLAY_STARTS = 1;

/** The operation that equal subscriptions share. */
export interface SharedOperation {
  /** Equal for equal subscriptions. */
  readonly key: string;
  readonly executeEvent: EventExecutor;
  /** Whether it is a live query. @default false */
  readonly isLive?: boolean;
  /**
   * Returns the cost of one event, an integer of at least 1. Called for the first subscriber; later subscribers have an
   * equal cost.
   */
  readonly priceEvent: () => number;
  /** Retains the document and returns the function that releases it. Calls `retainText` with the document's length if no other group retains it. */
  readonly retainDocument: (retainText: (chars: number) => () => void) => () => void;
}

interface GroupEntry extends PricedGroup {
  readonly group: SubscriptionGroup;
  readonly key: string;
  /** Release the text that the group retains. */
  readonly releases: (() => void)[];
  lingerTimer: NodeJS.Timeout | undefined;
}

/** Limits of the subscriptions of a server; each property is the setting with the name of the property. */
export interface SubscriptionLimits extends SubscriptionCostLimits {
  readonly MAX_COST: number;
}

/** All subscriptions of a server, grouped by equal operations. */
export class SubscriptionGroups {
  /** The events that wait for clients. */
  readonly queuedEvents = new QueuedEvents();
  /** Groups that accept subscribers, by key. */
  readonly #joinable = new Map<string, GroupEntry>();
  /** All groups, including ended groups whose subscribers have not read all events. */
  readonly #entries = new Set<GroupEntry>();
  readonly #resources: GroupResources;
  readonly #costs: SubscriptionCosts;
  readonly #lingerMs: number;
  readonly #keys: RetainedText;
  readonly #documents: RetainedText;

  /** `lingerMs`: time that a stream without subscribers stays open for a client that reconnects. */
  constructor(lingerMs: number, limits: SubscriptionLimits, counts?: SharedCounts) {
    this.#lingerMs = lingerMs;
    this.#costs = new SubscriptionCosts(limits, counts);
    this.#keys = new RetainedText('variables', MAX_KEY_CHARS, limits);
    this.#documents = new RetainedText('documents', MAX_DOCUMENT_CHARS, limits);
    this.#resources = {
      counts: { subscribers: 0, sent: 0, slow: 0 },
      queuedEvents: this.queuedEvents,
      turns: new ExecutionTurns(limits.MAX_COST),
      liveTurns: new ExecutionTurns(limits.MAX_COST, { maxGroups: MAX_LIVE_GROUPS }),
      replayTurns: new ExecutionTurns(limits.MAX_COST, { maxStarts: MAX_REPLAY_STARTS }),
    };
  }

  /** Counts of all subscriptions and groups, and the cost of one event of every group with subscribers. */
  get status() {
    return { ...this.#resources.counts, groups: this.#entries.size, cost: this.#costs.serverSum };
  }

  /**
   * The events that no group has executed yet, and the age of the oldest event in seconds; computed from all groups.
   */
  get lag(): { readonly events: number; readonly seconds: number } {
    const now = performance.now();
    let [events, since] = [0, now];
    for (const { group } of this.#entries) {
      if (!group.waiting) continue;
      events += group.waiting.count;
      since = Math.min(since, group.waiting.since);
    }
    return { events, seconds: (now - since) / 1_000 };
  }

  /** Joins the group with this key, opening its stream if needed. Throws TOO_MANY_SUBSCRIPTIONS. */
  join(shared: SharedOperation, stream: SourceStream, sink: OperationSink, connection: SubscribingConnection): Subscriber {
    if (this.#resources.counts.subscribers >= MAX_SUBSCRIPTIONS) {
      const message = `The server has reached its limit of ${MAX_SUBSCRIPTIONS} subscriptions. Try again later.`;
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_SUBSCRIPTIONS, retryable: true });
    }
    const existing = this.#joinable.get(shared.key);
    const priced: PricedGroup = existing ?? { eventCost: shared.priceEvent(), subscriberCounts: new Map() };
    this.#costs.check(priced, connection);
    const entry = existing ?? this.#open(shared, priced, stream, connection.client);
    clearTimeout(entry.lingerTimer);
    this.#costs.add(entry, connection);
    const subscriber = entry.group.join(stream, sink, () => {
      this.#costs.remove(entry, connection);
      stream.hold?.release();
    });
    void stream.hold?.lost.then((error) => subscriber.end(error));
    return subscriber;
  }

  /** Ends all streams. */
  stop(): void {
    for (const entry of this.#entries) {
      entry.group.stop();
      this.#close(entry);
    }
  }

  #open(
    { key, executeEvent, isLive = false, retainDocument }: SharedOperation,
    priced: PricedGroup,
    stream: SourceStream,
    client: string | undefined,
  ): GroupEntry {
    const turns = isLive ? this.#resources.liveTurns : this.#resources.turns;
    const event = { executeEvent, eventCost: priced.eventCost, turns, isLive };
    const group = new SubscriptionGroup(event, this.#resources, () => this.#removeIfIdle(entry));
    const entry: GroupEntry = { ...priced, group, key, releases: [], lingerTimer: undefined };
    this.#entries.add(entry);
    try {
      entry.releases.push(this.#keys.retain(key.length, client));
      entry.releases.push(retainDocument((chars) => this.#documents.retain(chars, client)));
      this.#joinable.set(key, entry);
      group.start(stream);
    } catch (error) {
      this.#close(entry);
      throw error;
    }
    return entry;
  }

  /** Closes a group without subscribers: at once if its stream has ended, otherwise after `lingerMs`. */
  #removeIfIdle(entry: GroupEntry): void {
    const { group, key } = entry;
    if (group.hasEnded && this.#joinable.get(key) === entry) this.#joinable.delete(key);
    if (!group.isEmpty) return;
    if (group.hasEnded) this.#close(entry);
    else {
      clearTimeout(entry.lingerTimer);
      entry.lingerTimer = setTimeout(() => group.stop(), this.#lingerMs);
    }
  }

  #close(entry: GroupEntry): void {
    if (!this.#entries.delete(entry)) return;
    if (this.#joinable.get(entry.key) === entry) this.#joinable.delete(entry.key);
    clearTimeout(entry.lingerTimer);
    for (const release of entry.releases) release();
  }
}
