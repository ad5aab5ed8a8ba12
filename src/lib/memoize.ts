/**
 * Computes the result for each object once, and keeps it as long as the object. The result must not be undefined. `owner`: an object to which
 * the key belongs, the same in all calls with one key.
 */
export function memoizePerObject<Key extends object, Value, Owner = void>(compute: (key: Key, owner: Owner) => Value) {
  const cache = new WeakMap<Key, Value>();
  return (key: Key, owner: Owner): Value => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key, owner);
    cache.set(key, value);
    return value;
  };
}
