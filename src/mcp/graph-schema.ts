import {
  buildClientSchema,
  type DocumentNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  getOperationAST,
  type IntrospectionQuery,
  parse,
} from 'graphql';
import type { DocumentLimits } from '../graphql/validation/document-limits.ts';
import { validateDocument } from '../graphql/validation/validate-document.ts';
import { withTimeout } from '../lib/abort.ts';
import { GraphError, isErrorCode } from '../lib/errors.ts';
import { ExpiringValue } from '../lib/expiring-value.ts';
import { type GraphClient, graphFailure, graphTimeout } from './graph-client.ts';

/** Limits the age of the cached schema, because a new version of the graph may run at its URL. */
const SCHEMA_TTL_MS = 5 * 60_000;
/** Timeout of the introspection. Several calls share it, so the end of one call must not abort it. */
const INTROSPECTION_TIMEOUT_MS = 15_000;

/** The query uses introspection, so that the settings of the graph decide whether clients can read the schema. */
const QUERY = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });

async function introspect(client: GraphClient): Promise<GraphQLSchema> {
  const run = (signal: AbortSignal) => client.execute({ query: QUERY }, signal);
  const { data, errors } = await withTimeout(INTROSPECTION_TIMEOUT_MS, run, graphTimeout);
  const error = errors?.[0];
  const code = error?.extensions?.code;
  if (error) throw graphFailure(isErrorCode(code) ? code : 'UPSTREAM_BAD_RESPONSE', error.message);
  try {
    return buildClientSchema(data as IntrospectionQuery);
  } catch (cause) {
    throw graphFailure('UPSTREAM_BAD_RESPONSE', 'The introspection of the graph is invalid. Set GRAPH_URL to a graph.', cause);
  }
}

/** Creates a reader of the schema of a graph, cached for five minutes. It rejects with the error of the graph, for example if INTROSPECTION is off. */
export function createSchemaSource() {
  const cached = new ExpiringValue<Promise<GraphQLSchema> | undefined>(undefined);
  const read = (client: GraphClient): Promise<GraphQLSchema> => {
    // The failure of another caller can be its own, such as its rate.
    if (cached.current) return cached.current.catch(() => read(client));
    const schema = introspect(client);
    cached.set(schema, SCHEMA_TTL_MS);
    schema.catch(() => cached.current === schema && cached.set(undefined, 0));
    return schema;
  };
  return read;
}

/** Maximum number of tokens in a document that the graph executes; the graph enforces its own MAX_TOKENS. */
const MAX_EXECUTED_TOKENS = 20_000;

/**
 * Parses a document, and finds the type of its operation that a request executes. Throws GRAPHQL_PARSE_FAILED, QUERY_TOO_COMPLEX for too many tokens,
 * or OPERATION_RESOLUTION_FAILURE if no single operation has this name.
 */
export function readOperation(query: string, operationName: string | undefined, maxTokens = MAX_EXECUTED_TOKENS) {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens });
  } catch (error) {
    if (error instanceof RangeError) throw new GraphError('QUERY_TOO_COMPLEX', 'The document is nested too deeply to be parsed.');
    if (/ more that \d+ tokens/.test(String(error)))
      throw new GraphError('QUERY_TOO_COMPLEX', `The document has more than ${maxTokens} tokens.`, { limit: maxTokens });
    throw new GraphError('GRAPHQL_PARSE_FAILED', String(error));
  }
  const operation = getOperationAST(document, operationName);
  if (operation) return { document, type: operation.operation };
  const problem = operationName === undefined ? 'No single operation.' : `No operation has the name "${operationName}".`;
  const advice = 'Pass a document with one operation, or the name of one in operationName.';
  throw new GraphError('OPERATION_RESOLUTION_FAILURE', `${problem} ${advice}`);
}

const MAX_PROBLEMS = 10;

/** Validates a document as the graph does; returns at most ten problems in the format of GraphQL errors. Throws QUERY_TOO_COMPLEX for a document beyond a limit. */
export function validationProblems(schema: GraphQLSchema, document: DocumentNode, limits: DocumentLimits) {
  return validateDocument(schema, document, limits, MAX_PROBLEMS)
    .slice(0, MAX_PROBLEMS)
    .map((error) => ({ ...error.toJSON(), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }));
}
