import { GraphError } from '../../errors.ts';
import type { Stream } from '../stream.ts';
import { Waiting } from './backpressure.ts';
import { type Answer, type Counts, Group } from './group.ts';
import type { Subscriber } from './subscriber.ts';
import type { Outlet } from './subscription-sink.ts';

/** Subscriptions of one server, all clients together. */
const MAX_SUBSCRIPTIONS = 100_000;
/** The keys of all groups, in characters: the variables are in them, which are as long as clients make them. */
const MAX_KEYS = 32 * 1024 * 1024;

/** What a group is opened with. */
export interface Shared {
  /** What all who share have in common; see `keyOf`. */
  readonly key: string;
  readonly answer: Answer;
  /** Keeps what the answers need; gives what ends that. May throw a GraphError. */
  readonly hold: () => () => void;
}

interface Place {
  readonly group: Group;
  readonly key: string;
  readonly release: () => void;
  linger: NodeJS.Timeout | undefined;
}

/** All subscriptions of a server, those of equal operations in one group. */
export class Groups {
  /** Those that can be joined, by their keys. */
  readonly #joinable = new Map<string, Place>();
  /** Those that there are: some have ended and still have somebody who reads. */
  readonly #places = new Set<Place>();
  readonly #counts: Counts = { subscribers: 0, sent: 0, slow: 0 };
  readonly #waiting = new Waiting();
  readonly #lingerMs: number;
  #keys = 0;

  /** `lingerMs`: how long a stream stays open without anybody, for whoever comes back. */
  constructor(lingerMs: number) {
    this.#lingerMs = lingerMs;
  }

  get status(): Readonly<Counts> & { readonly groups: number } {
    return { ...this.#counts, groups: this.#places.size };
  }

  /** Adds a subscriber, whose stream is opened if nobody's is who asks the same. Throws TOO_MANY_SUBSCRIPTIONS. */
  join(shared: Shared, stream: Stream, outlet: Outlet): Subscriber {
    if (this.#counts.subscribers >= MAX_SUBSCRIPTIONS) {
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', 'This server has as many subscriptions as it takes.', {
        limit: MAX_SUBSCRIPTIONS,
        retryable: true,
      });
    }
    const place = this.#joinable.get(shared.key) ?? this.#open(shared, stream);
    clearTimeout(place.linger);
    return place.group.join(stream, outlet);
  }

  /** Ends all streams. */
  stop(): void {
    for (const place of this.#places) {
      place.group.stop();
      this.#close(place);
    }
  }

  #open({ key, answer, hold }: Shared, stream: Stream): Place {
    if (this.#keys + key.length > MAX_KEYS) {
      const message = 'The variables of the subscriptions that run on this server are too many, or too long.';
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_KEYS, retryable: true });
    }
    const group = new Group(answer, this.#counts, this.#waiting, () => this.#look(place));
    const place: Place = { group, key, release: hold(), linger: undefined };
    this.#keys += key.length;
    this.#places.add(place);
    this.#joinable.set(key, place);
    try {
      group.open(stream);
    } catch (error) {
      this.#close(place);
      throw error;
    }
    return place;
  }

  /** Looks after a group that was left by its last subscriber, or whose stream has ended. */
  #look(place: Place): void {
    const { group, key } = place;
    if (group.hasEnded && this.#joinable.get(key) === place) this.#joinable.delete(key);
    if (!group.isEmpty) return;
    if (group.hasEnded) this.#close(place);
    else {
      clearTimeout(place.linger);
      place.linger = setTimeout(() => group.stop(), this.#lingerMs);
    }
  }

  #close(place: Place): void {
    if (!this.#places.delete(place)) return;
    if (this.#joinable.get(place.key) === place) this.#joinable.delete(place.key);
    clearTimeout(place.linger);
    this.#keys -= place.key.length;
    place.release();
  }
}
