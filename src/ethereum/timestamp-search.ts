/** The height and the timestamp of a block. */
export interface TimedBlock {
  readonly height: number;
  readonly timestamp: bigint;
}

/** The result of a probe of a pruned block, with the height of the earliest available block if the node reports it. */
export interface PrunedProbe {
  readonly earliest: number | undefined;
}

/** The bounds that are known before a search: the searched block is `lower` or above it, and below `upper`. */
export interface TimestampBounds {
  /**
   * A block that counts as at or before the time; without a timestamp, a pruned one. Undefined while no such block is known, so that the
   * first block of the chain may be after the time.
   */
  readonly lower: { readonly height: number; readonly timestamp: bigint | undefined } | undefined;
  /** A block after the time. */
  readonly upper: TimedBlock;
  /** A block above `upper`, from which the block time follows while `lower` has no timestamp. */
  readonly later: TimedBlock | undefined;
}

/**
 * Number of probes in addition to the probes of a bisection, so that the interpolation may be wrong twice in a short
 * chain.
 */
const EXTRA_PROBES = 2;
/** Maximum number of probes for chains of up to 2^25 blocks. A longer chain needs the probes of a bisection. */
const MAX_PROBES = 25;
/**
 * If an estimate lies within this part of the interval from an end, the next probe lies beyond the estimate, away from
 * that end.
 */
const BRACKETED_PART = 1 / 8;

/**
 * Searches for the highest block at or before a time: yields the heights whose timestamps it needs, and returns the
 * height; null if the first block is after the time. Interpolates between known timestamps, and confines each probe to
 * the heights after which a bisection still ends within the maximum number of probes. Ends for timestamps in any order;
 * the result is then a block at or before the time whose child is after it. A pruned block counts as before the time,
 * so the result is a pruned block if the first available block is after the time.
 */
export function* searchTimestamp(time: bigint, bounds: TimestampBounds): Generator<number, number | null, bigint | PrunedProbe> {
  let { lower, upper, later } = bounds;
  let earliest: number | undefined;
  const low = () => lower?.height ?? -1;
  let probesLeft = maxProbesOf(upper.height - low());
  while (upper.height - low() > 1) {
    probesLeft -= 1;
    const reach = 2 ** probesLeft;
    const isEarliestInside = earliest !== undefined && earliest > low() && earliest <= upper.height;
    const probe = isEarliestInside ? earliest! : nextProbe(time, { lower, upper, later });
    const height = Math.max(low() + 1, upper.height - reach, Math.min(upper.height - 1, low() + reach, probe));
    const result = yield height;
    if (typeof result !== 'bigint') {
      lower = { height, timestamp: undefined };
      earliest = result.earliest;
    } else if (result <= time) lower = { height, timestamp: result };
    else [upper, later] = [{ height, timestamp: result }, upper];
  }
  return lower?.height ?? null;
}

/** The maximum number of probes among `count` possible results. */
function maxProbesOf(count: number): number {
  const bisections = Math.ceil(Math.log2(count));
  return Math.max(bisections, Math.min(bisections + EXTRA_PROBES, MAX_PROBES));
}

/**
 * The height to read next: the interpolated height, or a height beyond it if it is near an end, so that the interval
 * shrinks from both ends.
 */
function nextProbe(time: bigint, bounds: TimestampBounds): number {
  const low = bounds.lower?.height ?? -1;
  const high = bounds.upper.height;
  const estimate = Math.min(high, Math.max(low, interpolate(time, bounds)));
  const near = (high - low) * BRACKETED_PART;
  if (estimate - low < near) return Math.floor(2 * estimate - low) + 1;
  if (high - estimate < near) return Math.ceil(2 * estimate - high) - 1;
  return Math.floor(estimate);
}

/**
 * The estimated height at a time: interpolated between the two blocks, or extrapolated before `upper` by the block time
 * above `upper`, or in the middle.
 */
function interpolate(time: bigint, { lower, upper, later }: TimestampBounds): number {
  if (lower?.timestamp !== undefined) {
    const elapsed = Number(time - lower.timestamp) / Number(upper.timestamp - lower.timestamp);
    return lower.height + elapsed * (upper.height - lower.height);
  }
  const blockTime = later && Number(later.timestamp - upper.timestamp) / (later.height - upper.height);
  const middle = ((lower?.height ?? 0) + upper.height) / 2;
  return blockTime && blockTime > 0 ? upper.height - Number(upper.timestamp - time) / blockTime : middle;
}
