import DataLoader from 'dataloader';
import { type Quantity, quantityOf, toData } from '../../../ethereum/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { memoizePerObject } from '../../../lib/memoize.ts';
import { createEntityLoader, readEach } from '../../../operation/entity-loader.ts';
import { type Duel, InvalidEntry, type ServiceEntry } from '../model.ts';
import type { EntryList } from '../pages.ts';
import { type EntryIndex, entryIndex, type KeysOf } from '../service/entry-index.ts';
import { distinctWizardIds, duelFilterKey, duelMatcher, duelQueryParams, duelsOfWizardKey } from '../service/filters.ts';
import type { ServiceReader } from '../service/service-reader.ts';
import { cachedDuels, fetchDuel, fetchDuels } from '../service/wizard-service.ts';

type DuelEntries = readonly ServiceEntry<Duel>[];

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

/**
 * Maximum number of filters that are requested separately; for more filters, one request without a filter replaces
 * them.
 */
const MAX_SEPARATE_FILTERS = 4;
/**
 * Maximum number of height ranges that are requested separately; for more ranges, one range from the lowest to the
 * highest height replaces them.
 */
const MAX_HEIGHT_RANGES = 8;

const NO_FILTER: DuelFilter = {};
const BLOCK_EDGES = {
  start: { from: 'startBlockFrom', to: 'startBlockTo', heightOf: ({ startBlockNumber }: Partial<Duel>) => [startBlockNumber] },
  end: { from: 'endBlockFrom', to: 'endBlockTo', heightOf: ({ endBlockNumber }: Partial<Duel>) => [endBlockNumber] },
} as const;

const wizardIdsOf: KeysOf<Duel> = ({ wizard1Id, wizard2Id }) => [wizard1Id, wizard2Id];

const queryKeyOf = memoizePerObject((filter: DuelFilter): string => JSON.stringify(duelQueryParams(filter)));
const NO_FILTER_KEY = queryKeyOf(NO_FILTER);

/** Loads duels by id, by wizard, by height and by filter. The service knows only their current state, so no key has an operation's block. */
export function duelLoader(read: ServiceReader) {
  const { budget } = read;

  const byId = createEntityLoader(async (id: string) => {
    const entry = await fetchDuel(read, id);
    if (entry instanceof InvalidEntry) throw entry.error;
    return entry;
  }, String);

  const byFilter = new DataLoader<DuelFilter, EntryList<Duel>, string>(
    (filters) => {
      const all = filters.length > MAX_SEPARATE_FILTERS ? fetchDuels(read, NO_FILTER) : undefined;
      return readEach(filters, async (filter) => {
        const items = await (all ?? fetchDuels(read, filter));
        return { items, matches: all && duelMatcher(filter), budget };
      });
    },
    { cacheKeyFn: duelFilterKey },
  );

  const indexDuels = async (duels: DuelEntries | Promise<DuelEntries>, keysOf: KeysOf<Duel>) =>
    entryIndex(await duels, keysOf, budget);

  // One GET per filter. A wizard whose unfiltered duels are read needs no further request: this function applies its
  // filters.
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
          filter: name === NO_FILTER_KEY ? NO_FILTER : { ...key.filter, wizardIds: null },
          ids: new Set(),
        };
        groups.set(name, group);
        group.ids.add(key.id);
      }
      const indexes = new Map(
        [...groups].map(([name, { filter, ids }]) => {
          // The index of the cached list is shared by all operations.
          const duels = cachedDuels(read) ?? fetchDuels(read, filter, [...ids]);
          return [name, indexDuels(duels, wizardIdsOf)];
        }),
      );
      return readEach(keys, async (key) => {
        const { matching } = await indexes.get(groupOf(key))!;
        return { items: matching(key.id), matches: duelMatcher(key.filter, undefined, key.id), budget };
      });
    },
    { cacheKeyFn: duelsOfWizardKey },
  );

  const byBlock = new DataLoader<BlockDuelsKey, EntryList<Duel>, string>(
    async (keys) => {
      const indexes = new Map<string, Promise<EntryIndex<Duel>>>();
      for (const edge of ['start', 'end'] as const) {
        const { from, to, heightOf } = BLOCK_EDGES[edge];
        const heights = keys.filter((key) => key.edge === edge).map(({ number }) => BigInt(number));
        for (const range of groupIntoHeightRanges(heights, MAX_HEIGHT_RANGES)) {
          const duels = fetchDuels(read, { [from]: quantityOf(range[0]!), [to]: quantityOf(range.at(-1)!) });
          const index = indexDuels(duels, heightOf);
          for (const height of range) indexes.set(`${edge} ${quantityOf(height)}`, index);
        }
      }
      return readEach(keys, async ({ edge, number }) => {
        const { matching } = await indexes.get(`${edge} ${number}`)!;
        return { items: matching(number), budget };
      });
    },
    { cacheKeyFn: ({ edge, number }) => `${edge} ${number}` },
  );

  return {
    /** One duel; null if the id is unknown. Ids of 32 bytes are case-insensitive. */
    duel: (id: string): Promise<Duel | null> => byId.load(toData(id, 32) ?? id),
    /** All duels that match a filter. */
    async duels(filter: DuelFilter): Promise<EntryList<Duel>> {
      // Validates before batching: too many ids must fail only their own field.
      distinctWizardIds(filter);
      return byFilter.load(filter);
    },
    /** The duels of a wizard that match a filter. One GET for all wizards of a page. */
    async duelsOf(id: string, filter: DuelFilter): Promise<EntryList<Duel>> {
      distinctWizardIds(filter);
      return byWizard.load({ id, filter, queryKey: queryKeyOf(filter) });
    },
    /** The duels that started or ended at a height. */
    duelsAt: (edge: BlockDuelsKey['edge'], number: Quantity): Promise<EntryList<Duel>> => byBlock.load({ edge, number }),
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
