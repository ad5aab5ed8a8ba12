import type { Logger } from 'pino';
import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { createEventHub, type EventHub } from '../../../sync/event-hub.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { ServiceEntry } from '../model.ts';
import { diffEntries, type EntryFingerprint, type EntryFingerprints } from './entry-diff.ts';

/** What a look at a list has shown. */
export interface ListChanges<T> {
  /** What is new or has changed, never nothing. */
  readonly entries: readonly T[];
  /** The head that it was looked at for. */
  readonly head: Data;
}

export interface ListWatchOptions<T> {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  /** Begins to read the list: gives what reads the whole of it for each head. */
  readonly createListReader: () => (signal: AbortSignal) => Promise<readonly ServiceEntry<T>[]>;
  readonly fingerprintOf: (entry: T) => EntryFingerprint;
  readonly log: Logger;
}

/** A list of the service, looked at for all who want to hear of its changes. They end as the feed ends, and with RESULT_TOO_LARGE. */
export type ListWatch<T> = Pick<EventHub<ListChanges<T>>, 'subscribe'>;

/** Looks once at first, which tells nothing, and then once for each head, while anybody listens. */
export function createListWatch<T extends { readonly id: string }>(options: ListWatchOptions<T>): ListWatch<T> {
  let stop: (() => void) | undefined;
  const audience = createEventHub<ListChanges<T>>({
    log: options.log,
    start() {
      stop = startListPolling(options, audience);
    },
    stop: () => stop?.(),
  });
  return audience;
}

/** Begins to look; gives what stops it. One look at a time: heads that come meanwhile make one more. */
function startListPolling<T extends { readonly id: string }>(
  { feed, createListReader, fingerprintOf, log }: ListWatchOptions<T>,
  { emit, end }: EventHub<ListChanges<T>>,
): () => void {
  const list = createListReader();
  let looking = new AbortController();
  let isOver = false;
  let known: EntryFingerprints | undefined;
  /** For which head there is a look now, and for which one is due. */
  let now: Data | undefined;
  let due = feed.head?.hash;
  let isFailing = false;

  const read = async (): Promise<readonly ServiceEntry<T>[] | undefined> => {
    // Each look has its own: whoever reads listens to it, for as long as it is there.
    looking = new AbortController();
    try {
      const told = await list(looking.signal);
      isFailing = false;
      return told;
    } catch (error) {
      if (isOver) return undefined;
      // No later look can succeed with the same settings.
      if (error instanceof GraphError && error.code === 'RESULT_TOO_LARGE') {
        end(error);
        return undefined;
      }
      // Once for each outage; what was known stays what the next look is compared with.
      if (!isFailing) log.warn(errorLogFields(error), 'the tournament could not be looked at; the next head makes another look');
      isFailing = true;
      return undefined;
    }
  };

  const lookWhileDue = async (): Promise<void> => {
    while (due !== undefined) {
      now = due;
      due = undefined;
      const told = await read();
      if (isOver) return;
      if (!told) continue;
      const { fingerprints: seen, changed } = await diffEntries(known, told, fingerprintOf);
      if (isOver) return;
      known = seen;
      if (changed.length > 0) emit({ entries: changed, head: now });
    }
    now = undefined;
  };

  const stopHearing = feed.subscribeHeads({
    next({ removed }) {
      due = feed.head!.hash;
      if (now === undefined) void lookWhileDue();
      // Nothing can be read at a block that is of the chain no more.
      else if (removed.some(({ hash }) => hash === now)) now = due;
    },
    end,
  });
  void lookWhileDue();

  return () => {
    isOver = true;
    stopHearing();
    looking.abort(new GraphError('TIMEOUT', 'Nobody listens any more.'));
  };
}

const errorLogFields = (error: unknown): object =>
  error instanceof GraphError ? { code: error.code, reason: error.message } : { err: error };
