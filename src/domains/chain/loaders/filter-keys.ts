import type { Data } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';

/**
 * Creates a function that returns the key of a log filter in the loaders of one operation: equal keys for equal filters. A key contains the
 * number of a list instead of its values, because many fields of an operation can share a list of thousands of topics.
 */
export function createFilterKeys(): (filter: LogFilter) => string {
  /** Numbers of the lists, by their JSON. */
  const numbers = new Map<string, number>();

  const numberOf = (list: readonly Data[] | null | undefined): number | null => {
    if (!list) return null;
    const json = serializeParam(list)!;
    const number = numbers.get(json) ?? numbers.size;
    numbers.set(json, number);
    return number;
  };

  return ({ addresses, topics, ...bounds }) =>
    JSON.stringify({ ...bounds, addresses: numberOf(addresses), topics: topics?.map(numberOf) });
}
