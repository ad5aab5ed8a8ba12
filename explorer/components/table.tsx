import { type ReactNode, useState } from 'react';
import type { UndoableRow } from '../data/undoable-rows.ts';
import { Empty } from './empty.tsx';

/** A column; `wide` columns are hidden on narrow screens. */
export interface Column<Row> {
  readonly title: string;
  readonly isWide?: boolean;
  /** The line of the row that has the cell on narrow screens. @default 1 */
  readonly line?: 2 | 3;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly UndoableRow<Row>[];
  /** Text in place of a table without rows. */
  readonly empty: ReactNode;
  /** The path of the rows in the response: a list that could not be read is not empty. */
  readonly path?: string;
  /** Number of rows before the reader requests all. */
  readonly maxRows?: number;
}

const classOf = ({ isWide, isNumber, line }: Column<never>): string | undefined =>
  [isWide && 'wide', isNumber && 'number', line && `line-${line}`].filter(Boolean).join(' ') || undefined;

/** A table whose rows are struck out while `isRemoved`. */
export function Table<Row>({ columns, rows, empty, path, maxRows = 50 }: TableProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0) return <Empty path={path}>{empty}</Empty>;
  return (
    <>
      <table className={columns.some(({ line }) => line) ? 'stacked' : undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(isWhole ? rows : rows.slice(0, maxRows)).map(({ row, key, isRemoved }) => (
            <tr key={key} className={isRemoved ? 'removed' : undefined} data-key={key}>
              {columns.map((column) => (
                <td key={column.title} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {!isWhole && rows.length > maxRows && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </button>
      )}
    </>
  );
}

/** Rows that no reorg removes. */
export const stableRows = <Row,>(rows: readonly Row[], keyOf: (row: Row) => string): readonly UndoableRow<Row>[] =>
  rows.map((row) => ({ row, key: keyOf(row), isRemoved: false }));
