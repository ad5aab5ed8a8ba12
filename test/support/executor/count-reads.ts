/** A list that counts reads of its items. */
export function countReads<T>(items: readonly T[]): { readonly list: readonly T[]; reads(): number } {
  let reads = 0;
  const list = new Proxy(items, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key);
    },
  });
  return { list, reads: () => reads };
}
