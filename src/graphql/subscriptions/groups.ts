import { GraphError } from '../../errors.ts';
import type { SourceStream } from '../stream.ts';
import { QueuedEvents } from './backpressure.ts';
import { type EventExecutor, type SubscriptionCounts, SubscriptionGroup } from './group.ts';
import type { SubscriptionSink } from './operation-sink.ts';
import type { Subscriber } from './subscriber.ts';

/** Subscriptions of one server, all clients together. */
const MAX_SUBSCRIPTIONS = 100_000;
/** The keys of all groups, in characters: the variables are in them, which are as long as clients make them. */
const MAX_KEY_CHARS = 32 * 1024 * 1024;

/** What a group is opened with. */
export interface SharedOperation {
  /** What all who share have in common; see `keyOf`. */
  readonly key: string;
  readonly executeEvent: EventExecutor;
  /** Keeps what the answers need; gives what ends that. May throw a GraphError. */
  readonly retainDocument: () => () => void;
}

interface GroupEntry {
  readonly group: SubscriptionGroup;
  readonly key: string;
  readonly release: () => void;
  lingerTimer: NodeJS.Timeout | undefined;
}

/** All subscriptions of a server, those of equal operations in one group. */
export class SubscriptionGroups {
  /** Those that can be joined, by their keys. */
  readonly #joinable = new Map<string, GroupEntry>();
  /** Those that there are: some have ended and still have somebody who reads. */
  readonly #entries = new Set<GroupEntry>();
  readonly #counts: SubscriptionCounts = { subscribers: 0, sent: 0, slow: 0 };
  readonly #queuedEvents = new QueuedEvents();
  readonly #lingerMs: number;
  #keyChars = 0;

  /** `lingerMs`: how long a stream stays open without anybody, for whoever comes back. */
  constructor(lingerMs: number) {
    this.#lingerMs = lingerMs;
  }

  get status(): Readonly<SubscriptionCounts> & { readonly groups: number } {
    return { ...this.#counts, groups: this.#entries.size };
  }

  /** Adds a subscriber, whose stream is opened if nobody's is who asks the same. Throws TOO_MANY_SUBSCRIPTIONS. */
  join(shared: SharedOperation, stream: SourceStream, outlet: SubscriptionSink): Subscriber {
    if (this.#counts.subscribers >= MAX_SUBSCRIPTIONS) {
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', 'This server has as many subscriptions as it takes.', {
        limit: MAX_SUBSCRIPTIONS,
        retryable: true,
      });
    }
    const place = this.#joinable.get(shared.key) ?? this.#open(shared, stream);
    clearTimeout(place.lingerTimer);
    return place.group.join(stream, outlet);
  }

  /** Ends all streams. */
  stop(): void {
    for (const place of this.#entries) {
      place.group.stop();
      this.#close(place);
    }
  }

  #open({ key, executeEvent, retainDocument }: SharedOperation, stream: SourceStream): GroupEntry {
    if (this.#keyChars + key.length > MAX_KEY_CHARS) {
      const message = 'The variables of the subscriptions that run on this server are too many, or too long.';
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_KEY_CHARS, retryable: true });
    }
    const group = new SubscriptionGroup(executeEvent, this.#counts, this.#queuedEvents, () => this.#removeIfIdle(place));
    const place: GroupEntry = { group, key, release: retainDocument(), lingerTimer: undefined };
    this.#keyChars += key.length;
    this.#entries.add(place);
    this.#joinable.set(key, place);
    try {
      group.start(stream);
    } catch (error) {
      this.#close(place);
      throw error;
    }
    return place;
  }

  /** Looks after a group that was left by its last subscriber, or whose stream has ended. */
  #removeIfIdle(place: GroupEntry): void {
    const { group, key } = place;
    if (group.hasEnded && this.#joinable.get(key) === place) this.#joinable.delete(key);
    if (!group.isEmpty) return;
    if (group.hasEnded) this.#close(place);
    else {
      clearTimeout(place.lingerTimer);
      place.lingerTimer = setTimeout(() => group.stop(), this.#lingerMs);
    }
  }

  #close(place: GroupEntry): void {
    if (!this.#entries.delete(place)) return;
    if (this.#joinable.get(place.key) === place) this.#joinable.delete(place.key);
    clearTimeout(place.lingerTimer);
    this.#keyChars -= place.key.length;
    place.release();
  }
}
