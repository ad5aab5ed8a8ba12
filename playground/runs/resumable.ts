import { type ArgumentNode, type FieldNode, getOperationAST, Kind, type OperationDefinitionNode, parse, print } from 'graphql';
import { takesCursor } from '../../clients/js/src/documents.ts';

/** The field of an event that is its cursor, and the type of the argument `after`, by subscription. */
const CURSORS: Readonly<Record<string, { readonly field: string; readonly type: string }>> = {
  logs: { field: 'cursor', type: 'String' },
  logPages: { field: 'cursor', type: 'String' },
  newHeads: { field: 'hash', type: 'Bytes32' },
  webhookEvents: { field: 'id', type: 'ID' },
};

const isField = (node: { readonly kind: string }): node is FieldNode => node.kind === Kind.FIELD;

/**
 * A subscription as it is sent: with the variable `$after` for its argument `after`, so that `follow` resumes it without loss. Undefined if its
 * events have no cursor, or if it has a fixed one.
 */
export function withCursorVariable(query: string, operationName?: string | null): string | undefined {
  const document = parse(query);
  const operation = getOperationAST(document, operationName);
  const [root, ...others] = operation?.selectionSet.selections ?? [];
  if (operation?.operation !== 'subscription' || !root || !isField(root) || root.alias || others.length > 0) return undefined;
  const cursor = CURSORS[root.name.value];
  const hasCursor = root.selectionSet?.selections.some(
    (field) => isField(field) && !field.alias && field.name.value === cursor?.field,
  );
  if (!cursor || !hasCursor) return undefined;
  if (takesCursor(query)) return query;
  if (root.arguments?.some(({ name }) => name.value === 'after')) return undefined;
  const added = parse(`subscription ($after: ${cursor.type}) { ${root.name.value}(after: $after) }`)
    .definitions[0] as OperationDefinitionNode;
  const afterArguments = (added.selectionSet.selections[0] as FieldNode).arguments as readonly ArgumentNode[];
  const resumable: OperationDefinitionNode = {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), ...added.variableDefinitions!],
    selectionSet: {
      ...operation.selectionSet,
      selections: [{ ...root, arguments: [...(root.arguments ?? []), ...afterArguments] }],
    },
  };
  return print({ ...document, definitions: document.definitions.map((node) => (node === operation ? resumable : node)) });
}
