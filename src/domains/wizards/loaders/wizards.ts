import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { WizardFilter } from '../../../generated/wizards.ts';
import { entryOrError, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';
import { filterWizards, wizardQueryParams } from '../service/filters.ts';
import { fetchWizard, fetchWizards, type ServiceReader } from '../service/wizard-service.ts';
import { groupEntriesBy } from './group-entries.ts';

/** Maximum number of wizards, owners or filters that are requested separately; for more, one GET reads all wizards. */
const MAX_SINGLE_REQUESTS = 8;

type WizardEntries = readonly ServiceEntry<Wizard>[];

/** Loads wizards by id, by owner and by filter. The service knows only their current state, so no key has a block. */
export function wizardLoader(read: ServiceReader) {
  const fetchById = (id: string): Promise<Wizard | Error | null> =>
    fetchWizard(read, id).then(
      (entry) => entry && entryOrError(entry),
      (error: Error) => error,
    );

  const byId = new DataLoader<string, Wizard | null>(async (ids) => {
    if (ids.length <= MAX_SINGLE_REQUESTS) return Promise.all(ids.map(fetchById));
    const all = await fetchWizards(read, {});
    const byListedId = new Map(
      all.map((entry) => [entry instanceof InvalidEntry ? entry.partial.id : entry.id, entryOrError(entry)]),
    );
    // The service may truncate its list.
    return Promise.all(ids.map((id) => byListedId.get(id) ?? fetchById(id)));
  });

  const byOwner = new DataLoader<Data, WizardEntries>(async (owners) => {
    if (owners.length <= MAX_SINGLE_REQUESTS)
      return Promise.all(owners.map((owner) => fetchList({ owner }).catch((error: Error) => error)));
    return owners.map(groupEntriesBy(await fetchList({}), ({ ownerAddress }) => [ownerAddress]));
  });

  const byFilter = new DataLoader<WizardFilter, WizardEntries, string>(
    async (filters) => {
      if (filters.length <= MAX_SINGLE_REQUESTS)
        return Promise.all(filters.map((filter) => fetchList(filter).catch((error: Error) => error)));
      const all = await fetchList({});
      return filters.map((filter) => filterWizards(all, filter));
    },
    {
      cacheKeyFn: ({ owner, affinity, minPower, maxPower, status }) =>
        JSON.stringify([owner, affinity, minPower, maxPower, status]),
    },
  );

  /** Reads a list and primes `byId` with its wizards. */
  async function fetchList(filter: WizardFilter): Promise<WizardEntries> {
    const entries = await fetchWizards(read, filter);
    for (const entry of entries) if (!(entry instanceof InvalidEntry)) byId.prime(entry.id, entry);
    return entries;
  }

  return {
    wizard: (id: string): Promise<Wizard | null> => byId.load(id),
    async list(filter: WizardFilter): Promise<WizardEntries> {
      // Validates before batching: an invalid filter must fail only its own field.
      wizardQueryParams(filter);
      return byFilter.load(filter);
    },
    async of(owner: Data, filter: WizardFilter): Promise<WizardEntries> {
      if (filter.owner && filter.owner !== owner) return [];
      wizardQueryParams(filter);
      // One owner has few wizards: one request without the filter serves all filters.
      return filterWizards(await byOwner.load(owner), filter);
    },
  };
}
