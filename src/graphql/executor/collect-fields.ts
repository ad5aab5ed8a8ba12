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
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql';

/** What stays the same for all runs of an operation whose directives are decided alike. */
export interface CompileContext {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** Of the variables, those that decide `@skip` and `@include`, and nothing else. */
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** The fields selected on an object of one type, by the key under which they are answered, in the order of the answer. */
export function collectSubfields(
  type: GraphQLObjectType,
  parents: readonly FieldNode[],
  compiling: CompileContext,
): Map<string, FieldNode[]> {
  return collectFields(
    type,
    parents.map(({ selectionSet }) => selectionSet?.selections ?? []),
    compiling,
  );
}

/** The fields of an operation itself. */
export const collectRootFields = (type: GraphQLObjectType, compiling: CompileContext): Map<string, FieldNode[]> =>
  collectFields(type, [compiling.operation.selectionSet.selections], compiling);

function collectFields(
  type: GraphQLObjectType,
  selections: readonly (readonly SelectionNode[])[],
  { schema, fragments, variableValues }: CompileContext,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const opened = new Set<string>();
  const isFor = (name: string | undefined): boolean => {
    if (name === undefined || name === type.name) return true;
    const condition = schema.getType(name);
    return isAbstractType(condition) && schema.isSubType(condition, type);
  };
  const take = (nodes: readonly SelectionNode[]): void => {
    for (const node of nodes) {
      if (isFragmentVisited(node, opened) || isSkipped(node, variableValues)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const known = fields.get(key);
        if (known) known.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (isFor(node.typeCondition?.name.value)) take(node.selectionSet.selections);
      } else {
        opened.add(node.name.value);
        const fragment = fragments[node.name.value];
        if (fragment && isFor(fragment.typeCondition.name.value)) take(fragment.selectionSet.selections);
      }
    }
  };
  selections.forEach(take);
  return fields;
}

/** Whether a fragment has been opened before, so that its directives decide nothing any more. */
export const isFragmentVisited = (node: SelectionNode, opened: ReadonlySet<string>): boolean =>
  node.kind === Kind.FRAGMENT_SPREAD && opened.has(node.name.value);

/** Whether `@skip` or `@include` take a selection out. */
export const isSkipped = (node: SelectionNode, variableValues: Readonly<Record<string, unknown>>): boolean =>
  node.directives !== undefined &&
  node.directives.length > 0 &&
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if === false);

/** The definition of a field, also of those that every schema has. */
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

/** The variables that decide `@skip` and `@include` anywhere in an operation's document: true or false, or wrongly null. */
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

/** Tells whether an argument at or below a field takes a variable, so that what is asked there differs from run to run. */
export function createVariableDetector(fragments: CompileContext['fragments']): (node: FieldNode) => boolean {
  const known = new Map<SelectionNode | FragmentDefinitionNode, boolean>();
  const find = (node: SelectionNode | FragmentDefinitionNode): boolean => {
    const before = known.get(node);
    if (before !== undefined) return before;
    // What the directives decide is the same in all runs of what was compiled.
    const found =
      node.kind === Kind.FRAGMENT_SPREAD
        ? !!fragments[node.name.value] && find(fragments[node.name.value]!)
        : (node.kind === Kind.FIELD && hasVariableArgument(node)) || !!node.selectionSet?.selections.some(find);
    known.set(node, found);
    return found;
  };
  return find;
}

/** Whether an argument of the field itself takes a variable. */
export const hasVariableArgument = ({ arguments: given }: FieldNode): boolean => !!given?.some(({ value }) => hasVariable(value));

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}

/** The root type of an operation; undefined when the schema has none of its kind. */
export const rootTypeOf = (schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType | undefined =>
  schema.getRootType(operation) ?? undefined;
