import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { LogFilter, LogRange } from '../../../ethereum/log-filters.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { BlockTag } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
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

/** Filter and blocks of a log query: at most one lower and one upper bound, or a block hash alone. */
export interface LogCriteria extends LogFilter {
  readonly fromBlock?: Quantity | null | undefined;
  readonly toBlock?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
  readonly fromBlockTag?: BlockTag | null | undefined;
  readonly toBlockTag?: BlockTag | null | undefined;
  readonly toPending?: boolean | null | undefined;
}

/** Returns the only bound that is given, else `latest`. */
function onlyBound(bounds: readonly (BlockRef | null | undefined)[], names: string): BlockRef {
  const given = bounds.filter((bound) => bound !== null && bound !== undefined);
  if (given.length > 1) throw new GraphError('BAD_USER_INPUT', `Too many bounds. Pass at most one of ${names}.`);
  return given[0] ?? 'latest';
}

/** Returns the block range of the criteria. Throws BAD_USER_INPUT when bounds contradict each other. */
export function logRangeOf(criteria: LogCriteria): LogRange {
  const tag = (name: BlockTag | null | undefined) => name?.toLowerCase();
  const { fromBlock, fromBlockTag, toBlock, toBlockTag, toPending, blockHash } = criteria;
  const range = {
    fromBlock: onlyBound([fromBlock, tag(fromBlockTag)], 'fromBlock and fromBlockTag'),
    toBlock: onlyBound([toBlock, tag(toBlockTag), toPending ? 'pending' : null], 'toBlock, toBlockTag and toPending'),
  };
  if (!blockHash) {
    if (fromBlock && toBlock && BigInt(fromBlock) > BigInt(toBlock)) throw reversedRangeError();
    return range;
  }
  if ([fromBlock, fromBlockTag, toBlock, toBlockTag].some((bound) => bound !== null && bound !== undefined) || toPending) {
    throw new GraphError('BAD_USER_INPUT', 'Invalid log filter. Pass either blockHash or other block bounds.');
  }
  return { blockHash };
}

const reversedRangeError = () =>
  new GraphError(
    'BAD_USER_INPUT',
    'Invalid log filter: `fromBlock` is above `toBlock`. Pass a first and a last height in order.',
  );
