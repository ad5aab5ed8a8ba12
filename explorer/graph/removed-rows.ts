import { createContext, use, useEffect, useRef } from 'react';
import { mergeRemovedRows, type UndoableRow } from '../data/undoable-rows.ts';
import { useLive } from './live.tsx';

/** Maximum number of rows of earlier lists that are searched for removed ones. */
const MAX_SHOWN_ROWS = 200;

/** The variables of the response that a page shows: those of another page of a list are other ones. */
export const VariablesContext = createContext('');

/** `mergeRemovedRows` with the rows that the component has shown. */
export function useRemovedRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  blockOf: (row: Row) => string | null | undefined,
): readonly UndoableRow<Row>[] {
  const { removed } = useLive();
  const variables = use(VariablesContext);
  const lists = useRef({ variables, shown: new Map<string, Row>() });
  if (lists.current.variables !== variables) lists.current = { variables, shown: new Map() };
  const { shown } = lists.current;
  useEffect(() => {
    for (const row of rows) {
      const key = `${keyOf(row)} ${blockOf(row)}`;
      shown.delete(key);
      shown.set(key, row);
    }
    for (const key of shown.keys()) if (shown.size > MAX_SHOWN_ROWS) shown.delete(key);
  });
  return mergeRemovedRows(rows, shown.values(), removed, keyOf, blockOf);
}
