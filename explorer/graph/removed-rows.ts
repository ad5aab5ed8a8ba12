import { useEffect, useRef } from 'react';
import { mergeRemovedRows, type UndoableRow } from '../data/undoable-rows.ts';
import { useLive } from './live.tsx';

/** Maximum number of rows of earlier lists that are searched for removed ones. */
const MAX_SHOWN_ROWS = 200;

/** `mergeRemovedRows` with the rows that the component has shown. */
export function useRemovedRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  blockOf: (row: Row) => string | null | undefined,
): readonly UndoableRow<Row>[] {
  const { removed } = useLive();
  const shown = useRef(new Map<string, Row>());
  useEffect(() => {
    for (const row of rows) {
      const key = `${keyOf(row)} ${blockOf(row)}`;
      shown.current.delete(key);
      shown.current.set(key, row);
    }
    for (const key of shown.current.keys()) if (shown.current.size > MAX_SHOWN_ROWS) shown.current.delete(key);
  });
  return mergeRemovedRows(rows, shown.current.values(), removed, keyOf, blockOf);
}
