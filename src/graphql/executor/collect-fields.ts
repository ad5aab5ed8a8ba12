import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql';

/** Returns every selection of a root field, whatever its `@skip` and `@include`, visiting each fragment once. */
export function rootFieldNodes(
  { selections }: SelectionSetNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  visited: Set<string> = new Set(),
): readonly FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFieldNodes(node.selectionSet, fragments, visited);
    const fragment = fragments[node.name.value];
    if (!fragment || visited.has(node.name.value)) return [];
    visited.add(node.name.value);
    return rootFieldNodes(fragment.selectionSet, fragments, visited);
  });
}

/** State that all executions of an operation with the same values of `@skip` and `@include` share. */
export interface CompileContext {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** Only the variables that `@skip` and `@include` use. */
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** Collects the fields selected on an object of one type, by response key, in response order. */
export function collectSubfields(
  type: GraphQLObjectType,
  parents: readonly FieldNode[],
  context: CompileContext,
): Map<string, FieldNode[]> {
  return collectFields(
    type,
    parents.map(({ selectionSet }) => selectionSet?.selections ?? []),
    context,
  );
}

/** Collects the root fields of an operation. */
export const collectRootFields = (type: GraphQLObjectType, context: CompileContext): Map<string, FieldNode[]> =>
  collectFields(type, [context.operation.selectionSet.selections], context);

function collectFields(
  type: GraphQLObjectType,
  selections: readonly (readonly SelectionNode[])[],
  { schema, fragments, variableValues }: CompileContext,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visitedFragments = new Set<string>();
  const appliesTo = (name: string | undefined): boolean => {
    if (name === undefined || name === type.name) return true;
    const condition = schema.getType(name);
    return isAbstractType(condition) && schema.isSubType(condition, type);
  };
  const collect = (selection: readonly SelectionNode[]): void => {
    for (const node of selection) {
      if (isFragmentVisited(node, visitedFragments) || isSkipped(node, variableValues)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(node.typeCondition?.name.value)) collect(node.selectionSet.selections);
      } else {
        visitedFragments.add(node.name.value);
        const fragment = fragments[node.name.value];
        if (fragment && appliesTo(fragment.typeCondition.name.value)) collect(fragment.selectionSet.selections);
      }
    }
  };
  selections.forEach(collect);
  return fields;
}

/**
 * Whether a spread repeats a visited fragment. Its fields are collected once, and the directives of a repeated spread are not evaluated.
 */
export const isFragmentVisited = (node: SelectionNode, visitedFragments: ReadonlySet<string>): boolean =>
  node.kind === Kind.FRAGMENT_SPREAD && visitedFragments.has(node.name.value);

/** Whether `@skip` or `@include` excludes a selection. */
export const isSkipped = (node: SelectionNode, variableValues: Readonly<Record<string, unknown>>): boolean =>
  node.directives !== undefined &&
  node.directives.length > 0 &&
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if === false);

/** The definition of a field, introspection fields included. */
export function fieldDefinitionOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

const CONDITION_DIRECTIVES: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/** The variables used by `@skip` and `@include` in an operation or in any fragment of its document. */
export function conditionVariables(
  operation: OperationDefinitionNode,
  fragments: CompileContext['fragments'],
): readonly string[] {
  const names = new Set<string>();
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      Directive(directive) {
        if (CONDITION_DIRECTIVES.has(directive.name.value))
          visit(directive, { Variable: ({ name }) => void names.add(name.value) });
        return false;
      },
      VariableDefinition: () => false,
    });
  }
  return [...names];
}

/** Creates a function that returns whether an argument at or below a field uses a variable: such a field may differ between executions. */
export function createVariableDetector(fragments: CompileContext['fragments']): (node: FieldNode) => boolean {
  const cache = new Map<SelectionNode | FragmentDefinitionNode, boolean>();
  const usesVariable = (node: SelectionNode | FragmentDefinitionNode): boolean => {
    const cached = cache.get(node);
    if (cached !== undefined) return cached;
    // Directives are ignored: their variables have the same values in all executions of a compiled variant.
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
export const hasVariableArgument = ({ arguments: given }: FieldNode): boolean => !!given?.some(({ value }) => hasVariable(value));

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}

/** The root type of an operation; undefined when the schema has none of its kind. */
export const rootTypeOf = (schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType | undefined =>
  schema.getRootType(operation) ?? undefined;
