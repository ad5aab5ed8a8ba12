/**
 * Cuts items into batches in their order. A batch has at most `maxItems` items. Its size exceeds `maxSize` only if it
 * has one item.
 */
export async function* batchesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  sizeOf: (item: Item) => number,
  maxSize: number,
  maxItems = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  let batchSize = 0;
  for await (const item of items) {
    const size = sizeOf(item);
    if (batch.length > 0 && (batchSize + size > maxSize || batch.length >= maxItems)) {
      yield batch;
      batch = [];
      batchSize = 0;
    }
    batch.push(item);
    batchSize += size;
  }
  if (batch.length > 0) yield batch;
}

/** Adds a value to the list of a key. */
export function appendTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Returns the items by key, in their order. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) appendTo(groups, keyOf(item), item);
  return groups;
}
