import { compareIntegers, quantityOf } from '../../ethereum/hex.ts';
import type { DuelOrder, WizardOrder } from '../../generated/wizards.ts';
import {
  CANONICAL_INTEGER,
  compareNatural,
  type ListItems,
  type ListOrder,
  type ListPosition,
  type PageArgs,
  paginate,
} from '../../graphql/connections.ts';
import { forEachYielding } from '../../lib/operation-budget.ts';
import {
  type Duel,
  type DuelPage,
  entryOrError,
  InvalidEntry,
  type ServiceEntry,
  type Wizard,
  type WizardPage,
} from './model.ts';
import { hasOnlyValidEntries } from './service/entry-index.ts';

/** The entries of a list that a page is taken from. */
export type EntryList<T> = ListItems<ServiceEntry<T>>;

/** Sort key of valid entries, ascending. */
interface SortKey<T> {
  readonly compare: (a: T, b: T) => number;
  readonly positionOf: (entry: T) => ListPosition;
  /** An entry with this position, for `compare`; undefined if no entry can have it. */
  readonly entryAt: (position: ListPosition) => T | undefined;
}

const WIZARD_ID: SortKey<Wizard> = {
  compare: (a, b) => compareNatural(a.id, b.id),
  positionOf: ({ id }) => [id],
  entryAt: ([id, ...rest]) => (id === undefined || rest.length > 0 ? undefined : ({ id } as Wizard)),
};

const WIZARD_POWER: SortKey<Wizard> = {
  compare: (a, b) => compareIntegers(a.power, b.power) || compareNatural(a.id, b.id),
  positionOf: ({ power, id }) => [power, id],
  entryAt: ([power = '', id, ...rest]) =>
    id === undefined || rest.length > 0 || !CANONICAL_INTEGER.test(power) ? undefined : ({ power, id } as Wizard),
};

/** Duels won by wizard id. */
export type WinCounts = ReadonlyMap<string, number>;

/** Sorts by counts that are no property of a wizard; the counts of the wizards that stand for cursors are recorded. */
function wonKey(wins: WinCounts): SortKey<Wizard> {
  const cursors = new WeakMap<Wizard, string>();
  const wonBy = (wizard: Wizard): string => cursors.get(wizard) ?? String(wins.get(wizard.id) ?? 0);
  return {
    compare: (a, b) => compareIntegers(wonBy(a), wonBy(b)) || compareNatural(a.id, b.id),
    positionOf: (wizard) => [wonBy(wizard), wizard.id],
    entryAt([won = '', id, ...rest]) {
      if (id === undefined || rest.length > 0 || !CANONICAL_INTEGER.test(won)) return undefined;
      const wizard = { id } as Wizard;
      cursors.set(wizard, won);
      return wizard;
    },
  };
}

const DUEL_START: SortKey<Duel> = {
  compare: (a, b) => compareIntegers(a.startBlockNumber, b.startBlockNumber) || compareNatural(a.id, b.id),
  positionOf: ({ startBlockNumber, id }) => [BigInt(startBlockNumber).toString(), id],
  entryAt: ([height = '', id, ...rest]) =>
    id === undefined || rest.length > 0 || height.length > MAX_HEIGHT_DIGITS || !CANONICAL_INTEGER.test(height)
      ? undefined
      : ({ startBlockNumber: quantityOf(BigInt(height)), id } as Duel),
};

/** Digits of 2^64. */
const MAX_HEIGHT_DIGITS = 20;

/** Compares positions part by part. Valid entries (first part '0') are ordered by `direction`, invalid ones always ascending. */
const comparePositions = (a: ListPosition, b: ListPosition, direction: 1 | -1): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareNatural(a[i], b[i]);
    if (difference !== 0) return i > 0 && a[0] === '0' ? difference * direction : difference;
  }
  return 0;
};

/** An order of entries. Invalid entries come last, in the order of the response. */
function createOrder<T>(
  name: string,
  key: SortKey<T>,
  direction: 1 | -1,
  invalidIndexes: ReadonlyMap<ServiceEntry<T>, number>,
): ListOrder<ServiceEntry<T>> {
  const positionOf = (entry: ServiceEntry<T>): ListPosition =>
    entry instanceof InvalidEntry ? ['1', String(invalidIndexes.get(entry))] : ['0', ...key.positionOf(entry)];
  return {
    name,
    positionOf,
    compare(a, b) {
      if (a instanceof InvalidEntry) return b instanceof InvalidEntry ? invalidIndexes.get(a)! - invalidIndexes.get(b)! : 1;
      return b instanceof InvalidEntry ? -1 : key.compare(a, b) * direction;
    },
    isAfter(position) {
      const [kind, ...parts] = position;
      const start = kind === '0' ? key.entryAt(parts) : undefined;
      // Comparing texts takes about ten times as long; only invented cursors and cursors of invalid entries need it.
      if (start === undefined) return (entry) => comparePositions(positionOf(entry), position, direction) > 0;
      return (entry) => entry instanceof InvalidEntry || key.compare(entry, start) * direction > 0;
    },
  };
}

/** The positions of the invalid entries among themselves. */
async function indexInvalidEntries<T>({ items, matches, budget }: EntryList<T>): Promise<Map<ServiceEntry<T>, number>> {
  const indexes = new Map<ServiceEntry<T>, number>();
  if (hasOnlyValidEntries(items)) return indexes;
  await forEachYielding(items, budget, (entry) => {
    if (entry instanceof InvalidEntry && (!matches || matches(entry))) indexes.set(entry, indexes.size);
  });
  return indexes;
}

const entryPage = async <T>(list: EntryList<T>, name: string, key: SortKey<T>, direction: 1 | -1, args: PageArgs) =>
  paginate(list, createOrder(name, key, direction, await indexInvalidEntries(list)), args, entryOrError);

const WIZARD_ORDERS: Readonly<Record<Exclude<WizardOrder, 'WON_DESC'>, readonly [SortKey<Wizard>, 1 | -1]>> = {
  ID_ASC: [WIZARD_ID, 1],
  ID_DESC: [WIZARD_ID, -1],
  POWER_ASC: [WIZARD_POWER, 1],
  POWER_DESC: [WIZARD_POWER, -1],
};

const DUEL_ORDERS: Readonly<Record<DuelOrder, 1 | -1>> = { START_BLOCK_ASC: 1, START_BLOCK_DESC: -1 };

type OrderedPageArgs<O> = PageArgs & { readonly orderBy?: O | null | undefined };

/** A page of wizards; `winCounts` is called for the order WON_DESC. Rejects as `paginate` does. */
export async function wizardPage(
  wizards: Promise<EntryList<Wizard>>,
  { orderBy, ...page }: OrderedPageArgs<WizardOrder>,
  winCounts: () => Promise<WinCounts>,
): Promise<WizardPage> {
  const name = orderBy ?? 'ID_ASC';
  // Concurrently: the two lists are separate requests.
  const [list, wins] = await Promise.all([wizards, name === 'WON_DESC' ? winCounts() : NO_WINS]);
  const [key, direction] = name === 'WON_DESC' ? ([wonKey(wins), -1] as const) : WIZARD_ORDERS[name];
  return (await entryPage(list, name, key, direction, page)) as WizardPage;
}

const NO_WINS: WinCounts = new Map();

/** A page of duels. Rejects as `paginate` does. */
export async function duelPage(duels: EntryList<Duel>, { orderBy, ...page }: OrderedPageArgs<DuelOrder>): Promise<DuelPage> {
  const name = orderBy ?? 'START_BLOCK_ASC';
  return (await entryPage(duels, name, DUEL_START, DUEL_ORDERS[name], page)) as DuelPage;
}
