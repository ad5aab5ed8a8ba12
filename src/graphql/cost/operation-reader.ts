import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  type InlineFragmentNode,
  isAbstractType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { memoizePerObject } from '../../lib/memoize.ts';
import { fragmentsOf } from '../selection.ts';

/** A type whose fields can be selected. */
export type SelectedType = GraphQLObjectType | GraphQLInterfaceType;

/** An operation with the variables of a request. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Reads fragments, directives and arguments of an operation. Values are read before coercion; execution reports invalid
 * values.
 */
export class OperationReader {
  readonly schema: GraphQLSchema;
  /** Whether a value that was read may come from a variable. */
  dependsOnVariables = false;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #hasVariables: boolean;
  readonly #argumentValues = new Map<ArgumentNode, unknown>();

  constructor({ schema, document, operation, variables }: PricedOperation) {
    this.schema = schema;
    const { variableDefinitions = [] } = operation;
    this.#fragments = fragmentsOf(document);
    this.#hasVariables = variableDefinitions.length > 0;
    const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    );
    this.#variables = { ...Object.fromEntries(defaults), ...variables };
  }

  /** The fragment that is spread. */
  fragmentOf(node: Exclude<SelectionNode, FieldNode>): InlineFragmentNode | FragmentDefinitionNode {
    return node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments[node.name.value]!;
  }

  /**
   * The type whose fields a fragment selects on this type; undefined if the fragment selects no fields. On an
   * interface, the result is the type of the fragment. Below `_entities`, fragments select fields of several types.
   */
  typeWithin<Type extends GraphQLNamedType>(node: Exclude<SelectionNode, FieldNode>, type: Type) {
    const condition = this.fragmentOf(node).typeCondition?.name.value;
    if (condition === undefined || condition === type.name) return type;
    const conditionType = this.schema.getType(condition);
    if (isInterfaceType(type)) return conditionType as SelectedType | undefined;
    return isAbstractType(conditionType) && isObjectType(type) && this.schema.isSubType(conditionType, type) ? type : undefined;
  }

  /** Whether a selection on this type has no other fields than these. */
  isWithin(selectionSet: SelectionSetNode, type: GraphQLNamedType, names: ReadonlySet<string>): boolean {
    return selectionSet.selections.every((node) => {
      if (node.kind === Kind.FIELD) return names.has(node.name.value);
      const selected = this.typeWithin(node, type);
      return !selected || this.isWithin(this.fragmentOf(node).selectionSet, selected, names);
    });
  }

  /** Whether `@skip` or `@include` excludes a selection. */
  isSkipped({ directives }: SelectionNode): boolean {
    return (directives ?? []).some(
      ({ name, arguments: args }) =>
        (name.value === 'skip' && this.argument(args, 'if') === true) ||
        (name.value === 'include' && this.argument(args, 'if') === false),
    );
  }

  /** The value of an argument; undefined without one. A single item where the argument takes a list is returned as a list of one. */
  argument(nodes: readonly ArgumentNode[] | undefined, name: string, definitions: readonly GraphQLArgument[] = []): unknown {
    const node = nodes?.find((argument) => argument.name.value === name);
    if (!node) return undefined;
    // A list or an object may contain variables.
    this.dependsOnVariables ||= this.#hasVariables && COMPOSITE_KINDS.has(node.value.kind);
    if (!this.#argumentValues.has(node)) {
      const value = valueFromASTUntyped(node.value, this.#variables);
      const type = definitions.find((definition) => definition.name === name)?.type;
      const isItem = isListType(type && getNullableType(type)) && value !== null && value !== undefined && !Array.isArray(value);
      this.#argumentValues.set(node, isItem ? [value] : value);
    }
    return this.#argumentValues.get(node);
  }
}

const COMPOSITE_KINDS: ReadonlySet<string> = new Set([Kind.VARIABLE, Kind.LIST, Kind.OBJECT]);

const NO_COUNTS: ReadonlyMap<unknown, number> = new Map();

const countsByType = memoizePerObject((representations: object): ReadonlyMap<unknown, number> => {
  const counts = new Map<unknown, number>();
  for (const one of [representations].flat()) {
    const name = (one as { readonly __typename?: unknown } | null)?.__typename;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
});

/**
 * The number of representations by `__typename`, counted once for all fields that share the list. One object is a list of one. A text is none: it
 * fails before it is read.
 */
export const countRepresentations = (given: unknown): ReadonlyMap<unknown, number> =>
  typeof given === 'object' && given !== null ? countsByType(given) : NO_COUNTS;
