import { readableFields, type ServiceEntry } from '../model.ts';

/** Entries by what they belong to, found in one walk over all of them. What cannot be read may belong to anything. */
export function groupEntriesBy<T>(
  told: readonly ServiceEntry<T>[],
  keysOf: (one: Partial<T>) => readonly (string | null | undefined)[],
): (key: string) => readonly ServiceEntry<T>[] {
  const groups = new Map<string | null, ServiceEntry<T>[]>();
  const anyones: ServiceEntry<T>[] = [];
  for (const one of told) {
    const keys = new Set(keysOf(readableFields(one)));
    if (keys.has(undefined)) anyones.push(one);
    else {
      for (const key of keys) {
        const group = groups.get(key!);
        if (group) group.push(one);
        else groups.set(key!, [one]);
      }
    }
  }
  return (key) => [...(groups.get(key) ?? []), ...anyones];
}
