import DataLoader from 'dataloader';
import { type Quantity, quantityOf, toData } from '../../../ethereum/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { type Duel, entryOrError, type ServiceEntry } from '../model.ts';
import { distinctWizardIds, duelQueryParams, filterDuels, isEmptyDuelFilter } from '../service/filters.ts';
import { fetchDuel, fetchDuels, isRejectedRequest, type ServiceReader } from '../service/wizard-service.ts';
import { groupEntriesBy } from './group-entries.ts';

type DuelEntries = readonly ServiceEntry<Duel>[];
/** The duels of a key, or why they cannot be told. */
type DuelLookup = (key: string) => DuelEntries | Error;

/** Duels of a wizard, of which some are wanted. */
interface WizardDuelsKey {
  readonly id: string;
  readonly filter: DuelFilter;
  /** What the service is asked with beside the wizards, as text. */
  readonly key: string;
}

/** Duels of a height, by their beginning or their end. */
interface BlockDuelsKey {
  readonly edge: 'start' | 'end';
  readonly number: Quantity;
}

/** Conditions that are asked for one by one; for more of them all duels, or those of the wizards, are read, and looked at here. */
const MAX_SEPARATE_FILTERS = 4;
/** Runs of heights that are asked for one by one. */
const MAX_HEIGHT_RANGES = 8;
/** Enough to find one wizard in several hundred, and few enough when the service refuses everything. */
const MAX_BISECTIONS = 16;

const NO_FILTER: DuelFilter = {};
const HEIGHT_FIELDS = {
  start: { from: 'startBlockFrom', to: 'startBlockTo', of: 'startBlockNumber' },
  end: { from: 'endBlockFrom', to: 'endBlockTo', of: 'endBlockNumber' },
} as const;

/** What the service is asked by, beside the wizards. */
const withoutWizardIds = ({ wizardIds: _ids, ...filter }: DuelFilter): DuelFilter => filter;
const filterKeyOf = (filter: DuelFilter): string => JSON.stringify(duelQueryParams(filter));
const NO_FILTER_KEY = filterKeyOf(NO_FILTER);

/** Duels by their ids, of wizards, at heights, and in lists. */
export function duelLoader(read: ServiceReader) {
  const byId = new DataLoader<string, Duel | null>((ids) =>
    Promise.all(
      ids.map((id) =>
        fetchDuel(read, id).then(
          (told) => told && entryOrError(told),
          (error: Error) => error,
        ),
      ),
    ),
  );

  // Lists of a tick: the service may send all duels for each, so that many of them are parts of one.
  const byFilter = new DataLoader<DuelFilter, DuelEntries, string>(
    async (filters) => {
      if (filters.length <= MAX_SEPARATE_FILTERS) {
        return Promise.all(filters.map((filter) => fetchDuels(read, filter).catch((error: Error) => error)));
      }
      const whole = await fetchDuels(read, NO_FILTER);
      return filters.map((filter) => (isEmptyDuelFilter(filter) ? [] : filterDuels(whole, filter)));
    },
    { cacheKeyFn: (filter) => JSON.stringify([filterKeyOf(filter), filter.wizardIds ?? []]) },
  );

  /** Duels of wizards. Where the service refuses one of their ids, they are asked in halves, until that one stands alone. */
  const ofAll = async (condition: DuelFilter, ids: readonly string[], halvings: { left: number }): Promise<DuelLookup> => {
    try {
      return groupEntriesBy(await fetchDuels(read, condition, ids), ({ wizard1Id, wizard2Id }) => [wizard1Id, wizard2Id]);
    } catch (error) {
      if (!isRejectedRequest(error) || ids.length === 1 || halvings.left-- <= 0) return () => error as Error;
      const head = new Set(ids.slice(0, ids.length / 2));
      const tail = ids.slice(head.size);
      const [ofHead, ofTail] = await Promise.all([ofAll(condition, [...head], halvings), ofAll(condition, tail, halvings)]);
      return (id) => (head.has(id) ? ofHead(id) : ofTail(id));
    }
  };

  // Of the wizards of a tick: one GET for each condition, and one for all conditions on wizards whose duels are asked whole as well.
  const ofWizard = new DataLoader<WizardDuelsKey, DuelEntries, string>(
    async (asked) => {
      const isMuch = new Set(asked.map(({ key }) => key)).size > MAX_SEPARATE_FILTERS;
      const whole = new Set(asked.filter(({ key }) => isMuch || key === NO_FILTER_KEY).map(({ id }) => id));
      const groupOf = ({ id, key }: WizardDuelsKey): string => (whole.has(id) ? NO_FILTER_KEY : key);
      const groups = new Map<string, { readonly condition: DuelFilter; readonly ids: Set<string> }>();
      for (const one of asked) {
        const key = groupOf(one);
        const group = groups.get(key) ?? {
          condition: key === NO_FILTER_KEY ? NO_FILTER : withoutWizardIds(one.filter),
          ids: new Set(),
        };
        groups.set(key, group);
        group.ids.add(one.id);
      }
      const found = new Map(
        await Promise.all(
          [...groups].map(
            async ([key, { condition, ids }]) => [key, await ofAll(condition, [...ids], { left: MAX_BISECTIONS })] as const,
          ),
        ),
      );
      return asked.map((one) => {
        const duels = found.get(groupOf(one))!(one.id);
        return duels instanceof Error ? duels : filterDuels(duels, one.filter);
      });
    },
    { cacheKeyFn: ({ id, key, filter }) => JSON.stringify([id, key, filter.wizardIds ?? []]) },
  );

  const at = new DataLoader<BlockDuelsKey, DuelEntries, string>(
    async (asked) => {
      const found = new Map<string, Promise<DuelLookup>>();
      for (const edge of ['start', 'end'] as const) {
        const { from, to, of } = HEIGHT_FIELDS[edge];
        const heights = asked.filter((one) => one.edge === edge).map(({ number }) => BigInt(number));
        for (const run of groupHeightsIntoRanges(heights, MAX_HEIGHT_RANGES)) {
          const duels = fetchDuels(read, { [from]: quantityOf(run[0]!), [to]: quantityOf(run.at(-1)!) }).then(
            (told): DuelLookup => groupEntriesBy(told, (duel) => [duel[of]]),
            (error: Error) => () => error,
          );
          for (const height of run) found.set(`${edge} ${quantityOf(height)}`, duels);
        }
      }
      return Promise.all(asked.map(async ({ edge, number }) => (await found.get(`${edge} ${number}`)!)(number)));
    },
    { cacheKeyFn: ({ edge, number }) => `${edge} ${number}` },
  );

  return {
    /** The digits of a hash count in either case. */
    duel: (id: string): Promise<Duel | null> => byId.load(toData(id, 32) ?? id),
    async list(filter: DuelFilter): Promise<DuelEntries> {
      // Too many ids are refused here, for this list alone.
      distinctWizardIds(filter);
      return byFilter.load(filter);
    },
    async of(id: string, filter: DuelFilter): Promise<DuelEntries> {
      // Too many ids are refused here, for this wizard alone.
      distinctWizardIds(filter);
      return ofWizard.load({ id, filter, key: filterKeyOf(filter) });
    },
    at: (edge: BlockDuelsKey['edge'], number: Quantity): Promise<DuelEntries> => at.load({ edge, number }),
  };
}

/** Heights in runs, each of which is read together: those that follow each other, and over the narrowest gaps when they would be more than `most`. */
export function groupHeightsIntoRanges(heights: readonly bigint[], most: number): readonly (readonly bigint[])[] {
  const sorted = [...new Set(heights)].sort((a, b) => (a < b ? -1 : 1));
  const starts = sorted
    .map((height, at) => ({ at, gap: at === 0 ? 0 : Number(height - sorted[at - 1]!) }))
    .filter(({ gap }) => gap > 1)
    .sort((a, b) => b.gap - a.gap)
    .slice(0, most - 1)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  return sorted.length === 0 ? [] : [0, ...starts].map((start, i) => sorted.slice(start, starts[i]));
}
