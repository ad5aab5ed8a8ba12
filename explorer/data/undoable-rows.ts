/** A row, and whether a reorg has just removed the block that it belongs to. */
export interface UndoableRow<Row> {
  readonly row: Row;
  readonly key: string;
  readonly isRemoved: boolean;
}

/**
 * Adds the rows that a reorg has just removed from a list, so that they can be shown struck out. They come first, because removed blocks are
 * the most recent ones. A row of a new block with the same key is another row.
 */
export function mergeRemovedRows<Row>(
  rows: readonly Row[],
  earlier: Iterable<Row>,
  removed: ReadonlySet<string>,
  keyOf: (row: Row) => string,
  blockOf: (row: Row) => string | null | undefined,
): readonly UndoableRow<Row>[] {
  const undoable = (row: Row): UndoableRow<Row> => ({
    row,
    key: `${keyOf(row)} ${blockOf(row)}`,
    isRemoved: removed.has(blockOf(row) ?? ''),
  });
  const current = rows.map(undoable);
  const keys = new Set(current.map(({ key }) => key));
  const gone = [...earlier].map(undoable).filter(({ key, isRemoved }) => isRemoved && !keys.has(key));
  return [...gone, ...current];
}
