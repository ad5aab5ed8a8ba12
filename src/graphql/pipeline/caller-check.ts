import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { GraphError } from '../../errors.ts';
import { rootTypeOf } from '../executor/collect-fields.ts';
import { fragmentsOf } from '../executor/index.ts';
import { rootFieldNodes } from '../root-fields.ts';

/** Returns the root field of an operation that needs a caller; undefined if none does. */
export type FindAuthenticatedField = (document: DocumentNode, operation: OperationDefinitionNode) => string | undefined;

/** Creates a function that finds the authenticated root field of an operation, once for each parsed document. */
export function createAuthenticatedFieldFinder(
  schema: GraphQLSchema,
  authenticatedFields: ReadonlySet<string>,
): FindAuthenticatedField {
  const found = new WeakMap<OperationDefinitionNode, string | undefined>();
  return (document, operation) => {
    if (authenticatedFields.size === 0) return undefined;
    if (found.has(operation)) return found.get(operation);
    const type = rootTypeOf(schema, operation)?.name;
    const field = rootFieldNodes(operation.selectionSet, fragmentsOf(document))
      .map(({ name }) => `${type}.${name.value}`)
      .find((name) => authenticatedFields.has(name));
    found.set(operation, field);
    return field;
  };
}

/** UNAUTHENTICATED: the subject, such as a field, needs a caller. */
export const missingCallerError = (subject: string): GraphError =>
  new GraphError(
    'UNAUTHENTICATED',
    `${subject} needs a caller. Send an API key or a token in the header authorization (Bearer) or x-api-key; on a WebSocket, in connection_init.`,
  );
