import type { AbiFunction } from '../../../ethereum/abi/layouts.ts';
import type { AbiRegistry, DecodedAbi } from '../../../ethereum/abi/registry.ts';
import { parseFunction } from '../../../ethereum/abi/signature.ts';
import { type AbiInput, countArguments, encodeCall } from '../../../ethereum/abi/writer.ts';
import { isNullish } from '../../../ethereum/block-results.ts';
import type { MessageCall } from '../../../ethereum/call-object.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type LogFilter, type LogRange, MAX_TOPICS } from '../../../ethereum/log-filters.ts';
import { decodeRevertReason } from '../../../ethereum/revert-error.ts';
import type { BlockRef, RpcLog } from '../../../ethereum/rpc-types.ts';
import type { BlockTag, FilterCriteria } from '../../../generated/chain.ts';
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
  /**
   * Decodes or encodes synchronously, or in a later turn if the operation has used up its turn: the list writer counts items, not
   * their lengths.
   */
  const inTurn = <T>(characters: number, convert: () => T): T | Promise<T> => {
    const isTurnUsedUp = characters > LONG_ENCODING && budget?.shouldYieldAfter(Math.ceil(characters / WORD_CHARACTERS));
    return isTurnUsedUp ? budget!.yieldTurn().then(convert) : convert();
  };

  const byAbis = <T>(encoding: Data | undefined, decode: () => T | null): T | null | Promise<T | null> => {
    // The files of ABI_DIR may change, so the response is not final.
    dependencies.addHead();
    return inTurn(encoding?.length ?? 0, decode);
  };

  return {
    /** Decodes the input of a transaction; null if no ABI fits. */
    decodedCall: ({ to, input }: Pick<PartialTransaction, 'to' | 'input'>) => byAbis(input, () => abis.decodeCall(to, input!)),

    /**
     * Describes the payload of a reverted call: the text of Error(string), a Panic(uint256) with its meaning, or a custom error of the target's ABI,
     * such as `InsufficientBalance(available: 1, required: 2)`. Null if no ABI fits, and without a payload.
     */
    revertReason: (payload: Data | null, target: Data | null | undefined): string | null | Promise<string | null> =>
      payload && (decodeRevertReason(payload) ?? byAbis(payload, () => abis.describeError(target, payload))),

    /** Decodes the payload of a reverted call; null if no ABI fits, and without a payload. */
    revertError: (payload: Data | null, target: Data | null | undefined): DecodedAbi | null | Promise<DecodedAbi | null> =>
      payload === null ? null : byAbis(payload, () => abis.decodeError(target, payload)),

    /**
     * Encodes the call of a function that the client names completely, or by the ABI of the address or the others. Throws BAD_USER_INPUT. A character
     * of the name counts as a value, because parsing it takes as long.
     */
    encodedCall: (address: Data, text: string, args: readonly AbiInput[]) =>
      inTurn(WORD_CHARACTERS * (text.length + countArguments(args)), () => {
        const named = parseFunction(text);
        if (!named.complete) dependencies.addHead();
        const called = named.complete ?? abis.findFunction(address, named, args.length);
        return { called, data: encodeCall(called, args) };
      }),

    /** Decodes the data that a function returned; null unless it is exactly the encoding of the outputs. */
    outputs: (called: AbiFunction, returned: Data) => inTurn(returned.length, () => abis.decodeOutputs(called, returned)),

    /** Decodes a log; null if no ABI fits. */
    decodedEvent: (log: RpcLog) => byAbis(log.data, () => abis.decodeEvent(log)),
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
export type LogCriteria = FilterCriteria;

/** Returns the given bound, else `latest`. At most one bound may be given. */
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
    if (fromBlock && toBlock && BigInt(fromBlock) > BigInt(toBlock)) {
      const message = 'Invalid log filter: `fromBlock` is above `toBlock`. Pass a first and a last height in order.';
      throw new GraphError('BAD_USER_INPUT', message);
    }
    return range;
  }
  if ([fromBlock, fromBlockTag, toBlock, toBlockTag].some((bound) => bound !== null && bound !== undefined) || toPending) {
    throw new GraphError('BAD_USER_INPUT', 'Invalid log filter. Pass either blockHash or other block bounds.');
  }
  return { blockHash };
}

/**
 * Throws BAD_USER_INPUT for fees that contradict each other. Nodes report contradicting fees with different errors, or
 * not at all.
 */
export function checkCallFees({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: MessageCall): void {
  if (!isNullish(gasPrice) && !(isNullish(maxFeePerGas) && isNullish(maxPriorityFeePerGas))) {
    const message = 'The call has a gas price and EIP-1559 fees. Pass either gasPrice, or maxFeePerGas and maxPriorityFeePerGas.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  if (!isNullish(maxFeePerGas) && !isNullish(maxPriorityFeePerGas) && BigInt(maxPriorityFeePerGas) > BigInt(maxFeePerGas)) {
    const message = 'maxPriorityFeePerGas is above maxFeePerGas. Pass a priority fee of at most maxFeePerGas, which includes it.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
}

/** Maximum number of alternatives in one list of a subscription's filter; geth has this limit, too. */
const MAX_FILTER_VALUES = 1_000;

/** Throws BAD_USER_INPUT for a filter with more topic positions than a log can have. */
export function checkTopics({ topics }: LogFilter): void {
  if (!topics || topics.length <= MAX_TOPICS) return;
  const message = `The filter has ${topics.length} topic positions. Pass at most ${MAX_TOPICS}: a log has no more topics.`;
  throw new GraphError('BAD_USER_INPUT', message);
}

/** Throws BAD_USER_INPUT for a filter that would be too expensive to match against every new log. */
export function checkSubscriptionFilter(filter: LogFilter): void {
  checkTopics(filter);
  const { addresses, topics } = filter;
  const actual = Math.max(...[addresses, ...(topics ?? [])].map((list) => list?.length ?? 0));
  if (actual <= MAX_FILTER_VALUES) return;
  const message = `A list of the filter has ${actual} values. Pass at most ${MAX_FILTER_VALUES} addresses, and ${MAX_FILTER_VALUES} topics in each position.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_FILTER_VALUES, actual });
}
