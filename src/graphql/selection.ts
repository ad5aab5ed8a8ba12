import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, Kind, type SelectionNode } from 'graphql';
import { collectSubfields, isFragmentVisited, isSkipped } from './executor/collect-fields.ts';

/** The fields selected below a field, fragments expanded and `@skip` and `@include` applied. */
export class Selection {
  readonly #fields = new Map<string, FieldNode[]>();
  readonly #info: GraphQLResolveInfo;
  readonly #visitedFragments = new Set<string>();

  constructor(fieldNodes: readonly FieldNode[], info: GraphQLResolveInfo) {
    this.#info = info;
    for (const node of fieldNodes) this.#collect(node.selectionSet?.selections ?? []);
  }

  #collect(nodes: readonly SelectionNode[]): void {
    const { fragments, variableValues } = this.#info;
    for (const node of nodes) {
      if (isFragmentVisited(node, this.#visitedFragments) || isSkipped(node, variableValues)) continue;
      if (node.kind === Kind.FIELD) {
        const fields = this.#fields.get(node.name.value);
        if (fields) fields.push(node);
        else this.#fields.set(node.name.value, [node]);
      } else {
        if (node.kind === Kind.FRAGMENT_SPREAD) this.#visitedFragments.add(node.name.value);
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
        this.#collect(fragment?.selectionSet.selections ?? []);
      }
    }
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
 * Selections that depend on variables only through `@skip` and `@include`, with the values of these variables. The executor reuses the nodes of
 * such a selection for all executions of a document, so everything derived from it can be cached with them.
 */
export const staticSelections = new WeakMap<readonly FieldNode[], GraphQLResolveInfo['variableValues']>();

/**
 * Memoizes a function of a field's selection. All executions of a document share the result if no variable affects the selection; otherwise all
 * items of a list share it in one execution. Uses one WeakMap entry per execution instead of one per field, since weak entries are expensive to garbage-collect.
 */
export function memoizePerSelection<T>(compute: (info: GraphQLResolveInfo) => T): (info: GraphQLResolveInfo) => T {
  const staticCache = new WeakMap<readonly FieldNode[], T>();
  const executionCaches = new WeakMap<object, Map<readonly FieldNode[], T>>();
  const cacheOf = (execution: object): Map<readonly FieldNode[], T> => {
    const cache = executionCaches.get(execution) ?? new Map<readonly FieldNode[], T>();
    executionCaches.set(execution, cache);
    return cache;
  };
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const staticVariables = staticSelections.get(fieldNodes);
    const cache: SelectionCache<T> = staticVariables ? staticCache : cacheOf(variableValues);
    const cached = cache.get(fieldNodes);
    if (cached !== undefined) return cached;
    // A static entry must not retain the other variables of one execution, which may be large.
    const value = compute(staticVariables ? { ...info, variableValues: staticVariables } : info);
    cache.set(fieldNodes, value);
    return value;
  };
}

interface SelectionCache<T> {
  get(nodes: readonly FieldNode[]): T | undefined;
  set(nodes: readonly FieldNode[], value: T): unknown;
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
