import DataLoader from 'dataloader';
import { type Quantity, toData } from '../../../evm/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { duelParams, duelsMatching, idsIn } from '../filters.ts';
import { type Duel, readable, shown, type Told } from '../model.ts';
import { duelBy, duelsBy, type Read } from '../source.ts';

type Duels = readonly Told<Duel>[];

/** Duels of a wizard, of which some are wanted. */
interface Asked {
  readonly id: string;
  readonly filter: DuelFilter;
}

/** Duels of a height, by their beginning or their end. */
interface At {
  readonly edge: 'start' | 'end';
  readonly number: Quantity;
}

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

  const list = async (filter: DuelFilter): Promise<Duels> => duelsBy(read, filter);

  // Of the wizards of a tick: one GET for each condition, and one for all conditions on wizards whose duels are asked whole as well.
  const ofWizard = new DataLoader<Asked, Duels, string>(
    async (asked) => {
      const whole = new Set(asked.filter(({ filter }) => keyOf(filter) === WHOLE).map(({ id }) => id));
      const groups = new Map<string, { readonly condition: DuelFilter; readonly ids: Set<string> }>();
      const groupOf = ({ id, filter }: Asked) => {
        const condition = whole.has(id) ? ALL : conditionOf(filter);
        const group = groups.get(keyOf(condition)) ?? { condition, ids: new Set<string>() };
        groups.set(keyOf(condition), group);
        group.ids.add(id);
        return group;
      };
      const wanted = asked.map(groupOf);
      const found = new Map<object, Duels | Error>();
      await Promise.all(
        [...groups.values()].map(async (group) => {
          found.set(group, await duelsBy(read, group.condition, [...group.ids]).catch((error: Error) => error));
        }),
      );
      return asked.map(({ id, filter }, i) => {
        const duels = found.get(wanted[i]!)!;
        return duels instanceof Error ? duels : duelsMatching(duelsMatching(duels, { wizardIds: [id] }), filter);
      });
    },
    { cacheKeyFn: ({ id, filter }) => `${id} ${keyOf(filter)} ${(filter.wizardIds ?? []).join()}` },
  );

  const at = new DataLoader<At, Duels, string>(
    async (asked) => {
      const found = new Map<string, Promise<Duels | Error>>();
      for (const edge of ['start', 'end'] as const) {
        const heights = asked.filter((one) => one.edge === edge).map(({ number }) => BigInt(number));
        for (const run of runsOf(heights)) {
          const filter = { [ENDS[edge].from]: `0x${run[0]!.toString(16)}`, [ENDS[edge].to]: `0x${run.at(-1)!.toString(16)}` };
          const duels = list(filter).catch((error: Error) => error);
          for (const height of run) found.set(`${edge} ${height}`, duels);
        }
      }
      return Promise.all(
        asked.map(async ({ edge, number }) => {
          const duels = await found.get(`${edge} ${BigInt(number)}`)!;
          return duels instanceof Error ? duels : duels.filter((told) => (readable(told)[ENDS[edge].of] ?? number) === number);
        }),
      );
    },
    { cacheKeyFn: ({ edge, number }) => `${edge} ${number}` },
  );

  return {
    /** The digits of a hash count in either case. */
    duel: (id: string): Promise<Duel | null> => byId.load(toData(id, 32) ?? id),
    list,
    async of(id: string, filter: DuelFilter): Promise<Duels> {
      // Too many ids are refused here, for this wizard alone.
      idsIn(filter);
      return ofWizard.load({ id, filter });
    },
    at: (edge: At['edge'], number: Quantity): Promise<Duels> => at.load({ edge, number }),
  };
}

/** Heights that follow each other are read together. */
export function runsOf(heights: readonly bigint[]): readonly (readonly bigint[])[] {
  const runs: bigint[][] = [];
  for (const height of [...new Set(heights)].sort((a, b) => (a < b ? -1 : 1))) {
    const run = runs.at(-1);
    if (run && run.at(-1)! + 1n === height) run.push(height);
    else runs.push([height]);
  }
  return runs;
}
