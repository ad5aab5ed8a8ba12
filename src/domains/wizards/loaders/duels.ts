import DataLoader from 'dataloader';
import { type Quantity, quantityOf, toData } from '../../../ethereum/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { duelParams, duelsMatching, idsIn, isEmpty } from '../filters.ts';
import { type Duel, shown, type Told } from '../model.ts';
import { duelBy, duelsBy, isRefusal, type Read } from '../service.ts';
import { groupedBy } from './grouped.ts';

type Duels = readonly Told<Duel>[];
/** The duels of a key, or why they cannot be told. */
type Found = (key: string) => Duels | Error;

/** Duels of a wizard, of which some are wanted. */
interface Asked {
  readonly id: string;
  readonly filter: DuelFilter;
  /** What the service is asked with beside the wizards, as text. */
  readonly key: string;
}

/** Duels of a height, by their beginning or their end. */
interface At {
  readonly edge: 'start' | 'end';
  readonly number: Quantity;
}

/** Conditions that are asked for one by one; for more of them all duels, or those of the wizards, are read, and looked at here. */
const MOST_CONDITIONS = 4;
/** Runs of heights that are asked for one by one. */
const MOST_RUNS = 8;
/** Enough to find one wizard in several hundred, and few enough when the service refuses everything. */
const MOST_HALVINGS = 16;

const ALL: DuelFilter = {};
const ENDS = {
  start: { from: 'startBlockFrom', to: 'startBlockTo', of: 'startBlockNumber' },
  end: { from: 'endBlockFrom', to: 'endBlockTo', of: 'endBlockNumber' },
} as const;

/** What the service is asked by, beside the wizards. */
const conditionOf = ({ wizardIds: _ids, ...filter }: DuelFilter): DuelFilter => filter;
const keyOf = (filter: DuelFilter): string => JSON.stringify(duelParams(filter));
const WHOLE = keyOf(ALL);

/** Duels by their ids, of wizards, at heights, and in lists. */
export function duelLoader(read: Read) {
  const byId = new DataLoader<string, Duel | null>((ids) =>
    Promise.all(
      ids.map((id) =>
        duelBy(read, id).then(
          (told) => told && shown(told),
          (error: Error) => error,
        ),
      ),
    ),
  );

  // Lists of a tick: the service may send all duels for each, so that many of them are parts of one.
  const byFilter = new DataLoader<DuelFilter, Duels, string>(
    async (filters) => {
      if (filters.length <= MOST_CONDITIONS) {
        return Promise.all(filters.map((filter) => duelsBy(read, filter).catch((error: Error) => error)));
      }
      const whole = await duelsBy(read, ALL);
      return filters.map((filter) => (isEmpty(filter) ? [] : duelsMatching(whole, filter)));
    },
    { cacheKeyFn: (filter) => JSON.stringify([keyOf(filter), filter.wizardIds ?? []]) },
  );

  /** Duels of wizards. Where the service refuses one of their ids, they are asked in halves, until that one stands alone. */
  const ofAll = async (condition: DuelFilter, ids: readonly string[], halvings: { left: number }): Promise<Found> => {
    try {
      return groupedBy(await duelsBy(read, condition, ids), ({ wizard1Id, wizard2Id }) => [wizard1Id, wizard2Id]);
    } catch (error) {
      if (!isRefusal(error) || ids.length === 1 || halvings.left-- <= 0) return () => error as Error;
      const head = new Set(ids.slice(0, ids.length / 2));
      const tail = ids.slice(head.size);
      const [ofHead, ofTail] = await Promise.all([ofAll(condition, [...head], halvings), ofAll(condition, tail, halvings)]);
      return (id) => (head.has(id) ? ofHead(id) : ofTail(id));
    }
  };

  // Of the wizards of a tick: one GET for each condition, and one for all conditions on wizards whose duels are asked whole as well.
  const ofWizard = new DataLoader<Asked, Duels, string>(
    async (asked) => {
      const isMuch = new Set(asked.map(({ key }) => key)).size > MOST_CONDITIONS;
      const whole = new Set(asked.filter(({ key }) => isMuch || key === WHOLE).map(({ id }) => id));
      const groupOf = ({ id, key }: Asked): string => (whole.has(id) ? WHOLE : key);
      const groups = new Map<string, { readonly condition: DuelFilter; readonly ids: Set<string> }>();
      for (const one of asked) {
        const key = groupOf(one);
        const group = groups.get(key) ?? { condition: key === WHOLE ? ALL : conditionOf(one.filter), ids: new Set() };
        groups.set(key, group);
        group.ids.add(one.id);
      }
      const found = new Map(
        await Promise.all(
          [...groups].map(
            async ([key, { condition, ids }]) => [key, await ofAll(condition, [...ids], { left: MOST_HALVINGS })] as const,
          ),
        ),
      );
      return asked.map((one) => {
        const duels = found.get(groupOf(one))!(one.id);
        return duels instanceof Error ? duels : duelsMatching(duels, one.filter);
      });
    },
    { cacheKeyFn: ({ id, key, filter }) => JSON.stringify([id, key, filter.wizardIds ?? []]) },
  );

  const at = new DataLoader<At, Duels, string>(
    async (asked) => {
      const found = new Map<string, Promise<Found>>();
      for (const edge of ['start', 'end'] as const) {
        const { from, to, of } = ENDS[edge];
        const heights = asked.filter((one) => one.edge === edge).map(({ number }) => BigInt(number));
        for (const run of runsOf(heights, MOST_RUNS)) {
          const duels = duelsBy(read, { [from]: quantityOf(run[0]!), [to]: quantityOf(run.at(-1)!) }).then(
            (told): Found => groupedBy(told, (duel) => [duel[of]]),
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
    async list(filter: DuelFilter): Promise<Duels> {
      // Too many ids are refused here, for this list alone.
      idsIn(filter);
      return byFilter.load(filter);
    },
    async of(id: string, filter: DuelFilter): Promise<Duels> {
      // Too many ids are refused here, for this wizard alone.
      idsIn(filter);
      return ofWizard.load({ id, filter, key: keyOf(filter) });
    },
    at: (edge: At['edge'], number: Quantity): Promise<Duels> => at.load({ edge, number }),
  };
}

/** Heights in runs, each of which is read together: those that follow each other, and over the narrowest gaps when they would be more than `most`. */
export function runsOf(heights: readonly bigint[], most: number): readonly (readonly bigint[])[] {
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
