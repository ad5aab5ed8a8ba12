import { GraphError } from '../../../errors.ts';
import { type Data, isBlockHash, type Quantity, quantityOf } from '../../../ethereum/hex.ts';
import {
  bloomMayMatch,
  bloomShowsLogs,
  isEmptyBloom,
  isUnfiltered,
  type LogFilter,
  type LogRange,
  toRpcLogFilter,
} from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import type { BlockTag } from '../../../generated/chain.ts';
import { type BlockAvailability, isBlockMissing } from '../../../snapshot/block-availability.ts';
import type { WithNodeCapabilities } from '../../../snapshot/node-capabilities.ts';
import type { PinnedBlock } from '../../../snapshot/pinned-block.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { OperationCalls } from '../../../upstream/rpc/operation-calls.ts';
import { checkTopics } from '../log-filter-checks.ts';
import { confirmedLogsBy, logsBy } from '../rpc-methods.ts';
import type { FinalityTag } from './finality.ts';

/** Which logs of which blocks; at most one lower and one upper bound, or a block hash alone. */
export interface LogCriteria extends LogFilter {
  readonly fromBlock?: Quantity | null | undefined;
  readonly toBlock?: Quantity | null | undefined;
  readonly blockHash?: Data | null | undefined;
  readonly fromBlockTag?: BlockTag | null | undefined;
  readonly toBlockTag?: BlockTag | null | undefined;
  readonly toPending?: boolean | null | undefined;
}

/** Tells the block of a mark. */
type ReadFinalityBlock = (mark: FinalityTag) => Promise<RpcBlock | null>;

type LogHeightRange = Exclude<LogRange, { readonly blockHash: Data }>;

const LATEST = 'latest';

const isHeight = (ref: BlockRef): boolean => ref.startsWith('0x');

/** One of several ways to say the same, or what holds when none is used. */
function exclusiveBound(bounds: readonly (BlockRef | null | undefined)[], names: string): BlockRef {
  const given = bounds.filter((bound) => bound !== null && bound !== undefined);
  if (given.length > 1) throw new GraphError('BAD_USER_INPUT', `Give at most one of ${names}.`);
  return given[0] ?? LATEST;
}

/** The blocks that the criteria mean. */
export function logRangeOf(criteria: LogCriteria): LogRange {
  const tag = (name: BlockTag | null | undefined) => name?.toLowerCase();
  const { fromBlock, fromBlockTag, toBlock, toBlockTag, toPending, blockHash } = criteria;
  const range = {
    fromBlock: exclusiveBound([fromBlock, tag(fromBlockTag)], 'fromBlock and fromBlockTag'),
    toBlock: exclusiveBound([toBlock, tag(toBlockTag), toPending ? 'pending' : null], 'toBlock, toBlockTag and toPending'),
  };
  if (!blockHash) return range;
  if ([fromBlock, fromBlockTag, toBlock, toBlockTag].some((bound) => bound !== null && bound !== undefined) || toPending) {
    throw new GraphError('BAD_USER_INPUT', 'A filter with blockHash takes no other bound on the blocks.');
  }
  return { blockHash };
}

/** So far below the head a lagging node may still be, and what it does not know it leaves out without a word. */
const BLOOM_CHECK_DEPTH = 32;

/** How often one operation cuts a range in two that is too wide for the node: a provider's 10,000 blocks at a time come to some 300,000. */
const MAX_RANGE_SPLITS = 64;

/** Whether the node would answer for fewer blocks. */
const isRangeTooWide = (error: unknown): boolean =>
  error instanceof GraphError && error.code === 'RESULT_TOO_LARGE' && error.extensions.source === 'node';

/** The two halves of a range; undefined when it cannot be cut. */
function splitRange({ fromBlock, toBlock }: LogHeightRange): readonly [LogHeightRange, LogHeightRange] | undefined {
  if (!isHeight(fromBlock) || !isHeight(toBlock)) return undefined;
  const [first, last] = [BigInt(fromBlock), BigInt(toBlock)];
  if (first >= last) return undefined;
  const middle = (first + last) / 2n;
  return [
    { fromBlock, toBlock: quantityOf(middle) },
    { fromBlock: quantityOf(middle + 1n), toBlock },
  ];
}

/** Logs over ranges of blocks, of one operation. Source: `eth_getLogs`. */
export function logLoader(
  calls: OperationCalls,
  session: WithNodeCapabilities,
  pin: PinnedBlock,
  presence: BlockAvailability,
  marked: ReadFinalityBlock,
  maxLogs: number,
) {
  const inBlock = async (hash: Data, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const filter = toRpcLogFilter({ blockHash: hash }, criteria);
    const bloom = pin.header(hash)?.header.logsBloom;
    const found = await presence.readAt(hash, logsBy, filter, isUnfiltered(criteria) && bloomShowsLogs(bloom));
    if (found.length > 0) return found;
    // That there are none stays true only if the block says so too.
    if (bloom && !isEmptyBloom(bloom) && !bloomMayMatch(bloom, criteria)) {
      calls.cachePermanently(logsBy, found, filter);
      return found;
    }
    return session.capabilities.logFilterDialect.isProven ? found : calls.refetch(confirmedLogsBy, filter);
  };

  /** A bound that moves with the chain, where a request that names its block makes it stand still. */
  const fixed = async (ref: BlockRef): Promise<BlockRef> => {
    if (!pin.isPinnedByRequest) return ref;
    if (ref === 'pending') return LATEST;
    return ref === 'safe' || ref === 'finalized' ? ((await marked(ref))?.number ?? ref) : ref;
  };

  /** The range on the chain of this operation: open ends are its head, and what lies above the head is not asked for. */
  const pinned = (range: LogHeightRange, head: Head): LogHeightRange | null => {
    const heightOf = (ref: BlockRef): BlockRef => (ref === LATEST ? head.number : ref);
    const [from, to] = [heightOf(range.fromBlock), heightOf(range.toBlock)];
    const last = isHeight(to) && BigInt(to) > BigInt(head.height) ? head.number : to;
    return isHeight(from) && isHeight(last) && BigInt(from) > BigInt(last) ? null : { fromBlock: from, toBlock: last };
  };

  /**
   * What a node found in a range, against what is known of the chain: logs of another branch are refused, and where a header says that
   * there may be logs and the node, which may lag, told none, the block itself is asked.
   */
  const checked = async (found: readonly RpcLog[], range: LogHeightRange, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const head = pin.knownHead;
    if (!head) return found;
    if (
      found.some(({ blockNumber, blockHash }) => blockNumber && blockHash && pin.isCanonical(blockNumber, blockHash) === false)
    ) {
      throw new GraphError(
        'BLOCK_NOT_AVAILABLE',
        'The node answered from another branch of the chain than this is answered from; ask again.',
      );
    }
    const told = new Set(found.map(({ blockNumber }) => Number(blockNumber)));
    const first = Math.max(isHeight(range.fromBlock) ? Number(range.fromBlock) : 0, head.height - BLOOM_CHECK_DEPTH);
    const last = isHeight(range.toBlock) ? Number(range.toBlock) : head.height;
    const missed: Promise<readonly RpcLog[]>[] = [];
    for (let height = first; height <= last; height++) {
      const header = told.has(height) ? undefined : pin.header(pin.resolveRef(quantityOf(height)))?.header;
      if (header?.logsBloom && !isEmptyBloom(header.logsBloom) && bloomMayMatch(header.logsBloom, criteria)) {
        missed.push(inBlock(header.hash, criteria));
      }
    }
    if (missed.length === 0) return found;
    const more = (await Promise.all(missed)).flat();
    return more.length === 0 ? found : [...found, ...more].sort(byPosition);
  };

  let cuts = 0;

  /** What the node will not answer at once is asked in halves, one after the other, so that no more is held than may be answered. */
  const inParts = async (
    of: LogHeightRange,
    ask: (of: LogHeightRange) => Promise<readonly RpcLog[]>,
  ): Promise<readonly RpcLog[]> => {
    try {
      return await ask(of);
    } catch (error) {
      const halves = isRangeTooWide(error) ? splitRange(of) : undefined;
      if (!halves || cuts === MAX_RANGE_SPLITS) throw error;
      cuts += 1;
      const lower = limitLogs(maxLogs, await inParts(halves[0], ask));
      return [...lower, ...(await inParts(halves[1], ask))];
    }
  };

  return {
    async find(criteria: LogCriteria): Promise<readonly RpcLog[]> {
      checkTopics(criteria);
      const given = logRangeOf(criteria);
      if ('blockHash' in given) return limitLogs(maxLogs, await inBlock(given.blockHash, criteria));
      const { fromBlock, toBlock } = given;
      if (isHeight(fromBlock) && isHeight(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) return [];
      const isOpen = fromBlock === LATEST || toBlock === LATEST;
      const head = pin.knownHead ?? (isOpen || pin.isUnresolved ? await pin.head() : undefined);
      const range = head ? pinned({ fromBlock: await fixed(fromBlock), toBlock: await fixed(toBlock) }, head) : given;
      if (!range) return [];
      if (head && range.fromBlock === head.number && range.toBlock === head.number) {
        return limitLogs(maxLogs, await inBlock(head.hash, criteria));
      }
      const ask = async (of: LogHeightRange) => {
        const filter = toRpcLogFilter(of, criteria);
        const found = await checked(await calls.call(logsBy, filter), of, criteria);
        // What lies below a block that is of the chain is settled by its hash. That there are no logs at all is asked each time.
        const top = isHeight(of.fromBlock) && isHeight(of.toBlock) ? pin.resolveRef(of.toBlock) : of.toBlock;
        if (found.length > 0 && isBlockHash(top))
          calls.cacheWhileCanonical(logsBy, found, { number: of.toBlock, hash: top }, filter);
        return found;
      };
      try {
        return limitLogs(maxLogs, await inParts(range, ask));
      } catch (error) {
        if (head || !isBlockMissing(error)) throw error;
        const cut = pinned(given, await pin.head());
        return cut ? limitLogs(maxLogs, await inParts(cut, ask)) : [];
      }
    },
  };
}

const byPosition = (a: RpcLog, b: RpcLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

function limitLogs(limit: number, logs: readonly RpcLog[]): readonly RpcLog[] {
  if (logs.length <= limit) return logs;
  const message = `At least ${logs.length} logs match and the limit is ${limit}; ask for fewer blocks or a narrower filter.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit, actual: logs.length });
}
