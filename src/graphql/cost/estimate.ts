import {
  type FieldNode,
  type GraphQLField,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { fieldDefinitionOf } from '../selection.ts';
import { CountedKeys } from './counted-keys.ts';
import {
  type ArgumentReader,
  argumentCost,
  type CallCount,
  DEFAULT_LIST_SIZE,
  entityWeightName,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  fieldWeightOf,
  LEAF_COST,
  leafCost,
  type PricingContext,
  type SharedCall,
} from './field-cost.ts';
import { countRepresentations, OperationReader, type PricedOperation, type SelectedType } from './operation-reader.ts';

/** The definition of a field, as far as its price depends on it. */
type PricedField = Pick<GraphQLField<unknown, unknown>, 'type' | 'args'>;

/** A set of objects that are requested together: the contents of some containers, or single items. */
interface PricingScope {
  readonly inContainers: boolean;
  /** Number of containers, or of single items. */
  readonly count: number;
  /** Number of containers of the objects. */
  readonly containers: number;
  readonly isAssumed: boolean;
  /** Calls whose cost is already counted for these objects. */
  readonly countedCalls: Set<SharedCall>;
}

type KeySource = (() => readonly string[] | undefined) | undefined;

/**
 * The current position of the traversal: the number of objects of `type` in the response, and the number of distinct
 * objects that are requested from an upstream.
 */
interface PricingPosition {
  readonly type: SelectedType;
  readonly responseCount: number;
  readonly distinctCount: number;
  /** Whether the two numbers are assumptions. */
  readonly isAssumed: boolean;
  /** The keys that these objects can have, if the request names them. Read lazily, since they may depend on variables. */
  readonly keys: KeySource;
  /** The keys that are counted in the chain of these objects. */
  readonly counted: CountedKeys;
  /** Set if the objects are connections: the lengths of their lists. */
  readonly connection?: { readonly sizedFields: readonly string[]; readonly size: number } | undefined;
  readonly scope: PricingScope;
  /** Names of the fields from the root; empty unless costs are reported by path. */
  readonly path: string;
}

/**
 * Estimates the cost of an operation before execution, as two sums: the stated cost, for which an operation may be rejected, and the cost of lists
 * whose length is an assumption. One class, because the traversal and its sums share all state.
 */
export class CostEstimate {
  /** Calls whose number the request states, and values in the response, which are not counted during execution. */
  statedCost = 0;
  /** Calls whose number is assumed. They are counted during execution. */
  assumedCost = 0;
  readonly #operation: OperationReader;
  readonly #pricing: PricingContext;
  readonly #weights: FieldWeights;
  /** Receives the stated costs by path, if given. */
  readonly #byPath: Map<string, number> | undefined;
  /** The counted keys of the chains that the operation names by their ids. */
  readonly #keysOfChains = new Map<number, CountedKeys>();

  constructor(priced: PricedOperation, pricing: PricingContext, weights: FieldWeights, byPath?: Map<string, number>) {
    this.#operation = new OperationReader(priced);
    this.#weights = weights;
    this.#pricing = pricing;
    this.#byPath = byPath;
    const { schema, operation } = priced;
    const type = schema.getRootType(operation.operation);
    if (!type) return;
    const scope = { inContainers: false, count: 1, containers: 1, isAssumed: false, countedCalls: new Set<SharedCall>() };
    const counts = { responseCount: 1, distinctCount: 1, isAssumed: false };
    const root = { type, ...counts, keys: undefined, counted: new CountedKeys(), scope, path: '' };
    this.#visitSelections(operation.selectionSet, root);
  }

  /** Whether the cost may differ with other variables. */
  get dependsOnVariables(): boolean {
    return this.#operation.dependsOnVariables;
  }

  get total(): number {
    return Math.ceil(this.statedCost + this.assumedCost);
  }

  /** Visits fields, expanding fragments. MAX_SELECTIONS bounds the number of visits, MAX_DEPTH their depth. */
  #visitSelections(selectionSet: SelectionSetNode, position: PricingPosition): void {
    for (const node of selectionSet.selections) {
      if (this.#operation.isSkipped(node)) continue;
      if (node.kind === Kind.FIELD) this.#visitField(node, position);
      else {
        const type = this.#operation.typeWithin(node, position.type);
        // The fragments of an interface add up, as they do in routers, although each object has one type.
        if (type) this.#visitSelections(this.#operation.fragmentOf(node).selectionSet, { ...position, type });
      }
    }
  }

  #visitField(node: FieldNode, position: PricingPosition): void {
    const name = node.name.value;
    if (name === '__typename') {
      this.#add(LEAF_COST * position.responseCount, false, position.path);
      return;
    }
    const definition = fieldDefinitionOf(position.type, name)!;
    const target = getNamedType(definition.type);
    if (isUnionType(target)) this.#visitEntities(node, target, position);
    else this.#visitObjects(node, definition, fieldWeightOf(this.#weights, position.type.name, name) ?? FREE_FIELD, position);
  }

  /** The objects of `_entities`: for each entity type, one object for each of its representations. */
  #visitEntities(node: FieldNode, union: GraphQLUnionType, position: PricingPosition): void {
    const counts = countRepresentations(this.#operation.argument(node.arguments, 'representations'));
    let unknownCount = [...counts.values()].reduce((sum, count) => sum + count, 0);
    for (const type of this.#operation.schema.getPossibleTypes(union)) {
      const count = counts.get(type.name);
      if (count === undefined) continue;
      unknownCount -= count;
      const weight = this.#weights[entityWeightName(type.name)] ?? FREE_FIELD;
      this.#visitObjects(node, { type, args: [] }, weight, { ...position, responseCount: count, distinctCount: count });
    }
    this.#add(LEAF_COST * unknownCount, false, '_entities');
  }

  #visitObjects(node: FieldNode, { type, args: definitions }: PricedField, weight: FieldWeight, position: PricingPosition): void {
    const name = node.name.value;
    const args: ArgumentReader = (argument) => this.#operation.argument(node.arguments, argument, definitions);
    const { scope } = position;
    const sizedBy = position.connection?.sizedFields.includes(name) ? position.connection : undefined;
    const isList = !sizedBy && weight.size === undefined && isListType(getNullableType(type));
    const stated = isList ? DEFAULT_LIST_SIZE : this.#numberOf(weight.size ?? 1, args);
    const size = sizedBy?.size ?? (weight.sizedFields ? 1 : stated);
    const hasAssumedSize = typeof weight.size === 'object' ? weight.size.isAssumed === true : weight.size !== undefined;
    const isAssumed = position.isAssumed || isList || hasAssumedSize;
    const { keys: source, assumed, calls: callsPerKey } = weight.distinct ?? {};
    const keys: KeySource = typeof source === 'function' ? () => source(args) : source && position.keys;
    const maxDistinct = assumed && (keys?.()?.length ?? assumed);
    const responseCount = position.responseCount * size;
    const distinctCount = Math.min(position.distinctCount * size, maxDistinct ?? Number.POSITIVE_INFINITY);
    const path = this.#byPath ? (position.path ? `${position.path}.${name}` : name) : '';
    // The specification of `@cost` allows none on an interface: fields that return one include the values of its fields.
    if (!isInterfaceType(position.type)) this.#add(leafCost(weight) * responseCount, false, path);
    const perParent = this.#numberOf(weight.fixedCalls ?? 0, args) + argumentCost(weight, args);
    this.#add(perParent * position.distinctCount, position.isAssumed, path);
    const selected = node.selectionSet;
    const isLink = weight.returns === 'ownContainer';
    // A link back to the container that was fetched with these objects needs no call.
    const isLinkBack = isLink && scope.inContainers;
    const target = getNamedType(type);
    const isKnown =
      weight.knownFields !== undefined &&
      selected !== undefined &&
      this.#operation.isWithin(selected, target, weight.knownFields);
    const targetCount = isLink ? scope.containers : distinctCount;
    const isTargetAssumed = isLink ? scope.isAssumed : isAssumed;
    if (!isLinkBack && !isKnown) {
      this.#add((weight.calls ?? 0) * targetCount, isTargetAssumed, path);
      if (callsPerKey) this.#add(callsPerKey * position.counted.add(keys?.(), distinctCount), isAssumed, path);
    }
    if (weight.needs) this.#addOnce(weight.needs, scope, path);
    if (!selected || !(isObjectType(target) || isInterfaceType(target))) return;
    let next = scope;
    if (weight.returns && !isLinkBack) {
      // The items of a page are fetched one by one.
      const pageSize = weight.sizedFields && weight.returns === 'items' ? stated : 1;
      next = this.#scopeOf(weight, targetCount * pageSize, isTargetAssumed, args);
    }
    this.#visitSelections(selected, {
      type: target,
      responseCount,
      distinctCount: targetCount,
      isAssumed,
      keys,
      counted: target.name === 'Chain' ? this.#keysOfChain(args('id'), targetCount) : position.counted,
      connection: weight.sizedFields && { sizedFields: weight.sizedFields, size: stated },
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

  #numberOf(number: number | CallCount, args: ArgumentReader): number {
    return typeof number === 'object' ? number.of(args, this.#pricing) : number;
  }

  #scopeOf({ returns, size }: FieldWeight, count: number, isAssumed: boolean, args: ArgumentReader): PricingScope {
    const containers = typeof size === 'object' && size.containers?.(args, this.#pricing);
    return {
      inContainers: returns !== 'items',
      count,
      containers: typeof containers === 'number' ? Math.min(count, containers) : count,
      isAssumed,
      countedCalls: new Set(),
    };
  }

  /** Adds a call once per scope, since equal calls of an operation are deduplicated. */
  #addOnce(call: SharedCall, { inContainers, count, isAssumed, countedCalls }: PricingScope, path: string): void {
    if (countedCalls.has(call)) return;
    countedCalls.add(call);
    this.#add(count * (inContainers ? call.cost : 1), isAssumed, path);
  }

  /** The counted keys of the chain with this id, or of several chains without one. */
  #keysOfChain(given: unknown, count: number): CountedKeys {
    const id = Number(typeof given === 'object' ? undefined : given);
    const counted = this.#keysOfChains.get(id) ?? new CountedKeys(count);
    if (!Number.isNaN(id)) this.#keysOfChains.set(id, counted);
    return counted;
  }
}
