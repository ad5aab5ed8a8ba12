import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { GraphError, isErrorCode } from '../lib/errors.ts';
import type { GraphClient } from './graph-client.ts';

/** A new version of a graph may run at the same URL. */
const SCHEMA_TTL_MS = 5 * 60_000;
/** For the introspection, which serves several calls, so that it must not end with one of them. */
const INTROSPECTION_TIMEOUT_MS = 15_000;

/** Reads the schema of the graph, cached for five minutes. Rejects with the error of the graph, for example if INTROSPECTION is off. */
export type SchemaSource = (client: GraphClient) => Promise<GraphQLSchema>;

/** Introspection, so that the settings of the graph decide whether the schema can be read. */
const QUERY = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });

async function introspect(client: GraphClient): Promise<GraphQLSchema> {
  const { data, errors } = await client.execute({ query: QUERY }, AbortSignal.timeout(INTROSPECTION_TIMEOUT_MS));
  const error = errors?.[0];
  const code = error?.extensions?.code;
  if (error) throw new GraphError(isErrorCode(code) ? code : 'UPSTREAM_BAD_RESPONSE', error.message);
  try {
    return buildClientSchema(data as IntrospectionQuery);
  } catch (cause) {
    throw new GraphError('UPSTREAM_BAD_RESPONSE', 'The introspection of the graph is invalid. Set GRAPH_URL to a graph.', {
      cause,
    });
  }
}

export function createSchemaSource(now: () => number = Date.now): SchemaSource {
  let cached: { readonly schema: Promise<GraphQLSchema>; readonly readAt: number } | undefined;
  return (client) => {
    if (cached && now() - cached.readAt < SCHEMA_TTL_MS) return cached.schema;
    const current = { schema: introspect(client), readAt: now() };
    cached = current;
    current.schema.catch(() => {
      if (cached === current) cached = undefined;
    });
    return current.schema;
  };
}
