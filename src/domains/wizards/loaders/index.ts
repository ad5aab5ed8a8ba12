import DataLoader from 'dataloader';
import { compareIntegers, type Data, type Quantity } from '../../../ethereum/hex.ts';
import type { DuelFilter, WizardFilter } from '../../../generated/wizards.ts';
import { forEachYielding } from '../../../lib/operation-budget.ts';
import { createEntityLoader, readEach } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type Duel, entryOrError, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';
import type { EntryList } from '../pages.ts';
import { DuelRecord, winnerIdOf } from '../rounds.ts';
import { entryIndex, type KeysOf } from '../service/entry-index.ts';
import { duelFilterKey, duelsOfWizardKey, wizardMatcher, wizardQueryParams } from '../service/filters.ts';
import { createServiceReader, type ServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import { fetchWizard, fetchWizards, idOf } from '../service/wizard-service.ts';
import type { WizardStreams } from '../subscriptions.ts';
import { duelLoader } from './duels.ts';

export type WizardLoaders = ReturnType<typeof wizardLoaders>;

/** Creates the wizard loaders of one operation. All operations share `service` and `streams`. */
export function wizardLoaders(service: WizardServiceClient, streams: WizardStreams, snapshot: Snapshot) {
  const read = createServiceReader(service, snapshot);
  const duels = duelLoader(read);

  /** The duel in progress of a wizard, the last started duel if there are several; null if there is none. */
  const activeDuels = createEntityLoader(async (id: string) => {
    let active: Duel | null = null;
    let invalid: InvalidEntry<Duel> | undefined;
    await forEachEntry(await duels.duelsOf(id, { excludeFinished: true }), (entry) => {
      if (entry instanceof InvalidEntry) invalid ??= entry;
      else if (!active || compareIntegers(entry.startBlockNumber, active.startBlockNumber) > 0) active = entry;
    });
    // An invalid entry may be the active duel.
    if (!active && invalid) throw invalid.error;
    return active;
  }, String);

  /** Counts the duels of a wizard by outcome. Rejects if a duel is invalid, since the counts would then be wrong. */
  const records = createEntityLoader(async ({ id, filter }: { readonly id: string; readonly filter: DuelFilter }) => {
    const record = new DuelRecord();
    let isComplete = true;
    await forEachEntry(await duels.duelsOf(id, filter), (entry) => {
      if (entry instanceof InvalidEntry) throw entry.error;
      if (!record.add(id, entry)) isComplete = false;
    });
    return isComplete ? record : null;
  }, duelsOfWizardKey);

  /** Counts the duels that each wizard has won. Rejects if a duel is invalid. */
  const winCounts = createEntityLoader(async (filter: DuelFilter) => {
    const counts = new Map<string, number>();
    await forEachEntry(await duels.duels(filter), (entry) => {
      if (entry instanceof InvalidEntry) throw entry.error;
      const winner = winnerIdOf(entry);
      if (winner) counts.set(winner, (counts.get(winner) ?? 0) + 1);
    });
    return counts;
  }, duelFilterKey);

  return Object.assign(wizardLoader(read), duels, {
    streams,
    activeDuel: (id: string) => activeDuels.load(id),
    record: (id: string, filter: DuelFilter) => records.load({ id, filter }),
    winCounts: (filter: DuelFilter) => winCounts.load(filter),
    /** Whether a height is at or below the operation's head. */
    isReached: (number: Quantity): Promise<boolean> => snapshot.pin.isReached(number),
  });
}

/** Calls `step` for each entry of a list. */
const forEachEntry = ({ items, matches, budget }: EntryList<Duel>, step: (entry: ServiceEntry<Duel>) => void): Promise<void> =>
  forEachYielding(items, budget, (entry) => {
    if (!matches || matches(entry)) step(entry);
  });

/**
 * Maximum number of wizards, owners or filters that are requested separately; for more keys, one GET reads all wizards.
 */
const MAX_SINGLE_REQUESTS = 8;

const filterKeyOf = ({ owner, affinity, minPower, maxPower, status }: WizardFilter): string =>
  JSON.stringify([owner, affinity, minPower, maxPower, status]);

type WizardEntries = readonly ServiceEntry<Wizard>[];

const ownerOf: KeysOf<Wizard> = ({ ownerAddress }) => [ownerAddress];

/** Loads wizards by id, by owner and by filter. The service knows only their current state, so no key has a block. */
function wizardLoader(read: ServiceReader) {
  const { budget } = read;
  /** The lists that the operation has read. Their wizards need no request. */
  const lists = new Set<WizardEntries>();

  const listedWizard = async (id: string): Promise<Wizard | undefined> => {
    for (const list of lists) {
      const found = (await entryIndex(list, idOf, budget)).exact(id).find((entry) => !(entry instanceof InvalidEntry));
      if (found) return found as Wizard;
    }
    return undefined;
  };

  const byId = new DataLoader<string, Wizard | null>(async (ids) => {
    const listed = lists.size > 0 ? await Promise.all(ids.map(listedWizard)) : [];
    const missing = ids.filter((_id, i) => !listed[i]);
    const index = missing.length > MAX_SINGLE_REQUESTS ? fetchList({}).then((all) => entryIndex(all, idOf, budget)) : undefined;
    return readEach(ids, async (id, i) => {
      // The service may truncate its list. A valid entry precedes an invalid one with the same id.
      const inList = listed[i] ?? (await index?.then(() => listedWizard(id)));
      const entry = inList ?? (await index)?.exact(id).at(-1) ?? (await fetchWizard(read, id));
      return entry && entryOrError(entry);
    });
  });

  const byOwner = new DataLoader<Data, WizardEntries>(async (owners) => {
    if (owners.length <= MAX_SINGLE_REQUESTS) return readEach(owners, (owner) => fetchList({ owner }));
    const index = await entryIndex(await fetchList({}), ownerOf, budget);
    return owners.map(index.matching);
  });

  const byFilter = new DataLoader<WizardFilter, EntryList<Wizard>, string>(
    (filters) => {
      const all = filters.length > MAX_SINGLE_REQUESTS ? fetchList({}) : undefined;
      return readEach(filters, async (filter) => {
        const items = await (all ?? fetchList(filter));
        return { items, matches: all && wizardMatcher(filter), budget };
      });
    },
    { cacheKeyFn: filterKeyOf },
  );

  const fetchList = async (filter: WizardFilter): Promise<WizardEntries> => {
    const entries = await fetchWizards(read, filter);
    lists.add(entries);
    return entries;
  };

  return {
    /** One wizard; null if the id is unknown. */
    wizard: (id: string): Promise<Wizard | null> => byId.load(id),
    /** All wizards that match a filter. */
    async wizards(filter: WizardFilter): Promise<EntryList<Wizard>> {
      // Validates before batching: an invalid filter must fail only its own field.
      wizardQueryParams(filter);
      return byFilter.load(filter);
    },
    /** The wizards of an owner that match a filter. */
    async wizardsOf(owner: Data, filter: WizardFilter): Promise<EntryList<Wizard>> {
      if (filter.owner && filter.owner !== owner) return { items: [] };
      wizardQueryParams(filter);
      // One owner has few wizards: one request without the filter serves all filters.
      return { items: await byOwner.load(owner), matches: wizardMatcher(filter), budget };
    },
  };
}
