import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { WizardFilter } from '../../../generated/wizards.ts';
import { wizardParams, wizardsMatching } from '../filters.ts';
import { Malformed, shown, type Told, type Wizard } from '../model.ts';
import { type Read, wizardBy, wizardsBy } from '../service.ts';
import { groupedBy } from './grouped.ts';

/** So many wizards, owners, or lists, are asked for one by one; for more the list of all wizards is read once. */
const MOST_SINGLE = 8;

/** Wizards by their ids, by their owners, and in lists. */
export function wizardLoader(read: Read) {
  const single = (id: string): Promise<Wizard | Error | null> =>
    wizardBy(read, id).then(
      (told) => told && shown(told),
      (error: Error) => error,
    );

  const byId = new DataLoader<string, Wizard | null>(async (ids) => {
    if (ids.length <= MOST_SINGLE) return Promise.all(ids.map(single));
    const told = await wizardsBy(read, {});
    const found = new Map(told.map((one) => [one instanceof Malformed ? one.part.id : one.id, shown(one)]));
    // A list may be cut by the service; what it lacks is asked for.
    return Promise.all(ids.map((id) => found.get(id) ?? single(id)));
  });

  const byOwner = new DataLoader<Data, readonly Told<Wizard>[]>(async (owners) => {
    if (owners.length <= MOST_SINGLE) return Promise.all(owners.map((owner) => list({ owner }).catch((error: Error) => error)));
    return owners.map(groupedBy(await list({}), ({ ownerAddress }) => [ownerAddress]));
  });

  // The service may send all wizards for each list, so that many of them are parts of one.
  const byFilter = new DataLoader<WizardFilter, readonly Told<Wizard>[], string>(
    async (filters) => {
      if (filters.length <= MOST_SINGLE) return Promise.all(filters.map((filter) => list(filter).catch((error: Error) => error)));
      const whole = await list({});
      return filters.map((filter) => wizardsMatching(whole, filter));
    },
    {
      cacheKeyFn: ({ owner, affinity, minPower, maxPower, status }) =>
        JSON.stringify([owner, affinity, minPower, maxPower, status]),
    },
  );

  /** All wizards to which a filter applies; whoever asks for one of them later has it. */
  async function list(filter: WizardFilter): Promise<readonly Told<Wizard>[]> {
    const told = await wizardsBy(read, filter);
    for (const one of told) if (!(one instanceof Malformed)) byId.prime(one.id, one);
    return told;
  }

  return {
    wizard: (id: string): Promise<Wizard | null> => byId.load(id),
    async list(filter: WizardFilter): Promise<readonly Told<Wizard>[]> {
      // What cannot be asked for is refused, for this list alone.
      wizardParams(filter);
      return byFilter.load(filter);
    },
    /** An owner's wizards, of which a filter may leave out some. */
    async of(owner: Data, filter: WizardFilter): Promise<readonly Told<Wizard>[]> {
      if (filter.owner && filter.owner !== owner) return [];
      // What cannot be asked for is refused; the rest is looked at here, since the wizards of one owner are few.
      wizardParams(filter);
      return wizardsMatching(await byOwner.load(owner), filter);
    },
  };
}
