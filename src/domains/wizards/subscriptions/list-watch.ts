import type { Logger } from 'pino';
import type { Data } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEventHub, type EventHub } from '../../../lib/event-hub.ts';
import { forEachYielding, OperationBudget } from '../../../lib/operation-budget.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { type Duel, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';

/** The difference between two successive reads of a list. */
export interface ListChanges<T> {
  /** New and changed entries; never empty. */
  readonly entries: readonly T[];
  /** Hash of the head at which the list was read. */
  readonly head: Data;
}

export interface ListWatchOptions<T> {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  /** Creates a function that reads the whole list; it is called once per head. */
  readonly createListReader: () => (signal: AbortSignal) => Promise<readonly ServiceEntry<T>[]>;
  readonly fingerprintOf: (entry: T) => EntryFingerprint;
  readonly log: Logger;
}

/** A shared subscription to the changes of a list. Ends when the feed ends, and with RESULT_TOO_LARGE. */
export type ListWatch<T> = Pick<EventHub<ListChanges<T>>, 'subscribe'>;

/** Creates a watch that, while it has subscribers, reads the list once at the start as the baseline and then once per head. */
export function createListWatch<T extends { readonly id: string }>(options: ListWatchOptions<T>): ListWatch<T> {
  let stop: (() => void) | undefined;
  const eventHub = createEventHub<ListChanges<T>>({
    log: options.log,
    start() {
      stop = startListPolling(options, eventHub);
    },
    stop: () => stop?.(),
  });
  return eventHub;
}

/** Starts reading the list; returns a function that stops it. One read at a time: heads that arrive during a read cause one more read. */
function startListPolling<T extends { readonly id: string }>(
  { feed, createListReader, fingerprintOf, log }: ListWatchOptions<T>,
  { emit, end }: EventHub<ListChanges<T>>,
): () => void {
  const readList = createListReader();
  let controller = new AbortController();
  let isStopped = false;
  let fingerprints: EntryFingerprints | undefined;
  /** Hash of the head of the current read; undefined while there is none. */
  let currentHead: Data | undefined;
  /** Hash of the head of the next read; undefined if none is due. */
  let nextHead = feed.head?.hash;
  let isFailing = false;

  const read = async (): Promise<readonly ServiceEntry<T>[] | undefined> => {
    // One controller per read, so that listeners on its signal do not accumulate.
    controller = new AbortController();
    try {
      const entries = await readList(controller.signal);
      isFailing = false;
      return entries;
    } catch (error) {
      if (isStopped) return undefined;
      // Later reads would fail as well, until the limit is raised.
      if (error instanceof GraphError && error.code === 'RESULT_TOO_LARGE') {
        end(error);
        return undefined;
      }
      // One warning per outage. The fingerprints stay, so the next successful read reports all changes since.
      if (!isFailing) log.warn(errorLogFields(error), 'could not read the wizard service; the next head triggers another read');
      isFailing = true;
      return undefined;
    }
  };

  const readWhileDue = async (): Promise<void> => {
    while (nextHead !== undefined) {
      currentHead = nextHead;
      nextHead = undefined;
      const entries = await read();
      if (isStopped) return;
      if (!entries) continue;
      const diff = await diffEntries(fingerprints, entries, fingerprintOf);
      if (isStopped) return;
      fingerprints = diff.fingerprints;
      if (diff.changed.length > 0) emit({ entries: diff.changed, head: currentHead });
    }
    currentHead = undefined;
  };

  const unsubscribe = feed.subscribeHeads({
    next({ removed }) {
      nextHead = feed.head!.hash;
      if (currentHead === undefined) void readWhileDue();
      // State cannot be read at a removed block: emit the changes for the new head.
      else if (removed.some(({ hash }) => hash === currentHead)) currentHead = nextHead;
    },
    end,
  });
  void readWhileDue();

  return () => {
    isStopped = true;
    unsubscribe();
    controller.abort(new GraphError('TIMEOUT', 'The last subscriber has left.'));
  };
}

const errorLogFields = (error: unknown): object =>
  error instanceof GraphError ? { code: error.code, reason: error.message } : { err: error };

/** The fields of an entry whose change is an update. */
export type EntryFingerprint = readonly (string | boolean | null)[];

/** Fingerprints of a list by entry id. Stored instead of the entries, because the list can be long. */
export type EntryFingerprints = ReadonlyMap<string, EntryFingerprint>;

/** The fields of a wizard that `wizardUpdates` compares. */
export const wizardFingerprint = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): EntryFingerprint => [
  ownerAddress,
  power,
  eliminatedBlockNumber,
];

/** The fields of a duel that `duelUpdates` compares. Includes the powers: a reorg can change the outcome of a duel without changing its end block. */
export const duelFingerprint = (duel: Duel): EntryFingerprint => [
  duel.startBlockNumber,
  duel.endBlockNumber,
  duel.timeoutBlockNumber,
  duel.timedOut,
  duel.endPower1,
  duel.endPower2,
];

/**
 * Returns the entries that are new or changed since the previous list, in list order; none if there is no previous list. An invalid entry
 * keeps its previous fingerprint until it is valid again; the fingerprint of a missing entry is dropped.
 */
export async function diffEntries<T extends { readonly id: string }>(
  previous: EntryFingerprints | undefined,
  list: readonly ServiceEntry<T>[],
  fingerprintOf: (entry: T) => EntryFingerprint,
): Promise<{ readonly fingerprints: EntryFingerprints; readonly changed: readonly T[] }> {
  const fingerprints = new Map<string, EntryFingerprint>();
  const changed: T[] = [];
  await forEachYielding(list, new OperationBudget(), (entry) => {
    const id = entry instanceof InvalidEntry ? entry.partial.id : entry.id;
    const before = id === undefined ? undefined : previous?.get(id);
    if (entry instanceof InvalidEntry) {
      if (before && !fingerprints.has(id!)) fingerprints.set(id!, before);
      return;
    }
    const now = fingerprintOf(entry);
    const isSame = before?.every((value, i) => value === now[i]) ?? false;
    fingerprints.set(entry.id, isSame ? before! : now);
    if (previous && !isSame) changed.push(entry);
  });
  return { fingerprints, changed };
}
