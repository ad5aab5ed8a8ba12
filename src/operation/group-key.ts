import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { fragmentsOf, rootFieldNodes } from '../graphql/selection.ts';
import { START_ARGUMENTS } from '../graphql/stream.ts';
import { memoizePerObject } from '../lib/memoize.ts';
import type { PreparedOperation } from './request.ts';
import { verificationKey } from './trust.ts';

/**
 * Returns the key that equal subscriptions share: the key consists of the document, the operation in it, the variables
 * that affect its events in the order of their definitions, whether responses have `extensions.cost`, what is verified,
 * and the application whose data they contain.
 */
export function groupKey(prepared: Omit<PreparedOperation, 'variableValues'>): string {
  const { hash, document, operation, variables = {}, estimate, verify, caller } = prepared;
  const values = keyVariables(operation, document).flatMap((name) =>
    Object.hasOwn(variables, name) ? [[name, variables[name]]] : [],
  );
  const app = caller ? [caller.app ?? null] : null;
  return JSON.stringify([hash, operation.name?.value ?? null, estimate !== undefined, verificationKey(verify), app, values]);
}

/** Returns the names of the variables, except those used only as a start of the root field. */
const keyVariables = memoizePerObject((operation: OperationDefinitionNode, document: DocumentNode) => {
  const uses = new Map<string, number>();
  const count = (name: string, by: number): void => void uses.set(name, (uses.get(name) ?? 0) + by);
  for (const definition of [operation, ...Object.values(fragmentsOf(document))]) {
    visit(definition, { VariableDefinition: () => false, Variable: ({ name }) => count(name.value, 1) });
  }
  // A live query has no start: its arguments of these names select its result.
  for (const field of operation.operation === 'subscription' ? rootFieldNodes(operation, document) : []) {
    for (const { name, value } of field.arguments ?? [])
      if (START_ARGUMENTS.has(name.value) && value.kind === Kind.VARIABLE) count(value.name.value, -1);
  }
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  return names.filter((name) => uses.get(name) !== 0);
});
