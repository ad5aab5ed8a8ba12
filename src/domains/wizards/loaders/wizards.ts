import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { WizardFilter } from '../../../generated/wizards.ts';
import { entryOrError, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';
import { filterWizards, wizardQueryParams } from '../service/filters.ts';
import { fetchWizard, fetchWizards, type ServiceReader } from '../service/wizard-service.ts';
import { groupEntriesBy } from './group-entries.ts';

/** So many wizards, owners, or lists, are asked for one by one; for more the list of all wizards is read once. */
const MAX_SINGLE_REQUESTS = 8;

/** Wizards by their ids, by their owners, and in lists. */
export function wizardLoader(read: ServiceReader) {
  const single = (id: string): Promise<Wizard | Error | null> =>
    fetchWizard(read, id).then(
      (told) => told && entryOrError(told),
      (error: Error) => error,
    );

  const byId = new DataLoader<string, Wizard | null>(async (ids) => {
    if (ids.length <= MAX_SINGLE_REQUESTS) return Promise.all(ids.map(single));
    const told = await fetchWizards(read, {});
    const found = new Map(told.map((one) => [one instanceof InvalidEntry ? one.partial.id : one.id, entryOrError(one)]));
    // A list may be cut by the service; what it lacks is asked for.
    return Promise.all(ids.map((id) => found.get(id) ?? single(id)));
  });

  const byOwner = new DataLoader<Data, readonly ServiceEntry<Wizard>[]>(async (owners) => {
    if (owners.length <= MAX_SINGLE_REQUESTS)
      return Promise.all(owners.map((owner) => list({ owner }).catch((error: Error) => error)));
    return owners.map(groupEntriesBy(await list({}), ({ ownerAddress }) => [ownerAddress]));
  });

  // The service may send all wizards for each list, so that many of them are parts of one.
  const byFilter = new DataLoader<WizardFilter, readonly ServiceEntry<Wizard>[], string>(
    async (filters) => {
      if (filters.length <= MAX_SINGLE_REQUESTS)
        return Promise.all(filters.map((filter) => list(filter).catch((error: Error) => error)));
      const whole = await list({});
      return filters.map((filter) => filterWizards(whole, filter));
    },
    {
      cacheKeyFn: ({ owner, affinity, minPower, maxPower, status }) =>
        JSON.stringify([owner, affinity, minPower, maxPower, status]),
    },
  );

  /** All wizards to which a filter applies; whoever asks for one of them later has it. */
  async function list(filter: WizardFilter): Promise<readonly ServiceEntry<Wizard>[]> {
    const told = await fetchWizards(read, filter);
    for (const one of told) if (!(one instanceof InvalidEntry)) byId.prime(one.id, one);
    return told;
  }

  return {
    wizard: (id: string): Promise<Wizard | null> => byId.load(id),
    async list(filter: WizardFilter): Promise<readonly ServiceEntry<Wizard>[]> {
      // What cannot be asked for is refused, for this list alone.
      wizardQueryParams(filter);
      return byFilter.load(filter);
    },
    /** An owner's wizards, of which a filter may leave out some. */
    async of(owner: Data, filter: WizardFilter): Promise<readonly ServiceEntry<Wizard>[]> {
      if (filter.owner && filter.owner !== owner) return [];
      // What cannot be asked for is refused; the rest is looked at here, since the wizards of one owner are few.
      wizardQueryParams(filter);
      return filterWizards(await byOwner.load(owner), filter);
    },
  };
}
