import {
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  type TypeNode,
  visit,
} from 'graphql';
import { entityWeightName, type FieldWeight, type FieldWeights, leafCost } from '../cost/field-cost.ts';
import { staticWeights } from '../cost/static-weights.ts';
import { type Annotated, isInaccessible, sdlSchema, withDirective } from './sdl.ts';

/** The weight in `@cost`, which is an integer, of a cost of 1 in the unit of MAX_COST. */
export const ROUTER_COST_UNIT = 1_000;

/**
 * Adds `@cost` and `@listSize` to the SDL of a subgraph, so that a router's demand control computes the price of an operation by `staticWeights`.
 * The weight of an object type is the lowest of the fields that return it; these fields have no weight of their own. An entity of another domain has
 * the weight 0.
 */
export function addCostDirectives(document: DocumentNode, weights: FieldWeights): DocumentNode {
  const { fields, types, inputs, inputTypes } = readPrices(document, weights);
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
        const price = fields.get(`${typeName}.${node.name.value}`);
        return price && !isInaccessible(node) ? withPrice(node, price, inputTypes) : undefined;
      },
    },
  });
}

/** Values of `@cost` by coordinate. */
interface Prices {
  readonly fields: ReadonlyMap<string, FieldPrice>;
  readonly types: ReadonlyMap<string, number>;
  /** Fields of input objects. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Names of all input objects. */
  readonly inputTypes: ReadonlySet<string>;
}

interface FieldPrice {
  /** Undefined where the weight of the type applies. */
  readonly cost: number | undefined;
  readonly weight: FieldWeight;
}

function readPrices(document: DocumentNode, weights: FieldWeights): Prices {
  const schema = sdlSchema(document);
  const all = Object.entries(staticWeights(schema, weights)).map(([coordinate, weight]) => {
    const field = fieldAt(schema, coordinate);
    return { coordinate, field, weight, cost: toInteger(leafCost(weight) + (weight.calls ?? 0)), type: getNamedType(field.type) };
  });
  const types = new Map<string, number>();
  const inputs = new Map<string, number>();
  // Composition takes the highest weight of a type, which must be that of its owner; the fields that return a reference have their own weight.
  const isReference = (type: GraphQLNamedType): boolean => isEntity(type) && weights[entityWeightName(type.name)] === undefined;
  for (const { field, weight, cost, type } of all) {
    if (isObjectType(type)) types.set(type.name, isReference(type) ? 0 : Math.min(cost, types.get(type.name) ?? cost));
    const { input } = weight;
    const inputType = input && getNamedType(field.args.find(({ name }) => name === input.argument)!.type);
    for (const key of input?.fields ?? []) inputs.set(`${inputType!.name}.${key}`, toInteger(input!.perValue));
  }
  const priceOf = (cost: number, type: string) => (types.get(type) === cost ? undefined : cost);
  return {
    fields: new Map(all.map(({ coordinate, weight, cost, type }) => [coordinate, { weight, cost: priceOf(cost, type.name) }])),
    types,
    inputs,
    inputTypes: new Set(Object.keys(schema.getTypeMap()).filter((name) => isInputObjectType(schema.getType(name)))),
  };
}

const isEntity = (type: GraphQLNamedType): boolean => !!type.astNode?.directives?.some(({ name }) => name.value === 'key');

function fieldAt(schema: GraphQLSchema, coordinate: string) {
  const [typeName, name] = coordinate.split('.') as [string, string];
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is not an object type`);
  return type.getFields()[name]!;
}

/** Rounds up, but not for the inexact sum of decimals. */
const toInteger = (cost: number): number => Math.ceil(cost * ROUTER_COST_UNIT - 1e-6);

function withPrice(
  node: FieldDefinitionNode,
  { cost, weight }: FieldPrice,
  inputTypes: ReadonlySet<string>,
): FieldDefinitionNode {
  const { fixedCalls, input, argumentCalls, size, sizedFields } = weight;
  const args = node.arguments?.map((argument) => {
    if (argument.name.value === argumentCalls?.argument) return withCost(argument, toInteger(argumentCalls.calls));
    if (fixedCalls && argument.name.value === input?.argument) return withCost(argument, toInteger(fixedCalls));
    // Routers count 1 for an input object without a cost, and a field can have a list of them.
    return inputTypes.has(namedTypeOf(argument.type)) ? withCost(argument, 0) : argument;
  });
  const priced = withCost({ ...node, ...(args && { arguments: args }) }, cost);
  if (typeof size !== 'object') return priced;
  // Routers take the default value of the argument. Hive Router ignores slicing arguments beside an assumed size.
  const length = size.slicingArguments
    ? { slicingArguments: size.slicingArguments, requireOneSlicingArgument: false }
    : { assumedSize: size.assumed };
  return withDirective(priced, 'listSize', { ...length, ...(sizedFields && { sizedFields }) });
}

const namedTypeOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type));

const withCost = <Node extends Annotated>(node: Node, weight: number | undefined): Node =>
  weight === undefined ? node : withDirective(node, 'cost', { weight });
