import {
  type ArgumentNode,
  buildASTSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;
type Annotated = { readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] } | null | undefined };
type Sizes = Readonly<Record<string, number>>;

/** Cost of a mutation, in addition to the cost of its fields. */
const PUBLISHED_MUTATION_COST = 10;

/**
 * Estimates the cost of an operation from `@cost` and `@listSize` alone, by the algorithm that Apollo documents as demand control. Written against
 * that documentation; it shares no code with the server.
 */
export function createPublishedEstimate(sdl: DocumentNode, defaultListSize: number) {
  const schema = buildASTSchema(sdl, { assumeValidSDL: true });

  return (document: DocumentNode, operation: OperationDefinitionNode, given: Variables): number => {
    const variables = { ...given };
    for (const { variable, defaultValue } of operation.variableDefinitions ?? [])
      if (defaultValue && !(variable.name.value in given)) variables[variable.name.value] = valueFromASTUntyped(defaultValue);
    const base = operation.operation === 'mutation' ? PUBLISHED_MUTATION_COST : 0;
    return base + costOfSelections(operation.selectionSet, schema.getRootType(operation.operation)!, {});

    function costOfSelections(selectionSet: SelectionSetNode, type: GraphQLNamedType, sizes: Sizes): number {
      return selectionSet.selections.reduce((sum, node) => sum + (isIncluded(node) ? costOfSelection(node, type, sizes) : 0), 0);
    }

    function costOfSelection(node: SelectionNode, type: GraphQLNamedType, sizes: Sizes): number {
      if (node.kind === Kind.FIELD) return node.name.value === '__typename' ? 0 : costOfField(node, type, sizes);
      const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
      const fragment = name
        ? document.definitions.find((one) => 'name' in one && one.name?.value === name && one.kind === Kind.FRAGMENT_DEFINITION)
        : node;
      const { selectionSet, typeCondition } = fragment as FragmentDefinitionNode;
      return costOfSelections(selectionSet, (typeCondition && schema.getType(typeCondition.name.value)) ?? type, sizes);
    }

    function costOfField(node: FieldNode, parent: GraphQLNamedType, sizes: Sizes): number {
      const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
      if (!field) throw new Error(`${parent.name}.${node.name.value} is not in the SDL`);
      const returned = getNamedType(field.type);
      const { size, sizedFields } = listSizeOf(field, node);
      const count = isListType(getNullableType(field.type)) ? (sizes[field.name] ?? size ?? defaultListSize) : 1;
      const weight = weightOf(field) ?? weightOf(returned) ?? (isCompositeType(returned) ? 1 : 0);
      const below = Object.fromEntries(size === undefined ? [] : sizedFields.map((name) => [name, size]));
      const selections = node.selectionSet ? costOfSelections(node.selectionSet, returned, below) : 0;
      return count * (weight + selections) + costOfArguments(node, field.args);
    }

    function listSizeOf(field: Annotated & { readonly args: readonly GraphQLArgument[] }, node: FieldNode) {
      const {
        assumedSize,
        slicingArguments = [],
        sizedFields = [],
        requireOneSlicingArgument = true,
      } = argumentsOf(field, 'listSize');
      const stated = (slicingArguments as string[]).flatMap((name) => {
        const argument = node.arguments?.find((one) => one.name.value === name);
        const value = (argument && valueOfArgument(argument)) ?? field.args.find((one) => one.name === name)?.defaultValue;
        return typeof value === 'number' ? [value] : [];
      });
      if (slicingArguments && (slicingArguments as string[]).length > 0 && requireOneSlicingArgument && stated.length !== 1)
        throw new Error('Exactly one slicing argument is required');
      const size = stated.length > 0 ? Math.max(...stated) : (assumedSize as number | undefined);
      return { size, sizedFields: sizedFields as string[] };
    }

    function costOfArguments(node: FieldNode, args: readonly GraphQLArgument[]): number {
      return (node.arguments ?? []).reduce((sum, argument) => {
        const definition = args.find(({ name }) => name === argument.name.value)!;
        return sum + costOfInput(valueOfArgument(argument), definition, definition.type);
      }, 0);
    }

    function costOfInput(value: unknown, definition: GraphQLArgument | GraphQLInputField, type: GraphQLInputType): number {
      if (value === null || value === undefined) return 0;
      const named = getNamedType(type);
      const weight = weightOf(definition) ?? weightOf(named);
      if (Array.isArray(value)) return value.reduce((sum, item) => sum + costOfInput(item, definition, type), weight ?? 0);
      if (!isInputObjectType(named)) return weight ?? 0;
      return Object.entries(value).reduce((sum, [key, item]) => {
        const field = named.getFields()[key]!;
        return sum + costOfInput(item, field, field.type);
      }, weight ?? 1);
    }

    function isIncluded({ directives = [] }: SelectionNode): boolean {
      return directives.every(({ name, arguments: args }) => valueOfArgument(args![0]!) === (name.value === 'include'));
    }

    function valueOfArgument({ value }: ArgumentNode): unknown {
      return valueFromASTUntyped(value, variables);
    }
  };

  function argumentsOf({ astNode }: Annotated, directive: string): Readonly<Record<string, unknown>> {
    const node = astNode?.directives?.find(({ name }) => name.value === directive);
    return Object.fromEntries((node?.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));
  }

  function weightOf(annotated: Annotated): number | undefined {
    return argumentsOf(annotated, 'cost').weight as number | undefined;
  }
}
