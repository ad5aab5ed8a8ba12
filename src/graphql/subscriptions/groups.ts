import { GraphError } from '../../errors.ts';
import type { SourceStream } from '../stream.ts';
import { QueuedEvents } from './backpressure.ts';
import type { EventExecutor } from './event-execution.ts';
import { SubscriptionGroup } from './group.ts';
import type { OperationSink } from './operation-sink.ts';
import type { Subscriber, SubscriptionCounts } from './subscriber.ts';

/** Maximum number of subscriptions of all clients together. */
const MAX_SUBSCRIPTIONS = 100_000;
/** Maximum number of characters in the keys of all groups. A key contains the variables, whose length the client chooses. */
const MAX_KEY_CHARS = 32 * 1024 * 1024;

/** The operation that equal subscriptions share. */
export interface SharedOperation {
  /** Equal for equal subscriptions; see `groupKey`. */
  readonly key: string;
  readonly executeEvent: EventExecutor;
  /** Retains the document and returns the function that releases it. May throw a GraphError. */
  readonly retainDocument: () => () => void;
}

interface GroupEntry {
  readonly group: SubscriptionGroup;
  readonly key: string;
  readonly releaseDocument: () => void;
  lingerTimer: NodeJS.Timeout | undefined;
}

/** All subscriptions of a server, grouped by equal operations. */
export class SubscriptionGroups {
  /** Groups that accept subscribers, by key. */
  readonly #joinable = new Map<string, GroupEntry>();
  /** All groups, including ended ones whose subscribers have not read everything. */
  readonly #entries = new Set<GroupEntry>();
  readonly #counts: SubscriptionCounts = { subscribers: 0, sent: 0, slow: 0 };
  readonly #queuedEvents = new QueuedEvents();
  readonly #lingerMs: number;
  #keyChars = 0;

  /** `lingerMs`: time that a stream without subscribers stays open for a client that reconnects. */
  constructor(lingerMs: number) {
    this.#lingerMs = lingerMs;
  }

  get status(): Readonly<SubscriptionCounts> & { readonly groups: number } {
    return { ...this.#counts, groups: this.#entries.size };
  }

  /** Joins the group with this key, opening its stream if needed. Throws TOO_MANY_SUBSCRIPTIONS. */
  join(shared: SharedOperation, stream: SourceStream, sink: OperationSink): Subscriber {
    if (this.#counts.subscribers >= MAX_SUBSCRIPTIONS) {
      const message = `The server has reached its limit of ${MAX_SUBSCRIPTIONS} subscriptions. Try again later.`;
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_SUBSCRIPTIONS, retryable: true });
    }
    const entry = this.#joinable.get(shared.key) ?? this.#open(shared, stream);
    clearTimeout(entry.lingerTimer);
    return entry.group.join(stream, sink);
  }

  /** Ends all streams. */
  stop(): void {
    for (const entry of this.#entries) {
      entry.group.stop();
      this.#close(entry);
    }
  }

  #open({ key, executeEvent, retainDocument }: SharedOperation, stream: SourceStream): GroupEntry {
    if (this.#keyChars + key.length > MAX_KEY_CHARS) {
      const message = `The variables of all running subscriptions exceed ${MAX_KEY_CHARS} characters. Try again later.`;
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_KEY_CHARS, retryable: true });
    }
    const group = new SubscriptionGroup(executeEvent, this.#counts, this.#queuedEvents, () => this.#removeIfIdle(entry));
    const entry: GroupEntry = { group, key, releaseDocument: retainDocument(), lingerTimer: undefined };
    this.#keyChars += key.length;
    this.#entries.add(entry);
    this.#joinable.set(key, entry);
    try {
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
    this.#keyChars -= entry.key.length;
    entry.releaseDocument();
  }
}
