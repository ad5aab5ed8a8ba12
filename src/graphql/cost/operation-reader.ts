import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';

/** A type whose fields can be selected. */
export type SelectedType = GraphQLObjectType | GraphQLInterfaceType;

/** The definition of a field that a selection names; undefined for `__typename`. */
export function fieldDefinition(type: SelectedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === '__schema') return SchemaMetaFieldDef;
  if (name === '__type') return TypeMetaFieldDef;
  return type.getFields()[name];
}

/** An operation with the variables of a request. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

const EMPTY_FRAGMENT: InlineFragmentNode = {
  kind: Kind.INLINE_FRAGMENT,
  selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
};

/** Reads fragments, directives and arguments of an operation. Values are read before coercion; execution reports invalid ones. */
export class OperationReader {
  readonly schema: GraphQLSchema;
  /** Whether a value that was read comes from a variable. */
  dependsOnVariables = false;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #argumentValues = new Map<ArgumentNode, unknown>();

  constructor({ schema, document, operation, variables }: PricedOperation) {
    this.schema = schema;
    this.#fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    this.#variables = { ...this.#defaultsOf(operation), ...variables };
  }

  /** The fragment that is spread; an empty one if the document has none of that name. */
  fragmentOf(node: Exclude<SelectionNode, FieldNode>): InlineFragmentNode | FragmentDefinitionNode {
    return node.kind === Kind.INLINE_FRAGMENT ? node : (this.#fragments.get(node.name.value) ?? EMPTY_FRAGMENT);
  }

  /**
   * The type whose fields a fragment selects on this type; undefined if it selects none. On an interface, it is the type of the fragment. Below
   * `_entities`, fragments select fields of several types.
   */
  typeWithin<Type extends GraphQLNamedType>(
    node: Exclude<SelectionNode, FieldNode>,
    type: Type,
  ): Type | SelectedType | undefined {
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

  /** The value of an argument; undefined without one. */
  argument(nodes: readonly ArgumentNode[] | undefined, name: string): unknown {
    const node = nodes?.find((argument) => argument.name.value === name);
    if (!node) return undefined;
    if (!this.#argumentValues.has(node)) this.#argumentValues.set(node, this.#value(node.value));
    return this.#argumentValues.get(node);
  }

  /** The default values of the variables, before coercion. */
  #defaultsOf({ variableDefinitions }: OperationDefinitionNode): Record<string, unknown> {
    const defaults = (variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, this.#value(defaultValue)] as const] : [],
    );
    return Object.fromEntries(defaults);
  }

  #value(node: ValueNode): unknown {
    switch (node.kind) {
      case Kind.VARIABLE:
        this.dependsOnVariables = true;
        return this.#variables[node.name.value];
      case Kind.OBJECT:
        return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#value(value)]));
      case Kind.LIST:
        return node.values.map((value) => this.#value(value));
      case Kind.INT:
      case Kind.STRING:
      case Kind.BOOLEAN:
      case Kind.ENUM:
        return node.value;
      default:
        return undefined;
    }
  }
}
