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
import {
  type ArgumentReader,
  DEFAULT_LIST_SIZE,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  fieldWeightOf,
  type HeightRange,
  LEAF_COST,
  NO_CHAIN_FACTS,
  type PricingContext,
  WHOLE_BLOCK_COST,
} from './field-cost.ts';

/** An operation with the variables of a request. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What is fetched together: all that lies in some blocks, or transactions one by one. */
interface PricingScope {
  readonly inBlocks: boolean;
  /** How many blocks, or transactions, and in how many blocks those lie. */
  readonly count: number;
  readonly blocks: number;
  readonly isAssumed: boolean;
  /** Which blocks, where that is known. */
  readonly heights: HeightRange | undefined;
  readonly paid: Set<string>;
}

type AddressSource = (() => readonly string[] | undefined) | undefined;

/** Where the walk is: how many of these objects the response has, and how many distinct ones the node is asked about. */
interface PricingPosition {
  readonly type: GraphQLObjectType;
  readonly responseCount: number;
  readonly distinctCount: number;
  /** Whether those numbers are assumptions. */
  readonly isAssumed: boolean;
  /** The addresses that these objects can have, where the request names them. Read where they matter, since variables may decide them. */
  readonly addresses: AddressSource;
  readonly scope: PricingScope;
  /** The names of the fields that lead here; empty unless costs are reported by path. */
  readonly path: string;
}

/**
 * Estimates the cost of an operation before anything is requested. Two sums: what may refuse the operation, and the calls that follow
 * from lists whose length is an assumption.
 */
export class CostEstimate {
  /** Calls that the request states, and values in the response: nothing counts those while the operation runs. */
  statedCost = 0;
  /** Calls whose number is assumed. They are counted while the operation runs. */
  assumedCost = 0;
  /** Whether other variables would make another cost. */
  dependsOnVariables = false;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #pricing: PricingContext;
  readonly #weights: FieldWeights;
  /** Takes the stated costs by path, where given. */
  readonly #byPath: Map<string, number> | undefined;
  readonly #countedAddresses = new Set<string>();

  constructor(
    { schema, document, operation, variables }: PricedOperation,
    pricing: PricingContext,
    weights: FieldWeights,
    byPath?: Map<string, number>,
  ) {
    this.#weights = weights;
    this.#fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    this.#variables = variablesWithDefaults(operation, variables);
    this.#pricing = pricing;
    this.#byPath = byPath;
    const type = schema.getRootType(operation.operation);
    if (!type) return;
    const scope = { inBlocks: false, count: 1, blocks: 1, isAssumed: false, heights: undefined, paid: new Set<string>() };
    const root = { type, responseCount: 1, distinctCount: 1, isAssumed: false, addresses: undefined, scope, path: '' };
    this.#visitSelections(operation.selectionSet, root);
  }

  get total(): number {
    return Math.ceil(this.statedCost + this.assumedCost);
  }

  /** Each name once and fragments opened as they are met; MAX_SELECTIONS keeps the walk short, MAX_DEPTH flat. */
  #visitSelections(selectionSet: SelectionSetNode, place: PricingPosition): void {
    for (const node of selectionSet.selections) {
      if (this.#isSkipped(node)) continue;
      if (node.kind === Kind.FIELD) this.#visitField(node, place);
      else this.#visitSelections(this.#selectionSetOf(node), place);
    }
  }

  #visitField(node: FieldNode, place: PricingPosition): void {
    const name = node.name.value;
    const field = fieldDefinition(place.type, name);
    if (!field) {
      this.#add(LEAF_COST * place.responseCount, false, place.path);
      return;
    }
    const weight = fieldWeightOf(this.#weights, place.type.name, name) ?? FREE_FIELD;
    const args: ArgumentReader = (wanted) => this.#argument(node.arguments, wanted);
    const { scope } = place;
    const isList = weight.size === undefined && isListType(getNullableType(field.type));
    const size = isList ? DEFAULT_LIST_SIZE : this.#sizeOf(weight, args, scope);
    const isAssumed = place.isAssumed || isList || weight.isAssumed === true || typeof weight.size === 'number';
    const named = weight.addresses;
    const addresses: AddressSource = typeof named === 'function' ? () => named(args) : named && place.addresses;
    const most = weight.assumedDistinct && (addresses?.()?.length ?? weight.assumedDistinct);
    const responseCount = place.responseCount * size;
    const asked = Math.min(place.distinctCount * size, most ?? Number.POSITIVE_INFINITY);
    const path = this.#byPath ? (place.path ? `${place.path}.${name}` : name) : '';
    this.#add(LEAF_COST * responseCount, false, path);
    this.#add((weight.fixedCalls ?? 0) * place.distinctCount, place.isAssumed, path);
    const selected = node.selectionSet;
    const isLink = weight.knownFields !== undefined && name === 'block';
    // A link back into the block that all of this lies in leads to nothing new.
    const back = isLink && scope.inBlocks;
    const isKnown = weight.knownFields !== undefined && selected !== undefined && this.#isWithin(selected, weight.knownFields);
    const different = isLink ? scope.blocks : asked;
    const differentIsAssumed = isLink ? scope.isAssumed : isAssumed;
    if (!back && !isKnown) {
      this.#add((weight.calls ?? 0) * different, differentIsAssumed, path);
      if (weight.callsPerAddress)
        this.#add(weight.callsPerAddress * this.#newAddressCount(addresses?.(), asked), isAssumed, path);
    }
    if (weight.needs) this.#addOnce(weight.needs, scope, path);
    const target = getNamedType(field.type);
    if (!selected || !isObjectType(target)) return;
    let next = scope;
    if (back) next = { ...scope, heights: scope.heights && { ...scope.heights, isNested: true } };
    else if (weight.leadsTo) next = this.#scopeOf(weight, different, differentIsAssumed, args);
    this.#visitSelections(selected, {
      type: target,
      responseCount,
      distinctCount: isLink ? different : asked,
      isAssumed,
      addresses,
      scope: next,
      path,
    });
  }

  #add(cost: number, isAssumed: boolean, path: string): void {
    if (isAssumed) this.assumedCost += cost;
    else {
      this.statedCost += cost;
      this.#byPath?.set(path, (this.#byPath.get(path) ?? 0) + cost);
    }
  }

  #sizeOf({ size }: FieldWeight, args: ArgumentReader, { heights }: PricingScope): number {
    return typeof size === 'function' ? size(args, this.#pricing, heights) : (size ?? 1);
  }

  #scopeOf({ leadsTo, blockCount, heights }: FieldWeight, count: number, isAssumed: boolean, args: ArgumentReader): PricingScope {
    return {
      inBlocks: leadsTo === 'to blocks',
      count,
      blocks: blockCount ? Math.min(count, blockCount(args, this.#pricing)) : count,
      isAssumed,
      heights: this.#pricing.facts === NO_CHAIN_FACTS ? undefined : heights?.(args, this.#pricing),
      paid: new Set(),
    };
  }

  /** Once for each scope: equal calls of an operation are one. */
  #addOnce(what: string, { inBlocks, count, isAssumed, paid }: PricingScope, path: string): void {
    if (paid.has(what)) return;
    paid.add(what);
    this.#add(count * (inBlocks ? WHOLE_BLOCK_COST : 1), isAssumed, path);
  }

  /** How many of these addresses nothing has been paid for yet; as many as there are objects where none is named. */
  #newAddressCount(names: readonly string[] | undefined, asked: number): number {
    if (!names) return asked;
    const before = this.#countedAddresses.size;
    for (const name of names) this.#countedAddresses.add(name.toLowerCase());
    return this.#countedAddresses.size - before;
  }

  #selectionSetOf(node: Exclude<SelectionNode, FieldNode>): SelectionSetNode {
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
    return fragment?.selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] };
  }

  #isWithin(selectionSet: SelectionSetNode, names: ReadonlySet<string>): boolean {
    return selectionSet.selections.every((node) =>
      node.kind === Kind.FIELD ? names.has(node.name.value) : this.#isWithin(this.#selectionSetOf(node), names),
    );
  }

  #isSkipped({ directives }: SelectionNode): boolean {
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

function fieldDefinition(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === '__schema') return SchemaMetaFieldDef;
  if (name === '__type') return TypeMetaFieldDef;
  return type.getFields()[name];
}

/** Variables with their defaults, as they came. */
function variablesWithDefaults(
  { variableDefinitions }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = (variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue && 'value' in defaultValue ? [[variable.name.value, defaultValue.value] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}
