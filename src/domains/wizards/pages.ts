import { compareIntegers, quantityOf } from '../../ethereum/hex.ts';
import type { DuelOrder, WizardOrder } from '../../generated/wizards.ts';
import {
  CANONICAL_INTEGER,
  compareNatural,
  invalidCursorError,
  type ListItems,
  type ListOrder,
  type PageArgs,
  paginate,
  type RelayConnection,
} from '../../graphql/connections.ts';
import { forEachYielding } from '../../lib/operation-budget.ts';
import { type Duel, entryOrError, InvalidEntry, type ServiceEntry, type Wizard } from './model.ts';
import { hasOnlyValidEntries } from './service/entry-index.ts';

/** The entries of a list that a page is taken from. */
export type EntryList<T> = ListItems<ServiceEntry<T>>;

/** An order of valid entries: by an integer of the entry, then by id; without `integerOf`, only by id. */
interface EntryOrder<T> {
  readonly direction: 1 | -1;
  /** An integer in the form that `compareIntegers` accepts: without leading zeros, all in decimal or all in 0x-hex. */
  readonly integerOf?: (entry: T) => string;
  /** Whether `integerOf` returns a block height in 0x-hex. Cursors contain it in decimal. */
  readonly isHeight?: boolean;
}

/** Digits of 2^64. */
const MAX_HEIGHT_DIGITS = 20;

/** Returns the order of a list's entries. Invalid entries are last in both directions, in the order of the response. */
function createOrder<T extends { readonly id: string }>(
  name: string,
  { direction, integerOf, isHeight = false }: EntryOrder<T>,
  invalidIndexes: ReadonlyMap<ServiceEntry<T>, number>,
): ListOrder<ServiceEntry<T>> {
  const compareWith = (entry: T, integer: string, id: string): number =>
    ((integerOf && compareIntegers(integerOf(entry), integer)) || compareNatural(entry.id, id)) * direction;
  return {
    name,
    positionOf(entry) {
      if (entry instanceof InvalidEntry) return ['1', String(invalidIndexes.get(entry))];
      if (!integerOf) return ['0', entry.id];
      return ['0', isHeight ? BigInt(integerOf(entry)).toString() : integerOf(entry), entry.id];
    },
    compare(a, b) {
      if (a instanceof InvalidEntry) return b instanceof InvalidEntry ? invalidIndexes.get(a)! - invalidIndexes.get(b)! : 1;
      return b instanceof InvalidEntry ? -1 : compareWith(a, integerOf?.(b) ?? '', b.id);
    },
    isAfter([kind, ...parts]) {
      const last = parts.at(-1) ?? '';
      if (kind === '1') return (entry) => entry instanceof InvalidEntry && invalidIndexes.get(entry)! > Number(last);
      const integer = (integerOf && parts[0]) ?? '0';
      const isValid = parts.length === (integerOf ? 2 : 1) && CANONICAL_INTEGER.test(integer);
      if (!isValid || (isHeight && integer.length > MAX_HEIGHT_DIGITS)) throw invalidCursorError();
      const start = isHeight ? quantityOf(BigInt(integer)) : integer;
      return (entry) => entry instanceof InvalidEntry || compareWith(entry, start, last) > 0;
    },
  };
}

/** The positions of the invalid entries relative to each other. */
async function indexInvalidEntries<T>({ items, matches, budget }: EntryList<T>): Promise<Map<ServiceEntry<T>, number>> {
  const indexes = new Map<ServiceEntry<T>, number>();
  if (hasOnlyValidEntries(items)) return indexes;
  await forEachYielding(items, budget, (entry) => {
    if (entry instanceof InvalidEntry && (!matches || matches(entry))) indexes.set(entry, indexes.size);
  });
  return indexes;
}

const entryPage = async <T extends { readonly id: string }>(
  list: EntryList<T>,
  name: string,
  order: EntryOrder<T>,
  args: PageArgs,
): Promise<RelayConnection<T>> =>
  paginate<ServiceEntry<T>, T>(list, createOrder(name, order, await indexInvalidEntries(list)), args, entryOrError);

const powerOf = ({ power }: Wizard): string => power;
const startHeightOf = ({ startBlockNumber }: Duel): string => startBlockNumber;

const WIZARD_ORDERS: Readonly<Record<Exclude<WizardOrder, 'WON_DESC'>, EntryOrder<Wizard>>> = {
  ID_ASC: { direction: 1 },
  ID_DESC: { direction: -1 },
  POWER_ASC: { direction: 1, integerOf: powerOf },
  POWER_DESC: { direction: -1, integerOf: powerOf },
};

const DUEL_ORDERS: Readonly<Record<DuelOrder, EntryOrder<Duel>>> = {
  START_BLOCK_ASC: { direction: 1, integerOf: startHeightOf, isHeight: true },
  START_BLOCK_DESC: { direction: -1, integerOf: startHeightOf, isHeight: true },
};

type OrderedPageArgs<O> = PageArgs & { readonly orderBy?: O | null | undefined };

/**
 * A page of wizards; `winCounts` is called for the order WON_DESC and returns the number of won duels by wizard id.
 * Rejects as `paginate` does.
 */
export async function wizardPage(
  wizards: Promise<EntryList<Wizard>>,
  { orderBy, ...page }: OrderedPageArgs<WizardOrder>,
  winCounts: () => Promise<ReadonlyMap<string, number>>,
): Promise<RelayConnection<Wizard>> {
  const name = orderBy ?? 'ID_ASC';
  if (name !== 'WON_DESC') return entryPage(await wizards, name, WIZARD_ORDERS[name], page);
  // Concurrently: the two lists are separate requests.
  const [list, wins] = await Promise.all([wizards, winCounts()]);
  return entryPage(list, name, { direction: -1, integerOf: ({ id }) => String(wins.get(id) ?? 0) }, page);
}

/** A page of duels. Rejects as `paginate` does. */
export function duelPage(duels: EntryList<Duel>, { orderBy, ...page }: OrderedPageArgs<DuelOrder>) {
  const name = orderBy ?? 'START_BLOCK_ASC';
  return entryPage(duels, name, DUEL_ORDERS[name], page);
}
