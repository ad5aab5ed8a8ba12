import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { memoizePerObject } from '../lib/memoize.ts';
import { CHAIN_ARGUMENT } from './stream.ts';

/** The part of an execution that decides which fields are selected. */
type SelectionContext = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>;

/** The fragments of a document by name. Without a prototype, because the client chooses the names, such as `constructor`. */
export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> => {
  const fragments = Object.create(null);
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  return fragments;
};

/** Fields of `Query` whose objects have the root fields of a chain. */
const CHAIN_FIELDS: ReadonlySet<string> = new Set(['chain', 'chains']);
const ENTITIES_FIELD = '_entities';
/** The type conditions, none included, below which `_entities` selects fields of a chain. */
const CHAIN_CONDITIONS: ReadonlySet<string | undefined> = new Set([undefined, '_Entity', 'ChainFields', 'Chain']);

/** Whether an operation names chains: in fields of `Query`, or in an argument of a mutation or a subscription. */
export const namesChains = (operation: OperationDefinitionNode, document: DocumentNode): boolean =>
  selectedRootFields(operation, document).namesChains || rootFieldNodes(operation, document).some(hasChainArgument);

/** Whether a field of a mutation or a subscription names its chain. */
export const hasChainArgument = ({ arguments: given = [] }: FieldNode): boolean =>
  given.some(({ name }) => name.value === CHAIN_ARGUMENT);

/** The root fields of an operation, and the fields of the chains that it names: in fields of `Query`, or as entities, as routers do. */
const selectedRootFields = memoizePerObject((operation: OperationDefinitionNode, document: DocumentNode) => {
  const fragments = fragmentsOf(document);
  const fieldsOf = (parents: readonly Pick<FieldNode, 'selectionSet'>[], appliesTo: (type: string | undefined) => boolean) =>
    [...collectFields(parents, { fragments }, fieldNameOf, appliesTo).values()].flat();
  const fields = fieldsOf([operation], () => true);
  const ofChains = fieldsOf(
    fields.filter(({ name }) => CHAIN_FIELDS.has(name.value)),
    () => true,
  );
  const ofEntities = fieldsOf(
    fields.filter(({ name }) => name.value === ENTITIES_FIELD),
    (type) => CHAIN_CONDITIONS.has(type),
  );
  return { all: [...fields, ...ofChains, ...ofEntities], namesChains: ofChains.length + ofEntities.length > 0 };
});

/**
 * Returns every selection of a root field, also of those of other chains, grouped by the name of the field, ignoring `@skip` and `@include`, visiting
 * each fragment once. Cached per operation.
 */
export const rootFieldNodes = (operation: OperationDefinitionNode, document: DocumentNode): readonly FieldNode[] =>
  selectedRootFields(operation, document).all;

/** The definition of a field, introspection fields included; undefined for a field that the schema does not define. */
export function fieldDefinitionOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Collects the fields selected on an object of one type, by response key, in response order. */
export const collectSubfields = (
  type: GraphQLObjectType,
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
  context: SelectionContext & Pick<GraphQLResolveInfo, 'schema'>,
): Map<string, FieldNode[]> =>
  collectFields(parents, context, responseKeyOf, (name) => {
    if (name === undefined || name === type.name) return true;
    const condition = context.schema.getType(name);
    return isAbstractType(condition) && context.schema.isSubType(condition, type);
  });

const responseKeyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/**
 * Collects the selected fields by key, in order. `appliesTo` decides by its type condition whether a fragment is expanded. Ignores `@skip` and
 * `@include` without `variableValues`.
 */
function collectFields(
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
  { fragments, variableValues }: Pick<SelectionContext, 'fragments'> & Partial<SelectionContext>,
  keyOf: (node: FieldNode) => string,
  appliesTo: (type: string | undefined) => boolean,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visitedFragments = new Set<string>();
  const collect = (selections: readonly SelectionNode[]): void => {
    for (const node of selections) {
      if (isFragmentVisited(node, visitedFragments) || isSkipped(node, variableValues)) continue;
      if (node.kind === Kind.FIELD) {
        const nodes = fields.get(keyOf(node));
        if (nodes) nodes.push(node);
        else fields.set(keyOf(node), [node]);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) visitedFragments.add(node.name.value);
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
      if (fragment && appliesTo(fragment.typeCondition?.name.value)) collect(fragment.selectionSet.selections);
    }
  };
  for (const { selectionSet } of parents) collect(selectionSet?.selections ?? []);
  return fields;
}

const fieldNameOf = ({ name }: FieldNode): string => name.value;

/**
 * Whether a spread repeats a visited fragment. The fields of the fragment are collected once, and the directives of a
 * repeated spread are not evaluated.
 */
const isFragmentVisited = (node: SelectionNode, visitedFragments: ReadonlySet<string>): boolean =>
  node.kind === Kind.FRAGMENT_SPREAD && visitedFragments.has(node.name.value);

/** Whether `@skip` or `@include` excludes a selection. */
const isSkipped = (node: SelectionNode, variableValues: SelectionContext['variableValues'] | undefined): boolean =>
  variableValues !== undefined &&
  node.directives !== undefined &&
  node.directives.length > 0 &&
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if === false);

/** The fields selected below a field, fragments expanded and `@skip` and `@include` applied. */
export class Selection {
  readonly #fields: Map<string, FieldNode[]>;
  readonly #info: GraphQLResolveInfo;

  constructor(fieldNodes: readonly FieldNode[], info: GraphQLResolveInfo) {
    this.#info = info;
    this.#fields = collectFields(fieldNodes, info, fieldNameOf, () => true);
  }

  /** Whether the field is selected. */
  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Whether any of the fields is selected. */
  hasAny(names: ReadonlySet<string>): boolean {
    return [...this.#fields.keys()].some((name) => names.has(name));
  }

  /** Whether no other fields than these and `__typename` are selected. */
  hasOnly(names: ReadonlySet<string>): boolean {
    return [...this.#fields.keys()].every((name) => name === '__typename' || names.has(name));
  }

  /** The selection below a field, all aliases merged; empty when the field is not selected. */
  subselection(name: string): Selection {
    return new Selection(this.nodes(name), this.#info);
  }

  /** All nodes of the field, with their arguments. */
  nodes(name: string): readonly FieldNode[] {
    return this.#fields.get(name) ?? [];
  }
}

/**
 * Selections that depend on variables only through `@skip` and `@include`, with the values of these variables. The
 * executor reuses the nodes of these selections for all executions of a document, so data derived from a selection can
 * be cached with its nodes.
 */
export const staticSelections = new WeakMap<readonly FieldNode[], GraphQLResolveInfo['variableValues']>();

/**
 * Memoizes a function of a field's selection. All executions of a document share the result if no variable affects the selection; otherwise all
 * items of a list share it in one execution. Uses one WeakMap entry per execution instead of one per field, since weak entries are expensive to garbage-collect.
 */
export function memoizePerSelection<T>(compute: (info: GraphQLResolveInfo) => T): (info: GraphQLResolveInfo) => T {
  const staticCache = new WeakMap<readonly FieldNode[], T>();
  const cacheOf = memoizePerObject((_execution: object) => new Map<readonly FieldNode[], T>());
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const staticVariables = staticSelections.get(fieldNodes);
    const cache = staticVariables ? staticCache : cacheOf(variableValues);
    const cached = cache.get(fieldNodes);
    if (cached !== undefined) return cached;
    // A static entry must not retain the other variables of one execution, which may be large.
    const value = compute(staticVariables ? { ...info, variableValues: staticVariables } : info);
    cache.set(fieldNodes, value);
    return value;
  };
}

/** The selection below the field that is being resolved. */
export const selectionOf = memoizePerSelection((info) => new Selection(info.fieldNodes, info));

/**
 * Narrows `info` of a field of an abstract type to the selection on one object type. Create it once per type, so that memoized values are
 * shared by all objects of the type.
 */
export function infoForType(info: GraphQLResolveInfo, type: GraphQLObjectType): GraphQLResolveInfo {
  const selections = [...collectSubfields(type, info.fieldNodes, info).values()].flat();
  const node: FieldNode = { ...info.fieldNodes[0]!, selectionSet: { kind: Kind.SELECTION_SET, selections } };
  return { ...info, fieldNodes: [node], returnType: type };
}
