import type { Logger } from 'pino';
import type { Data } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEventHub, type EventHub } from '../../../lib/event-hub.ts';
import { forEachYielding, OperationBudget } from '../../../lib/operation-budget.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { type Duel, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';

/** How a list is read, and which changes of its entries are updates. */
interface ListWatchOptions<T> {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  /** Reads the whole list; called once per head. */
  readonly readList: (signal: AbortSignal) => Promise<readonly ServiceEntry<T>[]>;
  readonly fingerprintOf: (entry: T) => string;
  readonly log: Logger;
}

/** The new and changed entries of a list, at least one, and the hash of the head at which the list was read. */
export interface ListChanges<T> {
  readonly entries: readonly T[];
  readonly head: Data;
}

/**
 * Creates a hub of the changes of a list. While it has subscribers, it reads the list once at the start as the baseline and then once per head.
 * Ends when the feed ends, and with RESULT_TOO_LARGE.
 */
export function createListWatch<T extends { readonly id: string }>(options: ListWatchOptions<T>): EventHub<ListChanges<T>> {
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
  { feed, readList, fingerprintOf, log }: ListWatchOptions<T>,
  { emit, end }: EventHub<ListChanges<T>>,
): () => void {
  let controller = new AbortController();
  let fingerprints: ReadonlyMap<string, string> | undefined;
  /** Hash of the head of the current read; undefined while there is none. */
  let currentHead: Data | undefined;
  /** Hash of the head of the next read; undefined if none is due. */
  let nextHead = feed.head?.hash;
  let isFailing = false;

  const readWhileDue = async (): Promise<void> => {
    while (nextHead !== undefined) {
      currentHead = nextHead;
      nextHead = undefined;
      // One controller per read, so that listeners on its signal do not accumulate.
      controller = new AbortController();
      const { signal } = controller;
      try {
        const diff = await diffEntries(fingerprints, await readList(signal), fingerprintOf);
        if (signal.aborted) return;
        isFailing = false;
        fingerprints = diff.fingerprints;
        if (diff.changed.length > 0) emit({ entries: diff.changed, head: currentHead });
      } catch (error) {
        if (signal.aborted) return;
        // Later reads would fail as well, until the limit is raised.
        if (error instanceof GraphError && error.code === 'RESULT_TOO_LARGE') return end(error);
        const fields = error instanceof GraphError ? { code: error.code, reason: error.message } : { err: error };
        // One warning per outage. The fingerprints stay, so the next successful read reports all changes since.
        if (!isFailing) log.warn(fields, 'could not read the wizard service; the next head triggers another read');
        isFailing = true;
      }
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
    unsubscribe();
    controller.abort(new GraphError('TIMEOUT', 'The last subscriber has left.'));
  };
}

/** The fields of a wizard whose change is an update. */
export const wizardFingerprint = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): string =>
  [ownerAddress, power, eliminatedBlockNumber].join(' ');

/** The fields of a duel whose change is an update. Includes the powers: a reorg can change the outcome of a duel without changing its end block. */
export const duelFingerprint = (duel: Duel): string =>
  [duel.startBlockNumber, duel.endBlockNumber, duel.timeoutBlockNumber, duel.timedOut, duel.endPower1, duel.endPower2].join(' ');

/**
 * Returns the entries that are new or changed since the previous list, in list order; none if there is no previous list. An invalid entry
 * keeps its previous fingerprint until it is valid again; the fingerprint of a missing entry is dropped. Fingerprints by entry id are stored
 * instead of the entries, because the list can be long.
 */
export async function diffEntries<T extends { readonly id: string }>(
  previous: ReadonlyMap<string, string> | undefined,
  list: readonly ServiceEntry<T>[],
  fingerprintOf: (entry: T) => string,
): Promise<{ readonly fingerprints: ReadonlyMap<string, string>; readonly changed: readonly T[] }> {
  const fingerprints = new Map<string, string>();
  const changed: T[] = [];
  await forEachYielding(list, new OperationBudget(), (entry) => {
    if (entry instanceof InvalidEntry) {
      const { id } = entry.partial;
      const before = id === undefined || fingerprints.has(id) ? undefined : previous?.get(id);
      if (before !== undefined) fingerprints.set(id!, before);
      return;
    }
    const now = fingerprintOf(entry);
    fingerprints.set(entry.id, now);
    if (previous && previous.get(entry.id) !== now) changed.push(entry);
  });
  return { fingerprints, changed };
}
