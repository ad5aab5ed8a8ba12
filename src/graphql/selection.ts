import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, Kind, type SelectionNode } from 'graphql';
import { collectSubfields, isFragmentVisited, isSkipped } from './executor/collect-fields.ts';

/** The fields that an operation asks of one place in its answer: fragments opened, `@skip` and `@include` obeyed. */
export class Selection {
  readonly #fields = new Map<string, FieldNode[]>();
  readonly #info: GraphQLResolveInfo;
  /** A fragment adds its fields once, however often it is spread. */
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
        const known = this.#fields.get(node.name.value);
        if (known) known.push(node);
        else this.#fields.set(node.name.value, [node]);
      } else {
        if (node.kind === Kind.FRAGMENT_SPREAD) this.#visitedFragments.add(node.name.value);
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
        this.#collect(fragment?.selectionSet.selections ?? []);
      }
    }
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  hasAny(names: ReadonlySet<string>): boolean {
    return [...this.#fields.keys()].some((name) => names.has(name));
  }

  /** Whether nothing is asked beyond these names. */
  hasOnly(names: ReadonlySet<string>): boolean {
    return [...this.#fields.keys()].every((name) => name === '__typename' || names.has(name));
  }

  /** What is asked below a field, all its aliases together; nothing when the field is not asked. */
  subselection(name: string): Selection {
    return new Selection(this.nodes(name), this.#info);
  }

  /** Every place where the field is asked, for its arguments. */
  nodes(name: string): readonly FieldNode[] {
    return this.#fields.get(name) ?? [];
  }
}

/**
 * Fields whose selection is the same whenever they run again: the executor keeps them with the document, and below them variables
 * decide nothing but directives, which were decided with these values.
 */
export const staticSelections = new WeakMap<readonly FieldNode[], GraphQLResolveInfo['variableValues']>();

/**
 * Makes what belongs to a field once for all items of a list, which share their nodes; once for all runs of the document where no
 * variable can change it, else it is forgotten with the execution. One weak entry an execution, not one a field: weak entries
 * are what a garbage collector finds dearest.
 */
export function memoizePerSelection<T>(make: (info: GraphQLResolveInfo) => T): (info: GraphQLResolveInfo) => T {
  const always = new WeakMap<readonly FieldNode[], T>();
  const executions = new WeakMap<object, Map<readonly FieldNode[], T>>();
  const madeIn = (execution: object): Map<readonly FieldNode[], T> => {
    const made = executions.get(execution) ?? new Map<readonly FieldNode[], T>();
    executions.set(execution, made);
    return made;
  };
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const decided = staticSelections.get(fieldNodes);
    const made: SelectionCache<T> = decided ? always : madeIn(variableValues);
    const known = made.get(fieldNodes);
    if (known !== undefined) return known;
    // What lasts must not keep the other variables, which may be large and belong to one run.
    const value = make(decided ? { ...info, variableValues: decided } : info);
    made.set(fieldNodes, value);
    return value;
  };
}

interface SelectionCache<T> {
  get(nodes: readonly FieldNode[]): T | undefined;
  set(nodes: readonly FieldNode[], value: T): unknown;
}

/** What is asked below the field that is being resolved. */
export const selectionOf = memoizePerSelection((info) => new Selection(info.fieldNodes, info));

/**
 * A field of an abstract type as it is for objects of one type: nothing is selected below it but what is asked of that type. For all
 * objects of one type the same `info` is to be used, so that what is made of it is made once.
 */
export function infoForType(info: GraphQLResolveInfo, type: GraphQLObjectType): GraphQLResolveInfo {
  const selections = [...collectSubfields(type, info.fieldNodes, info).values()].flat();
  const node: FieldNode = { ...info.fieldNodes[0]!, selectionSet: { kind: Kind.SELECTION_SET, selections } };
  return { ...info, fieldNodes: [node], returnType: type };
}
