import { quantityOf } from '../../../ethereum/hex.ts';
import { type Duel, InvalidEntry, readableFields, type ServiceEntry } from '../model.ts';
import { forEachInSlices } from '../service/array-slices.ts';
import { cachedDuels, fetchDuels, fetchDuelsSince, type ServiceReader } from '../service/wizard-service.ts';

/** A list that is longer than this is not read whole at each head: two short lists are less work. */
const MAX_FULL_READ_ENTRIES = 2_000;
/** The whole list is read at least once in so many heads, in case the service has changed an old duel. */
const HEADS_BETWEEN_FULL_READS = 100;
/** No reorg that the feed follows goes deeper, and a service that lags has this much time to report the end of a duel. */
const OVERLAP_BLOCKS = 256n;

type DuelEntries = readonly ServiceEntry<Duel>[];

interface LastRead {
  readonly duels: DuelEntries;
  /** Height of the head for which it was read. */
  readonly height: bigint;
  /** Heads since the whole list was read. */
  readonly heads: number;
}

/**
 * Gives the list of all duels for one head after the other. A long list is read whole once; then only the duels in progress and those that
 * ended since are read, and replace what the list had of them. A service that ignores or refuses these filters is read whole each time.
 */
export function createDuelListReader(reader: (signal: AbortSignal) => ServiceReader, headHeight: () => number | undefined) {
  let last: LastRead | undefined;
  let hasFilters = true;

  return async (signal: AbortSignal): Promise<DuelEntries> => {
    const read = reader(signal);
    const height = BigInt(headHeight() ?? 0);
    const isShort = last === undefined || last.duels.length <= MAX_FULL_READ_ENTRIES;
    if (!isShort && hasFilters && last!.heads < HEADS_BETWEEN_FULL_READS && !cachedDuels(read)) {
      const { duels, heads } = last!;
      const from = (height < last!.height ? height : last!.height) - OVERLAP_BLOCKS;
      const recent = await fetchDuelsSince(read, quantityOf(from > 0n ? from : 0n));
      hasFilters = recent !== undefined;
      if (recent) {
        last = { duels: await mergeRecentDuels(duels, recent, from), height, heads: heads + 1 };
        return last.duels;
      }
    }
    last = { duels: await fetchDuels(read, {}), height, heads: 0 };
    return last.duels;
  };
}

/** A list with its duels in progress, and those that ended from a height on, replaced by what was read of them now. */
async function mergeRecentDuels(duels: DuelEntries, recent: DuelEntries, from: bigint): Promise<DuelEntries> {
  const fresh = new Map<string, ServiceEntry<Duel>>();
  for (const one of recent) {
    const { id } = readableFields(one);
    if (id !== undefined) fresh.set(id, one);
  }
  const list: ServiceEntry<Duel>[] = [];
  await forEachInSlices(duels, (one) => {
    const { id, endBlockNumber } = readableFields(one);
    const now = id === undefined ? undefined : fresh.get(id);
    if (now) {
      fresh.delete(id!);
      list.push(now);
    } else if (!(one instanceof InvalidEntry) && endBlockNumber && BigInt(endBlockNumber) < from) list.push(one);
  });
  for (const one of fresh.values()) list.push(one);
  return list;
}
