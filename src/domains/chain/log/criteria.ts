import type { AbiRegistry, DecodedAbi } from '../../../ethereum/abi/registry.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { LogFilter, LogRange } from '../../../ethereum/log-filters.ts';
import { decodeRevertReason } from '../../../ethereum/revert-error.ts';
import type { BlockRef, RpcLog } from '../../../ethereum/rpc-types.ts';
import type { BlockTag } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Operation } from '../../../operation/operation.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import type { PartialTransaction } from '../model.ts';

/** Characters above which an encoding counts by its length: 4 KiB, which take about 200 us. */
const LONG_ENCODING = 8_192;
/** Characters of a word of 32 bytes, which counts as one item. */
const WORD_CHARACTERS = 64;

/** Decodes calls and events of one operation. Sends no request. */
export function abiDecoder(abis: AbiRegistry, { budget, dependencies }: Operation) {
  /** Decodes at once, or in a later turn if the operation has used up its own: the list writer counts an item, not its length. */
  const inTurn = <T extends DecodedAbi | string>(
    encoding: Data | undefined,
    decode: () => T | null,
  ): T | null | Promise<T | null> => {
    // The files of ABI_DIR may change, so the response is not final.
    dependencies.addHead();
    const length = encoding?.length ?? 0;
    const isTurnUsedUp = length > LONG_ENCODING && budget?.shouldYieldAfter(Math.ceil(length / WORD_CHARACTERS));
    return isTurnUsedUp ? budget!.yieldTurn().then(decode) : decode();
  };

  return {
    /** Decodes the input of a transaction; null if no ABI fits. */
    decodedCall: ({ to, input }: PartialTransaction) => inTurn(input, () => abis.decodeCall(to, input!)),

    /**
     * Describes the payload of a reverted call: the text of Error(string), a Panic(uint256) with its meaning, or a custom error of the target's ABI,
     * such as `InsufficientBalance(available: 1, required: 2)`. Null if no ABI fits.
     */
    revertReason: (payload: Data, target: Data | null | undefined): string | null | Promise<string | null> =>
      decodeRevertReason(payload) ?? inTurn(payload, () => abis.describeError(target, payload)),

    /** Decodes a log; null if no ABI fits. */
    decodedEvent: (log: RpcLog) => inTurn(log.data, () => abis.decodeEvent(log)),
  };
}

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
