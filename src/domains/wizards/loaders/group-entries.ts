import { readableFields, type ServiceEntry } from '../model.ts';

/** Groups entries by their keys in one pass. An entry with an unreadable key (undefined) is in every group. */
export function groupEntriesBy<T>(
  entries: readonly ServiceEntry<T>[],
  keysOf: (entry: Partial<T>) => readonly (string | null | undefined)[],
): (key: string) => readonly ServiceEntry<T>[] {
  const groups = new Map<string | null, ServiceEntry<T>[]>();
  const withUnreadableKey: ServiceEntry<T>[] = [];
  for (const entry of entries) {
    const keys = new Set(keysOf(readableFields(entry)));
    if (keys.has(undefined)) withUnreadableKey.push(entry);
    else {
      for (const key of keys) {
        const group = groups.get(key!);
        if (group) group.push(entry);
        else groups.set(key!, [entry]);
      }
    }
  }
  return (key) => [...(groups.get(key) ?? []), ...withUnreadableKey];
}
