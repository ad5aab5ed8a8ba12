/** Loads the keys of a DataLoader batch in groups, concurrently, and returns the values in the order of the keys. An error fails only its group. */
export async function loadInGroups<K, V>(
  keys: readonly K[],
  groupOf: (key: K) => string,
  load: (group: readonly K[]) => Promise<readonly (V | Error)[]>,
): Promise<(V | Error)[]> {
  const groups = new Map<string, K[]>();
  for (const key of keys) {
    const group = groups.get(groupOf(key));
    if (group) group.push(key);
    else groups.set(groupOf(key), [key]);
  }
  const values = new Map<K, V | Error>();
  const loadGroup = async (group: readonly K[]): Promise<void> => {
    const loaded = await load(group).catch((error: Error) => group.map(() => error));
    for (const [i, key] of group.entries()) values.set(key, loaded[i]!);
  };
  await Promise.all([...groups.values()].map(loadGroup));
  return keys.map((key) => values.get(key)!);
}
