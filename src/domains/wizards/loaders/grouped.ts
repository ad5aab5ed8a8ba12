import { readable, type Told } from '../model.ts';

/** Entries by what they belong to, found in one walk over all of them. What cannot be read may belong to anything. */
export function groupedBy<T>(
  told: readonly Told<T>[],
  keysOf: (one: Partial<T>) => readonly (string | null | undefined)[],
): (key: string) => readonly Told<T>[] {
  const groups = new Map<string | null, Told<T>[]>();
  const anyones: Told<T>[] = [];
  for (const one of told) {
    const keys = new Set(keysOf(readable(one)));
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
