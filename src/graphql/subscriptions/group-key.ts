import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { fragmentsOf, rootFieldNodes } from '../selection.ts';
import { RESUME_ARGUMENT } from '../stream.ts';

/** The parts of a subscription that decide which group it joins. */
interface GroupedOperation {
  readonly document: DocumentNode;
  /** SHA-256 of the document's text, in hex. */
  readonly hash: string;
  readonly operation: OperationDefinitionNode;
  /** The variables as the client sent them, undeclared ones included. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

const keyVariablesCache = new WeakMap<OperationDefinitionNode, readonly string[]>();

/**
 * Returns the key that equal subscriptions share: the document, the operation in it, `scope`, and the variables that affect its
 * events, in the order of their definitions.
 */
export function groupKey(prepared: GroupedOperation, scope: string): string {
  const { hash, operation, variables = {} } = prepared;
  const names = keyVariablesCache.get(operation) ?? keyVariables(prepared);
  keyVariablesCache.set(operation, names);
  const values = names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : []));
  return JSON.stringify([hash, operation.name?.value ?? null, scope, values]);
}

/** Returns the names of the variables, except those used only as the root field's resume argument. */
function keyVariables({ document, operation }: GroupedOperation): readonly string[] {
  const fragments = fragmentsOf(document);
  const uses = new Map<string, number>();
  const count = (name: string, by: number): void => void uses.set(name, (uses.get(name) ?? 0) + by);
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      VariableDefinition: () => false,
      Variable: ({ name }) => count(name.value, 1),
    });
  }
  for (const field of rootFieldNodes(operation, fragments)) {
    const value = field.arguments?.find(({ name }) => name.value === RESUME_ARGUMENT)?.value;
    if (value?.kind === Kind.VARIABLE) count(value.name.value, -1);
  }
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  return names.filter((name) => uses.get(name) !== 0);
}
