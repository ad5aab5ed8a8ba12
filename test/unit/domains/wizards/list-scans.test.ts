import { expect, test } from '@jest/globals';
import {
  type Duel,
  InvalidEntry,
  readableFields,
  type ServiceEntry,
  type Wizard,
} from '../../../../src/domains/wizards/model.ts';
import { duelPage, wizardPage } from '../../../../src/domains/wizards/pages.ts';
import { decodeDuel, decodeWizard } from '../../../../src/domains/wizards/service/decoders.ts';
import { entryIndex } from '../../../../src/domains/wizards/service/entry-index.ts';
import { duelMatcher, matchingEntries, wizardMatcher } from '../../../../src/domains/wizards/service/filters.ts';
import type { DuelFilter, WizardFilter } from '../../../../src/generated/wizards.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../src/lib/operation-budget.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';
import { duelFixture, wizardFixture } from '../../../support/upstream/scripted-wizard-service.ts';

const seed = readSeed();
const draw = createRandomChoices(seed);

/** Small and 64-bit heights, so that lengths and digits both decide. */
const height = (): string => `0x${draw.pick([BigInt(draw.below(40)), 2n ** 63n + BigInt(draw.below(3))]).toString(16)}`;
const power = (): string => String(draw.pick([BigInt(draw.below(30)), 10n ** 20n + BigInt(draw.below(9))]));
const isBroken = () => draw.chance(0.1);

const randomDuel = (n: number): ServiceEntry<Duel> =>
  decodeDuel(
    duelFixture(n, {
      wizard1Id: isBroken() ? null : String(draw.below(6)),
      wizard2Id: String(draw.below(6)),
      startBlock: isBroken() ? 'unknown' : height(),
      endBlock: draw.pick([null, height(), isBroken() ? 'unknown' : height()]),
    }),
  );

const randomWizard = (n: number): ServiceEntry<Wizard> =>
  decodeWizard(
    wizardFixture(n, {
      id: draw.pick([String(draw.below(1_000)), `w${n}`]),
      owner: isBroken() ? null : `0x${String(draw.below(3)).padStart(40, '0')}`,
      power: isBroken() ? null : power(),
      eliminatedBlockNumber: draw.pick([null, 7]),
    }),
  );

/** A condition over bigints; true where the filter does not set it or the field is unreadable. */
const holds = <A, B>(expected: A | null | undefined, actual: B | undefined, test: (expected: A, actual: B) => boolean): boolean =>
  expected === null || expected === undefined || actual === undefined || test(expected, actual);
const atLeast = (min: string, value: string | null) => value !== null && BigInt(value) >= BigInt(min);
const atMost = (max: string, value: string | null) => value !== null && BigInt(value) <= BigInt(max);

const matchesDuel = (entry: ServiceEntry<Duel>, filter: DuelFilter): boolean => {
  const duel = readableFields(entry);
  const { wizardIds } = filter;
  return (
    !(filter.excludeInProgress && filter.excludeFinished) &&
    (!wizardIds || wizardIds.length === 0 || [duel.wizard1Id, duel.wizard2Id].some((id) => !id || wizardIds.includes(id))) &&
    holds(filter.excludeInProgress || null, duel.endBlockNumber, (_set, end) => end !== null) &&
    holds(filter.excludeFinished || null, duel.endBlockNumber, (_set, end) => end === null) &&
    holds(filter.startBlockFrom, duel.startBlockNumber, atLeast) &&
    holds(filter.startBlockTo, duel.startBlockNumber, atMost) &&
    holds(filter.endBlockFrom, duel.endBlockNumber, atLeast) &&
    holds(filter.endBlockTo, duel.endBlockNumber, atMost)
  );
};

const matchesWizard = (entry: ServiceEntry<Wizard>, filter: WizardFilter): boolean => {
  const wizard = readableFields(entry);
  return (
    holds(filter.owner, wizard.ownerAddress, (owner, actual) => owner === actual) &&
    holds(filter.affinity, wizard.affinity, (affinity, actual) => affinity === actual) &&
    holds(filter.minPower, wizard.power, atLeast) &&
    holds(filter.maxPower, wizard.power, atMost) &&
    holds(filter.status, wizard.eliminatedBlockNumber, (status, end) => (status === 'ALIVE') === (end === null))
  );
};

const maybe = <T>(value: () => T): T | undefined => (draw.chance(0.3) ? value() : undefined);

const randomDuelFilter = (): DuelFilter => ({
  wizardIds: maybe(() => draw.many(draw.below(3), () => String(draw.below(6)))),
  excludeInProgress: maybe(() => draw.chance(0.5)),
  excludeFinished: maybe(() => draw.chance(0.5)),
  startBlockFrom: maybe(height),
  startBlockTo: maybe(height),
  endBlockFrom: maybe(height),
  endBlockTo: maybe(height),
});

const randomWizardFilter = (): WizardFilter => ({
  owner: maybe(() => `0x${String(draw.below(3)).padStart(40, '0')}`),
  affinity: maybe(() => draw.pick(['FIRE', 'WIND', 'WATER'] as const)),
  minPower: maybe(() => draw.pick([power(), `-${power()}`])),
  maxPower: maybe(() => draw.pick([power(), '-1'])),
  status: maybe(() => draw.pick(['ALIVE', 'ELIMINATED'] as const)),
});

/** The valid entries sorted by their keys, then the invalid ones in list order. */
const sortedEntries = <T>(entries: readonly ServiceEntry<T>[], compare: (a: T, b: T) => number): readonly ServiceEntry<T>[] => [
  ...(entries.filter((entry) => !(entry instanceof InvalidEntry)) as T[]).sort(compare),
  ...entries.filter((entry) => entry instanceof InvalidEntry),
];

const compareBigInts = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const compareIds = (a: string, b: string): number => {
  const [isNumberA, isNumberB] = [a, b].map((id) => /^\d+$/.test(id));
  if (isNumberA && isNumberB) return compareBigInts(BigInt(a), BigInt(b));
  return isNumberA === isNumberB ? (a < b ? -1 : a > b ? 1 : 0) : isNumberA ? -1 : 1;
};

/** Reads all pages of a list; an invalid entry is shown by its error message. */
async function readPages(read: (page: { first: number; after: string | null }) => Promise<any>): Promise<unknown[]> {
  const nodes: unknown[] = [];
  let after: string | null = null;
  const first = 1 + draw.below(40);
  for (;;) {
    const page = await read({ first, after });
    nodes.push(...page.nodes.map((node: unknown) => (node instanceof Error ? node.message : node)));
    if (!page.pageInfo.hasNextPage) return nodes;
    after = page.pageInfo.endCursor;
  }
}

const asNodes = (entries: readonly ServiceEntry<unknown>[]) =>
  entries.map((entry) => (entry instanceof InvalidEntry ? entry.error.message : entry));

test(`pages of filtered duels have the entries of a plain filter and sort (seed ${seed})`, async () => {
  for (let i = 0; i < runSize(40, 4_000); i++) {
    const items = draw.many(draw.below(120), randomDuel);
    const filter = randomDuelFilter();
    const plain = items.filter((entry) => matchesDuel(entry, filter));
    const matches = duelMatcher(filter);
    expect([seed, i, await matchingEntries(items, matches, undefined)]).toEqual([seed, i, plain]);
    for (const orderBy of ['START_BLOCK_ASC', 'START_BLOCK_DESC'] as const) {
      const direction = orderBy.endsWith('ASC') ? 1 : -1;
      const sorted = sortedEntries(
        plain,
        (a, b) => direction * (compareBigInts(BigInt(a.startBlockNumber), BigInt(b.startBlockNumber)) || compareIds(a.id, b.id)),
      );
      const paged = await readPages((page) => duelPage({ items, matches }, { orderBy, ...page }));
      expect([seed, i, orderBy, paged]).toEqual([seed, i, orderBy, asNodes(sorted)]);
    }
  }
});

test(`pages of filtered wizards have the entries of a plain filter and sort (seed ${seed})`, async () => {
  for (let i = 0; i < runSize(40, 4_000); i++) {
    const items = draw
      .many(draw.below(80), randomWizard)
      .filter(
        (entry, at, all) => entry instanceof InvalidEntry || all.findIndex((other) => (other as Wizard).id === entry.id) === at,
      );
    const filter = randomWizardFilter();
    const plain = items.filter((entry) => matchesWizard(entry, filter));
    const matches = wizardMatcher(filter);
    const wins = new Map(
      items.flatMap((entry) => (entry instanceof InvalidEntry || draw.below(2) ? [] : [[entry.id, draw.below(3)] as const])),
    );
    const wonBy = ({ id }: Wizard): number => wins.get(id) ?? 0;
    for (const orderBy of ['ID_ASC', 'ID_DESC', 'POWER_ASC', 'POWER_DESC', 'WON_DESC'] as const) {
      const direction = orderBy.endsWith('ASC') ? 1 : -1;
      const compare: Record<string, (a: Wizard, b: Wizard) => number> = {
        ID: () => 0,
        POWER: (a, b) => compareBigInts(BigInt(a.power), BigInt(b.power)),
        WON: (a, b) => wonBy(a) - wonBy(b),
      };
      const sorted = sortedEntries(
        plain,
        (a, b) => direction * (compare[orderBy.split('_')[0]!]!(a, b) || compareIds(a.id, b.id)),
      );
      const paged = await readPages((page) =>
        wizardPage(Promise.resolve({ items, matches }), { orderBy, ...page }, async () => wins),
      );
      expect([seed, i, orderBy, paged]).toEqual([seed, i, orderBy, asNodes(sorted)]);
    }
  }
});

test('an index is built once for all operations, and again after the operation that built it has been ended', async () => {
  const items = Array.from({ length: 20_000 }, (_, n) => ({ id: String(n) }) as Duel);
  let reads = 0;
  const idOf = ({ id }: Partial<Duel>) => {
    reads += 1;
    return [id];
  };
  const spent = new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_COST: 0 });
  const ended = entryIndex(items, idOf, spent);
  // Exhausted after the first read, which is synchronous; later checks of the budget throw.
  spent.addCost(1);
  const others = [1, 2].map(() => entryIndex(items, idOf, new OperationBudget()));
  const outcomes = await Promise.allSettled([ended, ...others]);
  const indexes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(new Set(indexes.slice(-2)).size).toBe(1);
  expect(indexes.at(-1)!.exact('19999')).toEqual([items[19_999]]);
  const before = reads;
  await entryIndex(items, idOf, undefined);
  expect(reads).toBe(before);
});
