import {
  type FieldNode,
  type GraphQLOutputType,
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
import { WHOLE_BLOCK_COST } from '../../ethereum/call-costs.ts';
import { fieldDefinitionOf } from '../selection.ts';
import {
  type ArgumentReader,
  argumentCost,
  DEFAULT_LIST_SIZE,
  entityWeightName,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  fieldWeightOf,
  inputCost,
  LEAF_COST,
  leafCost,
  type PricingContext,
} from './field-cost.ts';
import { OperationReader, type PricedOperation, type SelectedType } from './operation-reader.ts';

/** A set of objects that are requested together: the contents of some blocks, or single transactions. */
interface PricingScope {
  readonly inBlocks: boolean;
  /** Number of blocks, or of transactions. */
  readonly count: number;
  /** Number of blocks that contain the objects. */
  readonly blocks: number;
  readonly isAssumed: boolean;
  /** Calls whose cost is already counted for these objects. */
  readonly countedCalls: Set<string>;
}

type AddressSource = (() => readonly string[] | undefined) | undefined;

/**
 * The current position of the traversal: the number of objects of `type` in the response, and the number of distinct
 * objects that are requested from the node.
 */
interface PricingPosition {
  readonly type: SelectedType;
  readonly responseCount: number;
  readonly distinctCount: number;
  /** Whether the two numbers are assumptions. */
  readonly isAssumed: boolean;
  /**
   * The addresses that these objects can have, if the request names them. Read lazily, since the addresses may depend
   * on variables.
   */
  readonly addresses: AddressSource;
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
  readonly #countedAddresses = new Set<string>();
  /** Lists whose addresses are counted: many fields can use one variable. */
  readonly #countedLists = new Set<readonly string[]>();

  constructor(priced: PricedOperation, pricing: PricingContext, weights: FieldWeights, byPath?: Map<string, number>) {
    this.#operation = new OperationReader(priced);
    this.#weights = weights;
    this.#pricing = pricing;
    this.#byPath = byPath;
    const { schema, operation } = priced;
    const type = schema.getRootType(operation.operation);
    if (!type) return;
    const scope = { inBlocks: false, count: 1, blocks: 1, isAssumed: false, countedCalls: new Set<string>() };
    const root = { type, responseCount: 1, distinctCount: 1, isAssumed: false, addresses: undefined, scope, path: '' };
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
    const { type } = fieldDefinitionOf(position.type, name)!;
    const target = getNamedType(type);
    if (isUnionType(target)) this.#visitEntities(node, target, position);
    else this.#visitObjects(node, type, fieldWeightOf(this.#weights, position.type.name, name) ?? FREE_FIELD, position);
  }

  /** The objects of `_entities`: for each entity type, one object for each of its representations. */
  #visitEntities(node: FieldNode, union: GraphQLUnionType, position: PricingPosition): void {
    const representations = this.#operation.argument(node.arguments, 'representations');
    const names = (Array.isArray(representations) ? representations : []).map(
      (one) => (one as { readonly __typename?: unknown } | null)?.__typename,
    );
    let unknownCount = names.length;
    for (const type of this.#operation.schema.getPossibleTypes(union)) {
      const count = names.filter((name) => name === type.name).length;
      if (count === 0) continue;
      unknownCount -= count;
      const weight = this.#weights[entityWeightName(type.name)] ?? FREE_FIELD;
      this.#visitObjects(node, type, weight, { ...position, responseCount: count, distinctCount: count });
    }
    this.#add(LEAF_COST * unknownCount, false, '_entities');
  }

  #visitObjects(node: FieldNode, type: GraphQLOutputType, weight: FieldWeight, position: PricingPosition): void {
    const name = node.name.value;
    const args: ArgumentReader = (argument) => this.#operation.argument(node.arguments, argument);
    const { scope } = position;
    const sizedBy = position.connection?.sizedFields.includes(name) ? position.connection : undefined;
    const isList = !sizedBy && weight.size === undefined && isListType(getNullableType(type));
    const stated = isList ? DEFAULT_LIST_SIZE : this.#sizeOf(weight, args);
    const size = sizedBy?.size ?? (weight.sizedFields ? 1 : stated);
    const isAssumed = position.isAssumed || isList || weight.isAssumed === true || typeof weight.size === 'number';
    const { addresses: source } = weight;
    const addresses: AddressSource = typeof source === 'function' ? () => source(args) : source && position.addresses;
    const maxDistinct = weight.assumedDistinct && (addresses?.()?.length ?? weight.assumedDistinct);
    const responseCount = position.responseCount * size;
    const distinctCount = Math.min(position.distinctCount * size, maxDistinct ?? Number.POSITIVE_INFINITY);
    const path = this.#byPath ? (position.path ? `${position.path}.${name}` : name) : '';
    // The specification of `@cost` allows none on an interface: fields that return one include the values of its fields.
    if (!isInterfaceType(position.type)) this.#add(leafCost(weight) * responseCount, false, path);
    const requestCalls = weight.requestCalls?.(args, this.#pricing) ?? 0;
    const perParent = (weight.fixedCalls ?? 0) + requestCalls + inputCost(weight, args) + argumentCost(weight, args);
    this.#add(perParent * position.distinctCount, position.isAssumed, path);
    const selected = node.selectionSet;
    const isLink = weight.knownFields !== undefined && (name === 'block' || name === 'blockTimestamp');
    // A link back to the block that contains these objects needs no call.
    const isLinkBack = isLink && scope.inBlocks;
    const target = getNamedType(type);
    const isKnown =
      weight.knownFields !== undefined &&
      selected !== undefined &&
      this.#operation.isWithin(selected, target, weight.knownFields);
    const targetCount = isLink ? scope.blocks : distinctCount;
    const isTargetAssumed = isLink ? scope.isAssumed : isAssumed;
    if (!isLinkBack && !isKnown) {
      this.#add((weight.calls ?? 0) * targetCount, isTargetAssumed, path);
      if (weight.callsPerAddress)
        this.#add(weight.callsPerAddress * this.#newAddressCount(addresses?.(), distinctCount), isAssumed, path);
    }
    if (weight.needs) this.#addOnce(weight.needs, scope, path);
    if (!selected || !(isObjectType(target) || isInterfaceType(target))) return;
    let next = scope;
    if (weight.returns && !isLinkBack) {
      // The transactions of a page are fetched one by one.
      const pageSize = weight.sizedFields && weight.returns === 'transactions' ? stated : 1;
      next = this.#scopeOf(weight, targetCount * pageSize, isTargetAssumed, args);
    }
    this.#visitSelections(selected, {
      type: target,
      responseCount,
      distinctCount: targetCount,
      isAssumed,
      addresses,
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

  #sizeOf({ size }: FieldWeight, args: ArgumentReader): number {
    return typeof size === 'object' ? size.of(args, this.#pricing) : (size ?? 1);
  }

  #scopeOf({ returns, blockCount }: FieldWeight, count: number, isAssumed: boolean, args: ArgumentReader): PricingScope {
    return {
      inBlocks: returns === 'blocks',
      count,
      blocks: blockCount ? Math.min(count, blockCount(args, this.#pricing)) : count,
      isAssumed,
      countedCalls: new Set(),
    };
  }

  /** Adds a call once per scope, since equal calls of an operation are deduplicated. */
  #addOnce(call: string, { inBlocks, count, isAssumed, countedCalls }: PricingScope, path: string): void {
    if (countedCalls.has(call)) return;
    countedCalls.add(call);
    this.#add(count * (inBlocks ? WHOLE_BLOCK_COST : 1), isAssumed, path);
  }

  /**
   * The number of addresses that are not counted yet, at most the number of objects; the number of objects if the
   * request names no addresses.
   */
  #newAddressCount(addresses: readonly string[] | undefined, objectCount: number): number {
    if (!addresses) return objectCount;
    if (this.#countedLists.has(addresses)) return 0;
    this.#countedLists.add(addresses);
    const before = this.#countedAddresses.size;
    for (const address of addresses) this.#countedAddresses.add(address.toLowerCase());
    return Math.min(objectCount, this.#countedAddresses.size - before);
  }
}
