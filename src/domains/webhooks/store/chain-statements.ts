import type { Query, Statements } from '../../../database/statements.ts';

/** Value of the columns `chain_id` for the default chain; other chains have their ids. */
export const DEFAULT_CHAIN = '';

/** Runs statements for one chain, whose id is the value of their columns `chain_id`. */
export type ChainQuery = Query & { readonly chainId: string };

/** The statements of a database for one chain. */
export interface ChainStatements {
  readonly query: ChainQuery;
  transaction<T>(run: (query: ChainQuery) => Promise<T>): Promise<T>;
}

export const queryOfChain = (query: Query, chainId: string): ChainQuery =>
  Object.assign<Query, { chainId: string }>((text, values) => query(text, values), { chainId });

export const statementsOfChain = <Own extends Statements>(
  database: Own,
  chainId: string,
): Omit<Own, keyof Statements> & ChainStatements => ({
  ...database,
  query: queryOfChain(database.query, chainId),
  transaction: (run) => database.transaction((query) => run(queryOfChain(query, chainId))),
});
