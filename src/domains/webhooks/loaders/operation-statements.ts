import type { QueryResultRow } from 'pg';
import type { Operation } from '../../../graphql/domain.ts';
import type { Query } from '../store/query.ts';
import type { StatementTurns } from '../store/statement-turns.ts';
import type { Statements } from '../store/statements.ts';

/** The database as one operation uses it. */
export interface OperationDatabase {
  readonly database: Statements;
  readonly turns: StatementTurns;
}

/**
 * Returns the statements of one operation, in the turns of its caller's application. Each millisecond of the database costs 1, and the rows count
 * as bytes from an upstream. Rejects with RESULT_TOO_LARGE when the budget is exhausted, and with the reason of the signal.
 */
export function operationStatements({ database, turns }: OperationDatabase, operation: Operation): Statements {
  const { budget, signal } = operation;
  const counted =
    (query: Query): Query =>
    async <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => {
      budget?.throwIfExhausted();
      const start = performance.now();
      try {
        const rows = await query<Row>(text, values);
        budget?.addUpstreamBytes(sizeOf(rows));
        return rows;
      } finally {
        budget?.addCost(Math.ceil(performance.now() - start));
      }
    };
  const inTurn = <T>(run: () => Promise<T>): Promise<T> =>
    turns.run(operation.caller?.app, () => {
      // The operation may have ended while it waited.
      signal.throwIfAborted();
      return run();
    });
  return {
    query: (text, values) => inTurn(() => counted(database.query)(text, values)),
    transaction: (run) => inTurn(() => database.transaction((query) => run(counted(query)))),
  };
}

/** The bytes of rows, approximately: those of their texts. */
const sizeOf = (rows: readonly object[]): number =>
  rows.flatMap(Object.values).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
