import { GraphError } from '../../../errors.ts';
import { type LogFilter, type LogRange, MOST_TOPICS, wireFilter } from '../../../evm/filters.ts';
import { type Data, type Quantity, quantityOf } from '../../../evm/hex.ts';
import type { BlockRef, RpcLog } from '../../../evm/rpc.ts';
import type { BlockTag } from '../../../generated/chain.ts';
import type { Calls } from '../../../upstream/calls.ts';
import { logsBy, networkReads } from '../methods.ts';
import { hasCode } from './node.ts';

/** Which logs of which blocks; at most one lower and one upper bound, or a block hash alone. */
export interface LogCriteria extends LogFilter {
  readonly fromBlock?: Quantity | null | undefined;
  readonly toBlock?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
  readonly fromBlockTag?: BlockTag | null | undefined;
  readonly toBlockTag?: BlockTag | null | undefined;
  readonly toPending?: boolean | null | undefined;
}

const LATEST = 'latest';

const isHeight = (ref: BlockRef): boolean => ref.startsWith('0x');

/** One of several ways to say the same, or what holds when none is used. */
function oneOf(bounds: readonly (BlockRef | null | undefined)[], names: string): BlockRef {
  const given = bounds.filter((bound) => bound !== null && bound !== undefined);
  if (given.length > 1) throw new GraphError('BAD_USER_INPUT', `Give at most one of ${names}.`);
  return given[0] ?? LATEST;
}

/** The blocks that the criteria mean. */
export function rangeOf(criteria: LogCriteria): LogRange {
  const tag = (name: BlockTag | null | undefined) => name?.toLowerCase();
  const { fromBlock, fromBlockTag, toBlock, toBlockTag, toPending, blockHash } = criteria;
  const range = {
    fromBlock: oneOf([fromBlock, tag(fromBlockTag)], 'fromBlock and fromBlockTag'),
    toBlock: oneOf([toBlock, tag(toBlockTag), toPending ? 'pending' : null], 'toBlock, toBlockTag and toPending'),
  };
  if (!blockHash) return range;
  if ([fromBlock, fromBlockTag, toBlock, toBlockTag].some((bound) => bound !== null && bound !== undefined) || toPending) {
    throw new GraphError('BAD_USER_INPUT', 'A filter with blockHash takes no other bound on the blocks.');
  }
  return { blockHash };
}

/** Refuses a filter that no log could be meant by. */
export function checkTopics({ topics }: LogFilter): void {
  if (topics && topics.length > MOST_TOPICS) {
    throw new GraphError(
      'BAD_USER_INPUT',
      `A log has at most ${MOST_TOPICS} topics; the filter names ${topics.length} positions.`,
    );
  }
}

/** Logs over ranges of blocks, of one operation. Source: `eth_getLogs`. */
export function logLoader(calls: Calls, maxLogs: number) {
  const head = async () => BigInt(await calls.call(networkReads.blockNumber));

  /** A range whose upper end may lie past the head: cut there, null when nothing is left. */
  const cut = async (from: BlockRef, to: Quantity): Promise<LogRange | null> => {
    const latest = await head();
    const first = from === LATEST ? latest : isHeight(from) ? BigInt(from) : 0n;
    const last = BigInt(to) < latest ? BigInt(to) : latest;
    return first > last ? null : { fromBlock: from === LATEST ? quantityOf(latest) : from, toBlock: quantityOf(last) };
  };

  return {
    async find(criteria: LogCriteria): Promise<readonly RpcLog[]> {
      checkTopics(criteria);
      let range: LogRange | null = rangeOf(criteria);
      const ask = async () => (range ? calls.call(logsBy, wireFilter(range, criteria)) : []);
      if ('blockHash' in range) return atMost(maxLogs, await ask());
      const { fromBlock, toBlock } = range;
      if (isHeight(fromBlock) && isHeight(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) return [];
      // "From the most recent block to a height" is an upside-down range for some nodes.
      if (fromBlock === LATEST && isHeight(toBlock)) range = await cut(fromBlock, toBlock);
      try {
        return atMost(maxLogs, await ask());
      } catch (error) {
        if (!hasCode(error, 'BLOCK_NOT_AVAILABLE') || !error.extensions.retryable) throw error;
        const last = isHeight(toBlock) ? toBlock : quantityOf(await head());
        range = await cut(fromBlock, last);
        return atMost(maxLogs, await ask());
      }
    },
  };
}

function atMost(limit: number, logs: readonly RpcLog[]): readonly RpcLog[] {
  if (logs.length <= limit) return logs;
  const message = `${logs.length} logs match and the limit is ${limit}; ask for fewer blocks or a narrower filter.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: logs.length });
}
