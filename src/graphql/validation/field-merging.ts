import {
  type ArgumentNode,
  type DefinitionNode,
  type FieldNode,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  print,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  specifiedRules,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
} from 'graphql';

/** A field with its parent type; both types are undefined if the schema does not define them. */
interface ParentedField {
  readonly node: FieldNode;
  readonly parent: GraphQLType | undefined;
  readonly type: GraphQLOutputType | undefined;
}

/** Selection sets whose fields are merged into one object of the response. */
interface Level {
  readonly sources: readonly { readonly selectionSet: SelectionSetNode; readonly parent: GraphQLType | undefined }[];
  /** Whether the objects can be of different types, so that only the shapes of equal response names must agree. */
  readonly onlyShape: boolean;
}

const ADVICE = 'Use different aliases on the fields to fetch both if this was intentional.';

/**
 * Rejects fields with one response name that cannot be merged (GraphQL specification, 5.3.2). Replaces OverlappingFieldsCanBeMergedRule of
 * graphql-js, which compares all pairs: 270 ms for a document of 19 KB. This rule groups the fields by response name and compares each with
 * the first of its group, so that it is linear in the number of selections after expansion, which `documentLimitsRule` limits.
 */
export const fieldMergingRule: ValidationRule = (context) => ({
  Document: {
    leave({ definitions }) {
      // Another rule rejects them, and their expansion has no end.
      if (hasCyclicFragments(context, definitions)) return;
      const checker = new FieldMergingChecker(context);
      for (const definition of definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const parent = context.getSchema().getRootType(definition.operation) ?? undefined;
        checker.check({ sources: [{ selectionSet: definition.selectionSet, parent }], onlyShape: false });
      }
    },
  },
});

/** The rules of the specification, with `fieldMergingRule`. Validate only documents within `documentLimitError`, which limits their work. */
export const validationRules: readonly ValidationRule[] = [
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
  fieldMergingRule,
];

function hasCyclicFragments(context: ValidationContext, definitions: readonly DefinitionNode[]): boolean {
  const path = new Set<string>();
  const acyclic = new Set<string>();
  const isCyclic = (name: string): boolean => {
    if (path.has(name)) return true;
    const fragment = acyclic.has(name) ? undefined : context.getFragment(name);
    if (!fragment) return false;
    path.add(name);
    const found = context.getFragmentSpreads(fragment.selectionSet).some((spread) => isCyclic(spread.name.value));
    path.delete(name);
    acyclic.add(name);
    return found;
  };
  return definitions.some((node) => node.kind === Kind.FRAGMENT_DEFINITION && isCyclic(node.name.value));
}

class FieldMergingChecker {
  readonly #context: ValidationContext;
  readonly #argumentKeys = new Map<FieldNode, string>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  check(root: Level): void {
    const levels = [root];
    for (let level = levels.pop(); level; level = levels.pop()) {
      for (const [name, fields] of this.#fieldsByName(level)) {
        if (fields.length === 1 && !fields[0]!.node.selectionSet) continue;
        const groups = level.onlyShape ? [] : groupByObjectType(fields);
        const conflict = this.#findFieldConflict(groups) ?? findShapeConflict(fields);
        if (conflict) {
          const message = `Fields "${name}" conflict because ${conflict.reason}. ${ADVICE}`;
          this.#context.reportError(new GraphQLError(message, { nodes: conflict.nodes }));
          continue;
        }
        for (const group of groups) addLevel(levels, group, false);
        if (groups.length !== 1) addLevel(levels, fields, true);
      }
    }
  }

  #findFieldConflict(groups: readonly (readonly ParentedField[])[]): Conflict | undefined {
    for (const [first, ...others] of groups) {
      for (const { node } of others) {
        const nodes = [first!.node, node];
        const [name, otherName] = [first!.node.name.value, node.name.value];
        if (name !== otherName) return { reason: `"${name}" and "${otherName}" are different fields`, nodes };
        if (this.#argumentsKey(first!.node) !== this.#argumentsKey(node))
          return { reason: 'they have differing arguments', nodes };
      }
    }
    return undefined;
  }

  /** The fields of a level by response name, fragments expanded. Each fragment and each selection set is expanded once. */
  #fieldsByName({ sources }: Level): Map<string, ParentedField[]> {
    const fields = new Map<string, ParentedField[]>();
    const pending = [...sources];
    const expanded = new Set<SelectionSetNode>();
    // The list grows inside the loop.
    for (const { selectionSet, parent } of pending) {
      if (expanded.has(selectionSet)) continue;
      expanded.add(selectionSet);
      for (const node of selectionSet.selections) {
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value;
          const field = { node, parent, type: this.#typeOf(node, parent) };
          const group = fields.get(name);
          if (group) group.push(field);
          else fields.set(name, [field]);
        } else {
          const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#context.getFragment(node.name.value);
          if (fragment) pending.push({ selectionSet: fragment.selectionSet, parent: this.#conditionOf(fragment) ?? parent });
        }
      }
    }
    return fields;
  }

  #conditionOf({ typeCondition }: { readonly typeCondition?: { readonly name: { readonly value: string } } | undefined }) {
    return typeCondition && this.#context.getSchema().getType(typeCondition.name.value);
  }

  #typeOf({ name: { value: name } }: FieldNode, parent: GraphQLType | undefined): GraphQLOutputType | undefined {
    if (name === '__typename') return TypeNameMetaFieldDef.type;
    if (name === '__schema') return SchemaMetaFieldDef.type;
    if (name === '__type') return TypeMetaFieldDef.type;
    return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined;
  }

  #argumentsKey(node: FieldNode): string {
    if (!node.arguments || node.arguments.length === 0) return '';
    const key = this.#argumentKeys.get(node) ?? objectKey(node.arguments);
    this.#argumentKeys.set(node, key);
    return key;
  }
}

/** Why two fields cannot be merged. */
interface Conflict {
  readonly reason: string;
  readonly nodes: readonly FieldNode[];
}

/** Adds the level of the selection sets below fields that are merged. */
function addLevel(levels: Level[], fields: readonly ParentedField[], onlyShape: boolean): void {
  const sources = fields.flatMap(({ node: { selectionSet }, type }) =>
    selectionSet ? [{ selectionSet, parent: type && getNamedType(type) }] : [],
  );
  if (sources.length > 0) levels.push({ sources, onlyShape });
}

/** Groups fields that can belong to one object: those on one object type together with those on interfaces and unions. */
function groupByObjectType(fields: readonly ParentedField[]): readonly (readonly ParentedField[])[] {
  const types = new Set(fields.map(({ parent }) => parent).filter(isObjectType));
  if (types.size <= 1) return [fields];
  return [...types].map((type) => fields.filter(({ parent }) => parent === type || !isObjectType(parent)));
}

function findShapeConflict(fields: readonly ParentedField[]): Conflict | undefined {
  const known = fields.filter(({ type }) => type !== undefined);
  const [first] = known;
  for (const { node, type } of known)
    if (type !== first!.type && shapeOf(type!) !== shapeOf(first!.type!))
      return { reason: `they return conflicting types "${first!.type}" and "${type}"`, nodes: [first!.node, node] };
  return undefined;
}

/** The wrappers of a type with the name of its leaf type; all object types have the same shape. */
function shapeOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  return isLeafType(named) ? String(type) : String(type).replace(named.name, '{}');
}

/** Arguments or the fields of an object as text that does not depend on their order. */
const objectKey = (fields: readonly Pick<ArgumentNode, 'name' | 'value'>[]): string =>
  fields
    .map(({ name, value }) => `${name.value}:${valueKey(value)}`)
    .sort()
    .join();

function valueKey(value: ValueNode): string {
  if (value.kind === Kind.OBJECT) return `{${objectKey(value.fields)}}`;
  return value.kind === Kind.LIST ? `[${value.values.map(valueKey).join()}]` : print(value);
}
