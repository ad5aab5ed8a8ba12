import {
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  visit,
} from 'graphql';
import {
  assumedNumber,
  DEFAULT_LIST_SIZE,
  entityWeightName,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  fieldWeightOf,
  leafCost,
  type SharedCall,
} from '../cost/field-cost.ts';
import { type Annotated, isInaccessible, sdlSchema, withDirective } from './sdl.ts';

/** The weight in `@cost`, which is an integer, of a cost of 1 in the unit of MAX_COST. */
export const ROUTER_COST_UNIT = 1_000;

interface FieldPrice {
  readonly field: GraphQLField<unknown, unknown>;
  readonly weight: FieldWeight;
  /** Value of `@cost`. */
  readonly cost: number;
}

/**
 * Adds `@cost` and `@listSize` to the SDL of a subgraph, so that a router's demand control can price an operation. Each
 * field has one price, independent of the other fields of the operation; only `slicingArguments` and the values of
 * input objects change the price. By these prices, an operation without `__typename` costs at least as much as in the
 * server; docs/costs.md lists the exceptions. The weight of an object type is the lowest price of the fields that
 * return it; fields with this price get no `@cost`. An entity of another domain has the weight 0.
 */
export function addCostDirectives(document: DocumentNode, weights: FieldWeights): DocumentNode {
  const prices = fieldPrices(sdlSchema(document), weights);
  const types = new Map<string, number>();
  const inputs = new Map<string, number>();
  for (const { field, weight, cost } of prices.values()) {
    const { name } = getNamedType(field.type);
    // Composition takes the highest weight of a type, which must be the weight that the owner of the type states.
    // Fields that return a reference have separate weights.
    const isReference = isEntity(getNamedType(field.type)) && weights[entityWeightName(name)] === undefined;
    types.set(name, isReference ? 0 : Math.min(cost, types.get(name) ?? cost));
    const { name: argumentName, input } = weight.argument ?? {};
    const inputType = input && getNamedType(field.args.find((argument) => argument.name === argumentName)!.type);
    for (const key of input?.fields ?? []) inputs.set(`${inputType!.name}.${key}`, toInteger(input!.perValue));
  }
  const priceOf = ({ field, cost }: FieldPrice): number | undefined => {
    const type = getNamedType(field.type);
    return isObjectType(type) && types.get(type.name) === cost ? undefined : cost;
  };
  let typeName = '';
  const enter = ({ name }: { readonly name: { readonly value: string } }) => {
    typeName = name.value;
  };
  return visit(document, {
    // The specification does not allow costs on interfaces.
    InterfaceTypeDefinition: () => false,
    ObjectTypeDefinition: { enter, leave: (node) => withCost(node, types.get(node.name.value)) },
    ObjectTypeExtension: { enter },
    InputObjectTypeDefinition: { enter },
    InputValueDefinition: (node) => withCost(node, inputs.get(`${typeName}.${node.name.value}`)),
    FieldDefinition: {
      leave(node) {
        const price = prices.get(`${typeName}.${node.name.value}`);
        return price && !isInaccessible(node) ? withPrice(node, price, priceOf(price)) : undefined;
      },
    },
  });
}

/** The prices of all fields of objects, by coordinate. */
function fieldPrices(schema: GraphQLSchema, weights: FieldWeights): ReadonlyMap<string, FieldPrice> {
  const fields = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) =>
      Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => {
        const weight = fieldWeightOf(weights, type.name, field.name) ?? FREE_FIELD;
        return { typeName: type.name, field, weight };
      }),
    );
  const neededCalls = new Map<string, Set<SharedCall>>();
  for (const { typeName, weight } of fields) {
    if (!weight.needs || typeof weight.size === 'object') continue;
    neededCalls.set(typeName, (neededCalls.get(typeName) ?? new Set()).add(weight.needs));
  }
  const neededBy = (type: GraphQLNamedType | undefined): readonly SharedCall[] => [...(neededCalls.get(type?.name ?? '') ?? [])];
  return new Map(
    fields.map(({ typeName, field, weight }) => {
      const cost = toInteger(leafCost(weight) + callsOf(field, weight, neededBy));
      return [`${typeName}.${field.name}`, { field, weight, cost }];
    }),
  );
}

/** The number of calls for a value of a field. `neededBy`: the calls that fetch a single object of a type. */
function callsOf(
  { type }: GraphQLField<unknown, unknown>,
  { calls = 0, fixedCalls = 0, referenceCalls = 0, size = DEFAULT_LIST_SIZE, sizedFields, ...weight }: FieldWeight,
  neededBy: (type: GraphQLNamedType | undefined) => readonly SharedCall[],
): number {
  const returned = getNamedType(type);
  const isList = isListType(getNullableType(type));
  const items = isList ? assumedNumber(size) : 1;
  // A single object is fetched with its own calls; the objects of a container share calls, and so do the objects of a page.
  const singleCalls = isList ? 0 : Math.max(neededBy(returned).length, referenceCalls);
  const list = sizedFields && isObjectType(returned) ? returned.getFields()[sizedFields[0]!] : undefined;
  const pageCalls = neededBy(list && getNamedType(list.type)).reduce((sum, { cost }) => sum + cost, 0);
  // `@cost` on a list is per item. Only an argument has a cost per call.
  const perItem = weight.argument?.input ? 0 : assumedNumber(fixedCalls) / items;
  // The call returns all objects of a container. Its cost is per item of this list, if the list is all of the
  // container's objects, or per object that has this field.
  const share = (weight.needs?.costPerObject ?? 0) / (typeof size === 'object' ? 1 : items);
  return calls + (weight.distinct?.calls ?? 0) + singleCalls + pageCalls + perItem + share;
}

const isEntity = (type: GraphQLNamedType): boolean => !!type.astNode?.directives?.some(({ name }) => name.value === 'key');

/** Rounds up, but ignores the rounding error of a sum of decimals. */
const toInteger = (cost: number): number => Math.ceil(cost * ROUTER_COST_UNIT - 1e-6);

function withPrice(node: FieldDefinitionNode, { field, weight }: FieldPrice, cost: number | undefined): FieldDefinitionNode {
  const { fixedCalls = 0, argument: { name, calls, input } = {}, size = DEFAULT_LIST_SIZE, sizedFields } = weight;
  const argumentCalls = calls ?? (input && assumedNumber(fixedCalls));
  const args = node.arguments?.map((argument, i) => {
    if (argumentCalls && argument.name.value === name) return withCost(argument, toInteger(argumentCalls));
    // Routers count 1 for an input object without a cost, and a field can have a list of input objects.
    return isInputObjectType(getNamedType(field.args[i]!.type)) ? withCost(argument, 0) : argument;
  });
  const priced = withCost({ ...node, ...(args && { arguments: args }) }, cost);
  if (!sizedFields && !isListType(getNullableType(field.type))) return priced;
  const slicingArguments = typeof size === 'object' && size.slicingArguments;
  // Routers take the default value of the argument. Hive Router ignores slicing arguments beside an assumed size.
  const length = slicingArguments ? { slicingArguments, requireOneSlicingArgument: false } : { assumedSize: assumedNumber(size) };
  return withDirective(priced, 'listSize', { ...length, ...(sizedFields && { sizedFields }) });
}

const withCost = <Node extends Annotated>(node: Node, weight: number | undefined): Node =>
  weight === undefined ? node : withDirective(node, 'cost', { weight });
