import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { GraphError } from '../errors.ts';
import {
  type Args,
  type CostLimits,
  free,
  INTROSPECTION_WEIGHTS,
  LEAF,
  LIST,
  type Weight,
  type Weights,
  WHOLE_BLOCK,
} from './limits-weights.ts';

export type { CostLimits, Weights };

/** Fields of a block that whatever lies in it knows, so that a link costs nothing. */
const KNOWN_OF_BLOCK: ReadonlySet<string> = new Set(['number', 'hash', '__typename']);

/** What is fetched together: all that lies in some blocks, or transactions one by one. */
interface Scope {
  readonly inBlocks: boolean;
  /** How many blocks, or transactions, and in how many blocks those lie. */
  readonly count: number;
  readonly blocks: number;
  readonly paid: Set<string>;
}

/** Where the walk is: how many of these objects the answer has, and how many different ones the node is asked about. */
interface Place {
  readonly type: GraphQLObjectType;
  readonly shown: number;
  readonly asked: number;
  readonly scope: Scope;
}

/** What an operation costs at most, as far as that can be said before anything is asked: lists of unknown length are assumed. */
class Estimate {
  total = 0;
  /** Whether other variables would make another cost. */
  varies = false;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #limits: CostLimits;
  readonly #weights: Weights;

  constructor(
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: Readonly<Record<string, unknown>>,
    limits: CostLimits,
    weights: Weights,
  ) {
    this.#weights = weights;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#limits = limits;
  }

  /** Each name once and fragments opened as they are met; MAX_SELECTIONS keeps the walk short, MAX_DEPTH flat. */
  walk(selectionSet: SelectionSetNode, place: Place): void {
    for (const node of selectionSet.selections) {
      if (this.#isLeftOut(node)) continue;
      if (node.kind === Kind.FIELD) this.#field(node, place);
      else this.walk(this.#selected(node), place);
    }
  }

  #field(node: FieldNode, { type, shown, asked, scope }: Place): void {
    const name = node.name.value;
    const field = fieldOf(type, name);
    if (!field) {
      this.total += LEAF * shown;
      return;
    }
    const weight = this.#weights[`${type.name}.${name}`] ?? this.#weights[`${type.name}.*`] ?? free;
    const args: Args = (wanted) => this.#argument(node.arguments, wanted);
    const size = sizeOf(field, weight, args, this.#limits);
    const below = { shown: shown * size, asked: asked * size };
    this.total += LEAF * below.shown + (weight.search ?? 0) * asked;
    const target = getNamedType(field.type);
    const selected = node.selectionSet;
    const isLink = weight.known && name === 'block';
    // A way back into the block that all of this lies in leads to nothing new.
    const back = isLink && scope.inBlocks;
    const known = weight.known && selected !== undefined && this.#isWithin(selected, KNOWN_OF_BLOCK);
    const different = isLink ? scope.blocks : below.asked;
    if (!back && !known) this.total += (weight.calls ?? 0) * different;
    if (weight.needs) this.#pay(weight.needs, scope);
    if (!selected || !isObjectType(target)) return;
    const next = weight.leads && !back ? scopeOf(weight, different, args, this.#limits) : scope;
    this.walk(selected, { type: target, shown: below.shown, asked: isLink ? different : below.asked, scope: next });
  }

  /** Once for each scope: equal calls of an operation are one. */
  #pay(what: string, { inBlocks, count, paid }: Scope): void {
    if (paid.has(what)) return;
    paid.add(what);
    this.total += count * (inBlocks ? WHOLE_BLOCK : 1);
  }

  #selected(node: Exclude<SelectionNode, FieldNode>): SelectionSetNode {
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
    return fragment?.selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] };
  }

  #isWithin(selectionSet: SelectionSetNode, names: ReadonlySet<string>): boolean {
    return selectionSet.selections.every((node) =>
      node.kind === Kind.FIELD ? names.has(node.name.value) : this.#isWithin(this.#selected(node), names),
    );
  }

  #isLeftOut({ directives }: SelectionNode): boolean {
    return (directives ?? []).some(
      ({ name, arguments: given }) =>
        (name.value === 'skip' && this.#argument(given, 'if') === true) ||
        (name.value === 'include' && this.#argument(given, 'if') === false),
    );
  }

  #argument(given: readonly ArgumentNode[] | undefined, name: string): unknown {
    const node = given?.find((argument) => argument.name.value === name);
    return node && this.#value(node.value);
  }

  /** A value before it is converted; wrong ones are refused later, in the words of their type. */
  #value(node: ValueNode): unknown {
    switch (node.kind) {
      case Kind.VARIABLE:
        this.varies = true;
        return this.#variables[node.name.value];
      case Kind.OBJECT:
        return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#value(value)]));
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

function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === '__schema') return SchemaMetaFieldDef;
  if (name === '__type') return TypeMetaFieldDef;
  return type.getFields()[name];
}

function sizeOf(field: GraphQLField<unknown, unknown>, { size }: Weight, args: Args, limits: CostLimits): number {
  if (typeof size === 'function') return size(args, limits);
  return size ?? (isListType(getNullableType(field.type)) ? LIST : 1);
}

function scopeOf({ leads, blocks }: Weight, count: number, args: Args, limits: CostLimits): Scope {
  return {
    inBlocks: leads === 'to blocks',
    count,
    blocks: blocks ? Math.min(count, blocks(args, limits)) : count,
    paid: new Set(),
  };
}

/** Variables with their defaults, as they came. */
function givenVariables(
  { variableDefinitions }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = (variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue && 'value' in defaultValue ? [[variable.name.value, defaultValue.value] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/** Refuses an operation that costs more than it may. */
export type CostCheck = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
) => void;

/** A check that remembers the cost of the operations that it has met, where no variable decides it. */
export function costCheck(limits: CostLimits, domainWeights: Weights): CostCheck {
  const weights = { ...INTROSPECTION_WEIGHTS, ...domainWeights };
  const known = new WeakMap<OperationDefinitionNode, number>();
  const limit = limits.MAX_COST;
  return (schema, document, operation, variables) => {
    const actual = known.get(operation) ?? estimate(schema, document, operation, variables);
    if (actual <= limit) return;
    const message = `The operation would cost about ${actual} small calls to the node and the limit is ${limit} (MAX_COST); ask for fewer blocks, or for less of each.`;
    throw new GraphError('QUERY_TOO_COMPLEX', message, { limit, actual });
  };

  function estimate(...[schema, document, operation, variables]: Parameters<CostCheck>): number {
    const type = schema.getRootType(operation.operation);
    if (!type) return 0;
    const fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    const sum = new Estimate(fragments, givenVariables(operation, variables), limits, weights);
    const scope: Scope = { inBlocks: false, count: 1, blocks: 1, paid: new Set() };
    sum.walk(operation.selectionSet, { type, shown: 1, asked: 1, scope });
    const cost = Math.ceil(sum.total);
    if (!sum.varies) known.set(operation, cost);
    return cost;
  }
}
