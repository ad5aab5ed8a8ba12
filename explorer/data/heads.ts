/** A block of the list of heads. */
export interface HeadBlock {
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970, as hex. */
  readonly timestamp: string;
  readonly gasUsed: number;
  readonly gasLimit: number;
  /** In wei as hex; null before London. */
  readonly baseFeePerGas: string | null;
  readonly transactionCount: number | null;
}

export interface HeadRow {
  readonly block: HeadBlock;
  readonly isRemoved: boolean;
}

/** Maximum number of heads in the list. */
export const MAX_HEADS = 40;

/**
 * Adds a head to a list, newest first. The block of its height and those above it are no longer canonical, and are marked as removed. A block that
 * the list has already is canonical again.
 */
export function addHead(rows: readonly HeadRow[], block: HeadBlock): readonly HeadRow[] {
  const others = rows
    .filter((row) => row.block.hash !== block.hash)
    .map((row) => (row.block.number >= block.number ? { ...row, isRemoved: true } : row));
  return [{ block, isRemoved: false }, ...others].slice(0, MAX_HEADS);
}

/** Takes away the blocks that were marked as removed. */
export const withoutRemoved = (rows: readonly HeadRow[]): readonly HeadRow[] => rows.filter(({ isRemoved }) => !isRemoved);

/** Whether a list lacks blocks between its heads that the last blocks of the chain may have. */
export function hasGap(rows: readonly HeadRow[], last: readonly HeadBlock[]): boolean {
  const heights = withoutRemoved(rows).map(({ block }) => block.number);
  return heights[0]! - heights.at(-1)! >= heights.length && last.some(({ number }) => number >= heights[0]!);
}
