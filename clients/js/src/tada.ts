import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './generated/introspection.ts';
import type { Scalars } from './scalars.ts';

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
export { readFragment } from 'gql.tada';
export type { introspection };

/** The schema of the graph with the types of its scalars, for `initGraphQLTada`. */
export interface GraphSetup {
  introspection: introspection;
  scalars: Scalars;
}

/** `graphql()` of gql.tada for the schema of this version of the package: documents whose types follow from their text, without generated code. */
export const graphql: ReturnType<typeof initGraphQLTada<GraphSetup>> = initGraphQLTada<GraphSetup>();
