import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { RECEIPT_IN_BLOCK_COST, WHOLE_BLOCK_COST } from '../../ethereum/call-costs.ts';
import {
  type ArgumentReader,
  DEFAULT_LIST_SIZE,
  type FieldWeight,
  type FieldWeights,
  FREE_FIELD,
  fieldWeightOf,
  type InputCost,
  type ListLength,
} from './field-cost.ts';

/**
 * Returns weights that the directives `@cost` and `@listSize` can express, one for each field: each field has one price, whatever else the operation
 * selects, and only `slicingArguments` and the values of input objects change it. By these weights, an operation without `__typename` costs at
 * least as much as by the original ones; docs/costs.md lists the exceptions.
 */
export function staticWeights(schema: GraphQLSchema, weights: FieldWeights): FieldWeights {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [type.name, field] as const));
  const weightOf = (type: string, field: string) => fieldWeightOf(weights, type, field) ?? FREE_FIELD;
  const neededCalls = new Map<string, Set<string>>();
  const pricedInputs = new Map<string, InputCost>();
  for (const [type, field] of fields) {
    const { needs, input, size } = weightOf(type, field.name);
    if (needs && typeof size !== 'object') neededCalls.set(type, (neededCalls.get(type) ?? new Set()).add(needs));
    const argument = input && field.args.find(({ name }) => name === input.argument);
    if (argument) pricedInputs.set(getNamedType(argument.type).name, input!);
  }

  return Object.fromEntries(
    fields.map(([type, field]) => {
      const weight = weightOf(type, field.name);
      const isSingle = !isListType(getNullableType(field.type));
      // A single object is fetched with its own calls; the objects of a block share calls, and so do the objects of a page.
      const needed = neededCalls.get(getNamedType(field.type).name)?.size ?? 0;
      const singleCalls = isSingle ? Math.max(needed, weight.referenceCalls ?? 0) : 0;
      const pageCalls = weight.sizedFields ? (neededCalls.get(itemTypeOf(field, weight.sizedFields))?.size ?? 0) : 0;
      const ownCalls = singleCalls + WHOLE_BLOCK_COST * pageCalls;
      return [`${type}.${field.name}`, staticWeight(weight, field, ownCalls, inputOf(field, pricedInputs))];
    }),
  );
}

/** The type of the items of a connection, which is the item type of its first sized list. */
function itemTypeOf(field: GraphQLField<unknown, unknown>, [list]: readonly string[]): string {
  const connection = getNamedType(field.type);
  const items = isObjectType(connection) ? connection.getFields()[list!] : undefined;
  return items ? getNamedType(items.type).name : '';
}

function staticWeight(
  {
    calls = 0,
    fixedCalls = 0,
    callsPerAddress = 0,
    needs,
    input: ownInput,
    argumentCalls,
    size,
    sizedFields,
    chars,
  }: FieldWeight,
  field: GraphQLField<unknown, unknown>,
  ownCalls: number,
  input: InputCost | undefined,
): FieldWeight {
  const isList = isListType(getNullableType(field.type));
  const length = sizedFields || isList ? staticLength(size) : undefined;
  const items = isList ? length!.assumed : 1;
  // `@cost` on a list is per item. Only an argument has a cost per call.
  const perItem = ownInput ? 0 : fixedCalls / items;
  // The call returns either the items of this list, as for the receipts of a block, or one of many objects with this field.
  const share = needs ? RECEIPT_IN_BLOCK_COST / (typeof size === 'object' ? 1 : items) : 0;
  return {
    calls: calls + callsPerAddress + ownCalls + perItem + share,
    ...(ownInput && { fixedCalls }),
    ...(input && { input }),
    ...(argumentCalls && { argumentCalls: { argument: argumentCalls.argument, calls: argumentCalls.calls } }),
    ...(length && { size: length }),
    ...(sizedFields && { sizedFields }),
    ...(chars && { chars }),
  };
}

function staticLength(size: FieldWeight['size'] = DEFAULT_LIST_SIZE): ListLength {
  if (typeof size === 'number') return { assumed: size, of: () => size };
  const { assumed, slicingArguments } = size;
  if (!slicingArguments) return { assumed, of: () => assumed };
  // The published algorithm takes the largest of the arguments, default values included.
  const [first, ...others] = slicingArguments.map(
    (name, i) => (args: ArgumentReader) => Number(args(name) ?? (i === 0 ? assumed : 0)),
  );
  return { assumed, slicingArguments, of: (args) => Math.max(first!(args), ...others.map((read) => read(args))) };
}

/** The cost of a field's argument whose type has priced values: a directive on an input field applies wherever its type is used. */
function inputOf(field: GraphQLField<unknown, unknown>, pricedInputs: ReadonlyMap<string, InputCost>): InputCost | undefined {
  for (const { name, type } of field.args) {
    const input = pricedInputs.get(getNamedType(type).name);
    if (input) {
      const count: InputCost['count'] = (value) => input.fields.reduce((sum, key) => sum + countListsAndValues(value[key]), 0);
      return { ...input, argument: name, count };
    }
  }
  return undefined;
}

/** The published algorithm counts a list as a value, too. */
function countListsAndValues(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countListsAndValues(item), 1);
  return value === null || value === undefined ? 0 : 1;
}
