import type { Logger } from 'pino';
import type { Data } from '../../ethereum/hex.ts';
import type { DuelFilter } from '../../generated/wizards.ts';
import { type SourceStream, streamOfHub } from '../../graphql/stream.ts';
import { GraphError } from '../../lib/errors.ts';
import { createEventHub, type EventHub } from '../../lib/event-hub.ts';
import { forEachYielding, OperationBudget } from '../../lib/operation-budget.ts';
import { ResponseDependencies } from '../../operation/response-dependencies.ts';
import type { ChainFeed } from '../../sync/feed.ts';
import { type Duel, InvalidEntry, type ServiceEntry, type Wizard } from './model.ts';
import { duelMatcher, limitedIds } from './service/filters.ts';
import { createServiceReader, type ServiceReader, type WizardServiceClient } from './service/service-reader.ts';
import { fetchDuels, fetchWizards } from './service/wizard-service.ts';

/** The feed whose heads trigger a read of the lists, and the log. */
export interface WizardStreamSources {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  readonly log: Logger;
}

/** The event streams by field of `Subscription`. */
export type WizardStreams = ReturnType<typeof createWizardStreams>;

/** Creates the event streams of one process. The service is read only while there are subscribers. */
export function createWizardStreams(sources: WizardStreamSources, service: WizardServiceClient) {
  // Shares the operations' cache: an operation executed for an event finds the list in it.
  const reader = (signal: AbortSignal): ServiceReader =>
    createServiceReader(service, {
      operation: { signal, dependencies: new ResponseDependencies(), budget: new OperationBudget() },
      follower: sources.feed,
    });
  const wizards = createListWatch(sources, (signal) => fetchWizards(reader(signal), {}), wizardFingerprint);
  const duels = createListWatch(sources, (signal) => fetchDuels(reader(signal), {}), duelFingerprint);
  return {
    /** Changed wizards, all or the wizards of some ids. Throws BAD_USER_INPUT for more than 500 ids. Source: `GET /wizards` on new heads. */
    wizardUpdates(ids: readonly string[] | null | undefined): SourceStream<{ readonly wizardUpdates: Wizard }> {
      const requestedIds = limitedIds('ids', ids);
      const idSet = requestedIds && new Set(requestedIds);
      return changesOf((wizardUpdates) => ({ wizardUpdates }), wizards, idSet && (({ id }) => idSet.has(id)));
    },
    /** Changed duels whose new state matches a filter. Throws BAD_USER_INPUT for more than 500 wizard ids. Source: `GET /duels` on new heads. */
    duelUpdates: (filter: DuelFilter): SourceStream<{ readonly duelUpdates: Duel }> =>
      changesOf((duelUpdates) => ({ duelUpdates }), duels, duelMatcher(filter)),
  };
}

/** The stream of the changed entries that match. */
const changesOf = <T, Root>(
  rootOf: (entry: T) => Root,
  watch: EventHub<ListChanges<T>>,
  matches: ((entry: T) => boolean) | undefined,
): SourceStream<Root> =>
  streamOfHub(watch.subscribe, ({ entries, head }) => {
    const changed = matches ? entries.filter(matches) : entries;
    return changed.map((entry) => ({ root: rootOf(entry), block: head }));
  });

/** The new and changed entries of a list, at least one, and the hash of the head at which the list was read. */
interface ListChanges<T> {
  readonly entries: readonly T[];
  readonly head: Data;
}

/**
 * Creates a hub of the changes of a list. While it has subscribers, it reads the list once at the start as the baseline and then once per head.
 * Ends when the feed ends, and with RESULT_TOO_LARGE.
 */
function createListWatch<T extends { readonly id: string }>(
  { feed, log }: WizardStreamSources,
  readList: (signal: AbortSignal) => Promise<readonly ServiceEntry<T>[]>,
  fingerprintOf: (entry: T) => string,
): EventHub<ListChanges<T>> {
  let stop: (() => void) | undefined;
  /** Starts reading the list. One read at a time: heads that arrive during a read cause one more read. */
  const start = (): void => {
    let controller = new AbortController();
    let fingerprints: ReadonlyMap<string, string> | undefined;
    /** Hash of the head of the current read; undefined while no read is running. */
    let currentHead: Data | undefined;
    /** Hash of the head of the next read; undefined if no read is due. */
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
          if (diff.changed.length > 0) eventHub.emit({ entries: diff.changed, head: currentHead });
        } catch (error) {
          if (signal.aborted) return;
          // Later reads would fail, too, until the operator raises the limit.
          if (error instanceof GraphError && error.code === 'RESULT_TOO_LARGE') return eventHub.end(error);
          // The fingerprints stay, so the next successful read reports all changes since. The client logs failures of the service.
          if (error instanceof GraphError && error.endpoint !== undefined) continue;
          const fields = error instanceof GraphError ? { code: error.code, reason: error.message } : { err: error };
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
      end: eventHub.end,
    });
    void readWhileDue();

    stop = () => {
      unsubscribe();
      controller.abort(new GraphError('TIMEOUT', 'The last subscriber has left.'));
    };
  };
  const eventHub = createEventHub<ListChanges<T>>({ log, start, stop: () => stop?.() });
  return eventHub;
}

/** The fields of a wizard whose change is an update. */
const wizardFingerprint = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): string =>
  [ownerAddress, power, eliminatedBlockNumber].join(' ');

/**
 * The fields of a duel whose change is an update. The fields include the powers, because a reorg can change the outcome
 * of a duel without changing its end block.
 */
const duelFingerprint = (duel: Duel): string =>
  [duel.startBlockNumber, duel.endBlockNumber, duel.timeoutBlockNumber, duel.timedOut, duel.endPower1, duel.endPower2].join(' ');

/**
 * Returns the entries that are new or changed since the previous list, in list order; none if there is no previous list. An invalid entry
 * keeps its previous fingerprint until it is valid again; the fingerprint of a missing entry is dropped. Fingerprints by entry id are stored
 * instead of the entries, because the list can be long.
 */
async function diffEntries<T extends { readonly id: string }>(
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
