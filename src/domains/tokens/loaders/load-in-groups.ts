/**
 * Loads what a DataLoader was asked for in a tick group by group, side by side, and gives it in the order asked. A group that fails is the
 * failure of its own members alone.
 */
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
    const found = await load(group).catch((error: Error) => group.map(() => error));
    for (const [i, key] of group.entries()) values.set(key, found[i]!);
  };
  await Promise.all([...groups.values()].map(loadGroup));
  return keys.map((key) => values.get(key)!);
}
