import { quantityOf } from '../../../ethereum/hex.ts';
import { forEachYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import { type Duel, InvalidEntry, readableFields, type ServiceEntry } from '../model.ts';
import { cachedDuels, fetchDuels, fetchDuelsSince, type ServiceReader } from '../service/wizard-service.ts';

/** Maximum length of a list that is read completely at each head. For a longer list, two short filtered lists are less work. */
const MAX_FULL_READ_ENTRIES = 2_000;
/** The whole list is read at least once per this many heads, since the service may change an old duel. */
const HEADS_BETWEEN_FULL_READS = 100;
/** Blocks that are read again: the maximum reorg depth of the feed, and the maximum delay of the service in reporting the end of a duel. */
const OVERLAP_BLOCKS = 256n;

type DuelEntries = readonly ServiceEntry<Duel>[];

interface LastRead {
  readonly duels: DuelEntries;
  /** Height of the head at which the list was read. */
  readonly height: bigint;
  /** Number of heads since the whole list was read. */
  readonly heads: number;
}

/**
 * Creates a reader that returns all duels and is called once per head. A long list is read completely once; later calls read only the duels
 * in progress and the duels that ended since, and merge them into the list. If the service ignores or rejects these filters, every call reads the
 * complete list.
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
        last = { duels: await mergeRecentDuels(duels, recent, from, read.budget), height, heads: heads + 1 };
        return last.duels;
      }
    }
    last = { duels: await fetchDuels(read, {}), height, heads: 0 };
    return last.duels;
  };
}

/** Replaces the duels in progress, and the duels that ended at height `from` or later, with the entries of `recent`. */
async function mergeRecentDuels(
  duels: DuelEntries,
  recent: DuelEntries,
  from: bigint,
  budget: OperationBudget | undefined,
): Promise<DuelEntries> {
  const recentById = new Map<string, ServiceEntry<Duel>>();
  for (const entry of recent) {
    const { id } = readableFields(entry);
    if (id !== undefined) recentById.set(id, entry);
  }
  const merged: ServiceEntry<Duel>[] = [];
  await forEachYielding(duels, budget, (entry) => {
    const { id, endBlockNumber } = readableFields(entry);
    const replacement = id === undefined ? undefined : recentById.get(id);
    if (replacement) {
      recentById.delete(id!);
      merged.push(replacement);
    } else if (!(entry instanceof InvalidEntry) && endBlockNumber && BigInt(endBlockNumber) < from) merged.push(entry);
  });
  for (const entry of recentById.values()) merged.push(entry);
  return merged;
}
