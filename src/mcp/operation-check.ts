import { type DocumentNode, type GraphQLError, type GraphQLSchema, getOperationAST, parse } from 'graphql';
import type { DocumentLimits } from '../graphql/validation/document-limits.ts';
import { validateDocument } from '../graphql/validation/validate-document.ts';
import { GraphError } from '../lib/errors.ts';

/** Maximum number of tokens in a document; the graph has a limit of its own, MAX_TOKENS. */
const MAX_DOCUMENT_TOKENS = 20_000;

/** Parses a document, and finds the type of its operation that a request executes. Throws GRAPHQL_PARSE_FAILED, or OPERATION_RESOLUTION_FAILURE if no single operation has this name. */
export function readOperation(query: string, operationName: string | undefined) {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: MAX_DOCUMENT_TOKENS });
  } catch (error) {
    const { message, locations } = error as GraphQLError;
    const at = locations?.[0];
    throw new GraphError('GRAPHQL_PARSE_FAILED', at ? `${message} Line ${at.line}, column ${at.column}.` : message);
  }
  const operation = getOperationAST(document, operationName);
  if (operation) return { document, type: operation.operation };
  const advice = 'Pass a document with one operation, or the name of one in operationName.';
  throw new GraphError(
    'OPERATION_RESOLUTION_FAILURE',
    operationName === undefined ? `No single operation. ${advice}` : `No operation has the name "${operationName}". ${advice}`,
  );
}

const MAX_PROBLEMS = 10;

/** Validates a document as the graph does; returns at most ten problems in the format of GraphQL errors. Throws QUERY_TOO_COMPLEX for a document beyond a limit. */
export function validationProblems(schema: GraphQLSchema, document: DocumentNode, limits: DocumentLimits) {
  return validateDocument(schema, document, limits, MAX_PROBLEMS)
    .slice(0, MAX_PROBLEMS)
    .map(({ message, locations = [] }) => ({
      message,
      locations: locations.map(({ line, column }) => ({ line, column })),
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    }));
}
