import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
} from 'graphql';

/** The fields that an operation asks of one place in its answer: fragments opened, `@skip` and `@include` obeyed. */
export class Selection {
  readonly #fields = new Map<string, FieldNode[]>();
  readonly #info: GraphQLResolveInfo;
  /** A fragment adds its fields once, however often it is spread. */
  readonly #opened = new Set<string>();

  constructor(nodes: readonly FieldNode[], info: GraphQLResolveInfo) {
    this.#info = info;
    for (const node of nodes) this.#collect(node.selectionSet?.selections ?? []);
  }

  #collect(nodes: readonly SelectionNode[]): void {
    const { fragments, variableValues } = this.#info;
    for (const node of nodes) {
      if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if === false) continue;
      if (node.kind === Kind.FIELD) {
        const known = this.#fields.get(node.name.value);
        if (known) known.push(node);
        else this.#fields.set(node.name.value, [node]);
      } else {
        if (node.kind === Kind.FRAGMENT_SPREAD) {
          if (this.#opened.has(node.name.value)) continue;
          this.#opened.add(node.name.value);
        }
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
  within(names: ReadonlySet<string>): boolean {
    return [...this.#fields.keys()].every((name) => name === '__typename' || names.has(name));
  }

  /** What is asked below a field, all its aliases together; nothing when the field is not asked. */
  below(name: string): Selection {
    return new Selection(this.nodes(name), this.#info);
  }

  /** Every place where the field is asked, for its arguments. */
  nodes(name: string): readonly FieldNode[] {
    return this.#fields.get(name) ?? [];
  }
}

const selections = new WeakMap<readonly FieldNode[], Selection>();

/** What is asked below the field that is being resolved. The items of one list share their nodes, so it is read once a list. */
export function selectionOf(info: GraphQLResolveInfo): Selection {
  const known = selections.get(info.fieldNodes);
  if (known) return known;
  const selection = new Selection(info.fieldNodes, info);
  selections.set(info.fieldNodes, selection);
  return selection;
}
