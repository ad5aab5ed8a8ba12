import { type DocumentNode, type GraphQLSchema, getOperationAST, getVariableValues } from 'graphql';

interface RequestInput {
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** The arguments of the executor for a document; undefined if it has no such operation or a variable is invalid. */
export function executionRequest(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variables = {}, operationName }: RequestInput = {},
) {
  const operation = getOperationAST(document, operationName);
  if (!operation || !schema.getRootType(operation.operation)) return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 });
  return coerced && { document, operation, variableValues: coerced };
}
