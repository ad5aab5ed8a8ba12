import DataLoader from 'dataloader';
import { type Quantity, quantityOf, toData } from '../../../ethereum/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { type Duel, entryOrError, type ServiceEntry } from '../model.ts';
import type { EntryList } from '../pages.ts';
import { type EntryIndex, entryIndex, type KeysOf } from '../service/entry-index.ts';
import { distinctWizardIds, duelMatcher, duelQueryParams, isEmptyDuelFilter } from '../service/filters.ts';
import { cachedDuels, fetchDuel, fetchDuels, isRejectedRequest, type ServiceReader } from '../service/wizard-service.ts';

type DuelEntries = readonly ServiceEntry<Duel>[];
/** Duels by key, or the error of their request. */
type DuelLookup = EntryIndex<Duel> | Error;

/** The duels of one wizard that match a filter. */
interface WizardDuelsKey {
  readonly id: string;
  readonly filter: DuelFilter;
  /** Query parameters of the filter without `wizardIds`, as JSON. */
  readonly queryKey: string;
}

/** The duels that started or ended at one height. */
interface BlockDuelsKey {
  readonly edge: 'start' | 'end';
  readonly number: Quantity;
}

/** Maximum number of filters that are requested separately; for more, one request without a filter replaces them. */
const MAX_SEPARATE_FILTERS = 4;
/** Maximum number of height ranges that are requested separately; for more, one range from the lowest to the highest height replaces them. */
const MAX_HEIGHT_RANGES = 8;

const NO_FILTER: DuelFilter = {};
const HEIGHT_FIELDS = {
  start: { from: 'startBlockFrom', to: 'startBlockTo' },
  end: { from: 'endBlockFrom', to: 'endBlockTo' },
} as const;

const HEIGHT_KEYS: Readonly<Record<BlockDuelsKey['edge'], KeysOf<Duel>>> = {
  start: ({ startBlockNumber }) => [startBlockNumber],
  end: ({ endBlockNumber }) => [endBlockNumber],
};
const wizardIdsOf: KeysOf<Duel> = ({ wizard1Id, wizard2Id }) => [wizard1Id, wizard2Id];

const withoutWizardIds = ({ wizardIds: _ids, ...filter }: DuelFilter): DuelFilter => filter;
const queryKeyOf = (filter: DuelFilter): string => JSON.stringify(duelQueryParams(filter));
const NO_FILTER_KEY = queryKeyOf(NO_FILTER);

/** Loads duels by id, by wizard, by height and by filter. The service knows only their current state, so no key has an operation's block. */
export function duelLoader(read: ServiceReader) {
  const byId = new DataLoader<string, Duel | null>((ids) =>
    Promise.all(
      ids.map((id) =>
        fetchDuel(read, id).then(
          (entry) => entry && entryOrError(entry),
          (error: Error) => error,
        ),
      ),
    ),
  );

  const { budget } = read;

  const byFilter = new DataLoader<DuelFilter, EntryList<Duel>, string>(
    async (filters) => {
      if (filters.length <= MAX_SEPARATE_FILTERS) {
        return Promise.all(
          filters.map((filter) =>
            fetchDuels(read, filter).then(
              (items) => ({ items, budget }),
              (error: Error) => error,
            ),
          ),
        );
      }
      const all = await fetchDuels(read, NO_FILTER);
      return filters.map((filter) => ({ items: isEmptyDuelFilter(filter) ? [] : all, matches: duelMatcher(filter), budget }));
    },
    { cacheKeyFn: (filter) => JSON.stringify([queryKeyOf(filter), filter.wizardIds ?? []]) },
  );

  /** Reads the duels of several wizards: by their ids, or without ids if the service rejects one of them. */
  const fetchDuelsOfWizards = (filter: DuelFilter, ids: readonly string[]): Promise<DuelEntries> =>
    fetchDuels(read, filter, ids).catch((error) => {
      if (!isRejectedRequest(error) || ids.length === 1) throw error;
      return fetchDuels(read, filter);
    });

  const indexDuels = async (duels: DuelEntries | Promise<DuelEntries>, keysOf: KeysOf<Duel>): Promise<DuelLookup> => {
    try {
      return await entryIndex(await duels, keysOf, budget);
    } catch (error) {
      return error as Error;
    }
  };

  // One GET per filter. A wizard whose unfiltered duels are read needs no other request: its filters are applied here.
  const byWizard = new DataLoader<WizardDuelsKey, EntryList<Duel>, string>(
    async (keys) => {
      const hasManyFilters = new Set(keys.map(({ queryKey }) => queryKey)).size > MAX_SEPARATE_FILTERS;
      const unfilteredIds = new Set(
        keys.filter(({ queryKey }) => hasManyFilters || queryKey === NO_FILTER_KEY).map(({ id }) => id),
      );
      const groupOf = ({ id, queryKey }: WizardDuelsKey): string => (unfilteredIds.has(id) ? NO_FILTER_KEY : queryKey);
      const groups = new Map<string, { readonly filter: DuelFilter; readonly ids: Set<string> }>();
      for (const key of keys) {
        const name = groupOf(key);
        const group = groups.get(name) ?? {
          filter: name === NO_FILTER_KEY ? NO_FILTER : withoutWizardIds(key.filter),
          ids: new Set(),
        };
        groups.set(name, group);
        group.ids.add(key.id);
      }
      const lookups = new Map(
        await Promise.all(
          [...groups].map(async ([name, { filter, ids }]) => {
            // The index of the cached list is shared by all operations.
            const duels = cachedDuels(read) ?? fetchDuelsOfWizards(filter, [...ids]);
            return [name, await indexDuels(duels, wizardIdsOf)] as const;
          }),
        ),
      );
      return keys.map((key) => {
        const lookup = lookups.get(groupOf(key))!;
        if (lookup instanceof Error) return lookup;
        return { items: isEmptyDuelFilter(key.filter) ? [] : lookup.matching(key.id), matches: duelMatcher(key.filter), budget };
      });
    },
    { cacheKeyFn: ({ id, queryKey, filter }) => JSON.stringify([id, queryKey, filter.wizardIds ?? []]) },
  );

  const byBlock = new DataLoader<BlockDuelsKey, EntryList<Duel>, string>(
    async (keys) => {
      const lookups = new Map<string, Promise<DuelLookup>>();
      for (const edge of ['start', 'end'] as const) {
        const { from, to } = HEIGHT_FIELDS[edge];
        const heights = keys.filter((key) => key.edge === edge).map(({ number }) => BigInt(number));
        for (const range of groupIntoHeightRanges(heights, MAX_HEIGHT_RANGES)) {
          const duels = fetchDuels(read, { [from]: quantityOf(range[0]!), [to]: quantityOf(range.at(-1)!) });
          const lookup = indexDuels(duels, HEIGHT_KEYS[edge]);
          for (const height of range) lookups.set(`${edge} ${quantityOf(height)}`, lookup);
        }
      }
      return Promise.all(
        keys.map(async ({ edge, number }) => {
          const lookup = await lookups.get(`${edge} ${number}`)!;
          return lookup instanceof Error ? lookup : { items: lookup.matching(number), budget };
        }),
      );
    },
    { cacheKeyFn: ({ edge, number }) => `${edge} ${number}` },
  );

  return {
    /** Ids of 32 bytes are case-insensitive. */
    duel: (id: string): Promise<Duel | null> => byId.load(toData(id, 32) ?? id),
    async list(filter: DuelFilter): Promise<EntryList<Duel>> {
      // Validates before batching: too many ids must fail only their own field.
      distinctWizardIds(filter);
      return byFilter.load(filter);
    },
    async of(id: string, filter: DuelFilter): Promise<EntryList<Duel>> {
      distinctWizardIds(filter);
      return byWizard.load({ id, filter, queryKey: queryKeyOf(filter) });
    },
    at: (edge: BlockDuelsKey['edge'], number: Quantity): Promise<EntryList<Duel>> => byBlock.load({ edge, number }),
  };
}

/** Groups heights into ranges of consecutive heights, ascending; into one range if there would be more than `maxRanges`. */
export function groupIntoHeightRanges(heights: readonly bigint[], maxRanges: number): readonly (readonly bigint[])[] {
  const sorted = [...new Set(heights)].sort((a, b) => (a < b ? -1 : 1));
  const ranges: bigint[][] = [];
  for (const height of sorted) {
    const range = ranges.at(-1);
    if (range && height === range.at(-1)! + 1n) range.push(height);
    else ranges.push([height]);
  }
  return ranges.length > maxRanges ? [sorted] : ranges;
}
