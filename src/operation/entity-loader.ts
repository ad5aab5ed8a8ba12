import DataLoader from 'dataloader';

/** Reads the values of a batch of keys. A failure is the result of its key, as a DataLoader expects. */
export const readEach = <K, V>(keys: readonly K[], read: (key: K, index: number) => Promise<V>): Promise<(V | Error)[]> =>
  Promise.all(keys.map((key, i) => read(key, i).catch((error: Error) => error)));

/**
 * Creates a DataLoader that reads each key once per operation, failures included. It does not batch: the operation's
 * call queue already sends all calls of a tick in one POST, and a cached key must not wait for the other keys of a
 * batch. `cacheMap` has the values that are loaded or being loaded.
 */
export const createEntityLoader = <K, V>(
  read: (key: K) => Promise<V>,
  cacheKeyFn: (key: K) => string,
  cacheMap = new Map<string, Promise<V>>(),
): DataLoader<K, V, string> =>
  new DataLoader<K, V, string>(async ([key]) => [await read(key!).catch((error: Error) => error)], {
    batch: false,
    cacheKeyFn,
    cacheMap,
  });
