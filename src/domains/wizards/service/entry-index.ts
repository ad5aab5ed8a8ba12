import { memoizePerObject } from '../../../lib/memoize.ts';
import { forEachYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import { InvalidEntry, invalidServiceResponse, readableFields, type ServiceEntry } from '../model.ts';

type EntryKey = string | null | undefined;

/** Finds the entries of a list by a key, in list order. */
export type EntryIndex<T> = Awaited<ReturnType<typeof buildIndex<T>>>;

/** Reads the keys of an entry; an unreadable key is undefined. */
export type KeysOf<T> = (entry: Partial<T>) => readonly EntryKey[];

/**
 * The indexes of a list. All operations of a head share the decoded list, and therefore its indexes; an index resolves
 * to undefined if the operation that built it has ended early.
 */
const indexesOfLists = new WeakMap<object, Map<unknown, Promise<unknown>>>();

/**
 * Returns the index of a list by keys. The first operation that needs the index builds it, once for each list and
 * function.
 */
export async function entryIndex<T>(list: readonly ServiceEntry<T>[], keysOf: KeysOf<T>, budget: OperationBudget | undefined) {
  const indexes = indexesOfLists.get(list) ?? new Map<unknown, Promise<unknown>>();
  indexesOfLists.set(list, indexes);
  for (let shared = indexes.get(keysOf); shared; shared = indexes.get(keysOf)) {
    const index = (await shared) as EntryIndex<T> | undefined;
    if (index) return index;
  }
  const built = buildIndex(list, keysOf, budget);
  const completed = built.catch(() => void indexes.delete(keysOf));
  indexes.set(keysOf, completed);
  return built;
}

/** Maximum number of entries with an unreadable key, which every key of a page has: more would use up the memory of the server. */
const MAX_UNREADABLE_KEYS = 1_000;

async function buildIndex<T>(list: readonly ServiceEntry<T>[], keysOf: KeysOf<T>, budget: OperationBudget | undefined) {
  const groups = new Map<EntryKey, ServiceEntry<T>[]>();
  await forEachYielding(list, budget, (entry) => {
    const keys = keysOf(readableFields(entry));
    for (const key of new Set(keys.includes(undefined) ? [undefined] : keys)) {
      const group = groups.get(key);
      if (group) group.push(entry);
      else groups.set(key, [entry]);
    }
  });
  const withUnreadableKey = groups.get(undefined) ?? [];
  /** Returns the entries whose key is readable and equal. */
  const exact = (key: string): readonly ServiceEntry<T>[] => groups.get(key) ?? [];
  return {
    exact,
    /**
     * Returns the entries with an equal key, then the entries with an unreadable key, which may be equal. Throws UPSTREAM_BAD_RESPONSE for
     * more than 1,000 of the latter.
     */
    matching(key: string) {
      if (withUnreadableKey.length > MAX_UNREADABLE_KEYS) throw invalidServiceResponse('a list with too many invalid entries');
      return withUnreadableKey.length === 0 ? exact(key) : [...exact(key), ...withUnreadableKey];
    },
  };
}

const isValidList = memoizePerObject((list: readonly unknown[]) => !list.some((entry) => entry instanceof InvalidEntry));

/** Whether a list has no invalid entry. Checked once for each list. */
export const hasOnlyValidEntries = <T>(list: readonly ServiceEntry<T>[]): list is readonly T[] => isValidList(list);
