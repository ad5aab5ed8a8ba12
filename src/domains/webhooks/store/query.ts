import type { QueryResultRow } from 'pg';

/** Runs one statement of PostgreSQL and resolves with its rows. */
export type Query = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
