import { quantityOf } from '../../../ethereum/hex.ts';
import { forEachInSlices } from '../array-slices.ts';
import { type Duel, Malformed, readable, type Told } from '../model.ts';
import { duelsBy, duelsSince, knownDuels, type Read } from '../service.ts';

/** A list that is longer than this is not read whole at each head: two short lists are less work. */
const LONG = 2_000;
/** The whole list is read at least once in so many heads, in case the service has changed an old duel. */
const HEADS_BETWEEN_WHOLE_LISTS = 100;
/** No reorg that the feed follows goes deeper, and a service that lags has this much time to report the end of a duel. */
const OVERLAP_BLOCKS = 256n;

type Duels = readonly Told<Duel>[];

interface LastRead {
  readonly duels: Duels;
  /** Height of the head for which it was read. */
  readonly height: bigint;
  /** Heads since the whole list was read. */
  readonly heads: number;
}

/**
 * Gives the list of all duels for one head after the other. A long list is read whole once; then only the duels in progress and those that
 * ended since are read, and replace what the list had of them. A service that ignores or refuses these filters is read whole each time.
 */
export function openDuelList(reader: (signal: AbortSignal) => Read, headHeight: () => number | undefined) {
  let last: LastRead | undefined;
  let hasFilters = true;

  return async (signal: AbortSignal): Promise<Duels> => {
    const read = reader(signal);
    const height = BigInt(headHeight() ?? 0);
    const isShort = last === undefined || last.duels.length <= LONG;
    if (!isShort && hasFilters && last!.heads < HEADS_BETWEEN_WHOLE_LISTS && !knownDuels(read)) {
      const { duels, heads } = last!;
      const from = (height < last!.height ? height : last!.height) - OVERLAP_BLOCKS;
      const recent = await duelsSince(read, quantityOf(from > 0n ? from : 0n));
      hasFilters = recent !== undefined;
      if (recent) {
        last = { duels: await merged(duels, recent, from), height, heads: heads + 1 };
        return last.duels;
      }
    }
    last = { duels: await duelsBy(read, {}), height, heads: 0 };
    return last.duels;
  };
}

/** A list with its duels in progress, and those that ended from a height on, replaced by what was read of them now. */
async function merged(duels: Duels, recent: Duels, from: bigint): Promise<Duels> {
  const fresh = new Map<string, Told<Duel>>();
  for (const one of recent) {
    const { id } = readable(one);
    if (id !== undefined) fresh.set(id, one);
  }
  const list: Told<Duel>[] = [];
  await forEachInSlices(duels, (one) => {
    const { id, endBlockNumber } = readable(one);
    const now = id === undefined ? undefined : fresh.get(id);
    if (now) {
      fresh.delete(id!);
      list.push(now);
    } else if (!(one instanceof Malformed) && endBlockNumber && BigInt(endBlockNumber) < from) list.push(one);
  });
  for (const one of fresh.values()) list.push(one);
  return list;
}
