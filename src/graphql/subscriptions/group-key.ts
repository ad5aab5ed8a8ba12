import { type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';
import { fragmentsOf } from '../executor/index.ts';
import type { GraphRequest, PreparedOperation } from '../pipeline/documents.ts';
import { RESUME_ARGUMENT } from '../stream.ts';

const keyVariablesCache = new WeakMap<OperationDefinitionNode, readonly string[]>();

/**
 * Names what is the same for all subscribers of equal operations: the document, the operation in it, the variables that decide what it
 * answers, and `scope`, what its caller may see. In the order of their definitions, since clients send variables in any.
 */
export function groupKey(prepared: PreparedOperation, variables: GraphRequest['variables'] = {}, scope: string): string {
  const { hash, operation } = prepared;
  const deciding = keyVariablesCache.get(operation) ?? keyVariables(prepared);
  keyVariablesCache.set(operation, deciding);
  const given = deciding.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : []));
  return JSON.stringify([hash, operation.name?.value ?? null, scope, given]);
}

/** The variables of a subscription without those that say nothing but where its subscriber goes on. */
function keyVariables({ document, operation }: PreparedOperation): readonly string[] {
  const fragments = fragmentsOf(document);
  const uses = new Map<string, number>();
  const count = (name: string, by: number): void => void uses.set(name, (uses.get(name) ?? 0) + by);
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      VariableDefinition: () => false,
      Variable: ({ name }) => count(name.value, 1),
    });
  }
  for (const { arguments: given } of rootFieldNodes(operation.selectionSet, fragments, new Set())) {
    const value = given?.find(({ name }) => name.value === RESUME_ARGUMENT)?.value;
    if (value?.kind === Kind.VARIABLE) count(value.name.value, -1);
  }
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  return names.filter((name) => uses.get(name) !== 0);
}

/** Every place where the root field is selected, each fragment once. */
function rootFieldNodes(
  { selections }: SelectionSetNode,
  fragments: ReturnType<typeof fragmentsOf>,
  opened: Set<string>,
): readonly FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFieldNodes(node.selectionSet, fragments, opened);
    const fragment = fragments[node.name.value];
    if (!fragment || opened.has(node.name.value)) return [];
    opened.add(node.name.value);
    return rootFieldNodes(fragment.selectionSet, fragments, opened);
  });
}
