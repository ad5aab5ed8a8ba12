import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import { memoizePerObject } from '../../lib/memoize.ts';
import { hasChainArgument } from '../selection.ts';
import type { ArgumentValues, CompiledField, ExecutionContext, SelectedField } from './value-writer.ts';

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

type GivenArguments = CompiledField['given'];

const NO_ARGUMENTS: GivenArguments = { constants: Object.freeze({}) };

/** The arguments of a node by the definition of its field. */
const givenArgumentsOf = memoizePerObject((_node: FieldNode) => new Map<object, GivenArguments>());

/** The arguments of a field, shared by the fields that are compiled from one node: one for each spread of its fragment, and for each type. */
export function givenArguments({ definition, nodes: [node] }: SelectedField): GivenArguments {
  if (definition.args.length === 0) return NO_ARGUMENTS;
  const byDefinition = givenArgumentsOf(node!);
  const given = byDefinition.get(definition) ?? { constants: constantArguments(definition, node!) };
  byDefinition.set(definition, given);
  return given;
}

/** Undefined when the field uses a variable, or when the arguments are invalid: then each execution reports the error. */
function constantArguments(definition: SelectedField['definition'], node: FieldNode): ArgumentValues | undefined {
  if (hasVariableArgument(node)) return undefined;
  try {
    return Object.freeze(getArgumentValues(definition, node));
  } catch {
    return undefined;
  }
}

/** The arguments of a field that depend on variables, coerced once per execution. */
export function variableArguments(field: CompiledField, { argumentCache, variableValues }: ExecutionContext): ArgumentValues {
  const cached = argumentCache.get(field.given);
  if (cached) return cached;
  const given = variableValues as Record<string, unknown>;
  const values = Object.freeze(passedVariables(field, given) ?? getArgumentValues(field.definition, field.nodes[0]!, given));
  argumentCache.set(field.given, values);
  return values;
}

/** The arguments of a field to which only variables are passed, without the copies of graphql-js; undefined if any has another value or none. */
function passedVariables({ definition, nodes }: SelectedField, variableValues: Record<string, unknown>) {
  if (definition.args.some(({ defaultValue }) => defaultValue !== undefined)) return undefined;
  const values: Record<string, unknown> = {};
  for (const { name, value } of nodes[0]!.arguments!) {
    if (value.kind !== Kind.VARIABLE || !Object.hasOwn(variableValues, value.name.value)) return undefined;
    // The type of an argument may not accept null.
    if (variableValues[value.name.value] === null) return undefined;
    values[name.value] = variableValues[value.name.value];
  }
  return values;
}

/** The variables used by `@skip` and `@include` in an operation or in any fragment of its document. */
export function conditionVariables(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] {
  const names = new Set<string>();
  const addVariables = (directive: DirectiveNode): void => {
    if (CONDITION_DIRECTIVES.has(directive.name.value)) visit(directive, { Variable: ({ name }) => void names.add(name.value) });
  };
  for (const definition of [operation, ...Object.values(fragments)]) visit(definition, { Directive: addVariables });
  return [...names];
}

const CONDITION_DIRECTIVES: ReadonlySet<string> = new Set(['skip', 'include']);

/** Creates a function that returns whether an argument at or below a selection uses a variable. */
export function createVariableDetector(fragments: Fragments): (node: SelectionNode) => boolean {
  const cache = new Map<SelectionNode | FragmentDefinitionNode, boolean>();
  const usesVariable = (node: SelectionNode | FragmentDefinitionNode): boolean => {
    const cached = cache.get(node);
    if (cached !== undefined) return cached;
    // Directives are ignored: their variables have equal values in all executions of a compiled variant.
    const result =
      node.kind === Kind.FRAGMENT_SPREAD
        ? !!fragments[node.name.value] && usesVariable(fragments[node.name.value]!)
        : (node.kind === Kind.FIELD && hasVariableArgument(node)) || !!node.selectionSet?.selections.some(usesVariable);
    cache.set(node, result);
    return result;
  };
  return usesVariable;
}

/** Whether an argument of the field itself uses a variable. */
function hasVariableArgument({ arguments: given = [] }: FieldNode): boolean {
  const names = new Set<string>();
  for (const argument of given) visit(argument, { Variable: ({ name }) => void names.add(name.value) });
  return names.size > 0;
}

/** The execution of a root field: in the context of the chain that its arguments name. */
export async function runOfChain(field: CompiledField, run: ExecutionContext): Promise<ExecutionContext> {
  const { contextOf } = field.definition.extensions as { readonly contextOf?: (args: object, context: unknown) => unknown };
  if (!contextOf || !hasChainArgument(field.nodes[0]!)) return run;
  return { ...run, context: await contextOf(field.given.constants ?? variableArguments(field, run), run.context) };
}
