import { getAddress } from 'ethers';
import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { RandomChoices } from '../../support/random-choices.ts';
import type { ChainData } from './chain-data.ts';

/** A value as a literal of a document and as JSON of the variables. */
export interface FuzzValue {
  readonly literal: string;
  readonly json: string;
}

const plain = (text: string): FuzzValue => ({ literal: text, json: text });
const text = (value: string): FuzzValue => ({ literal: JSON.stringify(value), json: JSON.stringify(value) });
const name = (value: string): FuzzValue => ({ literal: value, json: JSON.stringify(value) });
const list = (values: readonly FuzzValue[]): FuzzValue => ({
  literal: `[${values.map(({ literal }) => literal).join(', ')}]`,
  json: `[${values.map(({ json }) => json).join(',')}]`,
});
const object = (fields: readonly (readonly [string, FuzzValue])[]): FuzzValue => ({
  literal: `{${fields.map(([key, { literal }]) => `${key}: ${literal}`).join(', ')}}`,
  json: `{${fields.map(([key, { json }]) => `${JSON.stringify(key)}:${json}`).join(',')}}`,
});

const power = (bits: number) => 1n << BigInt(bits);
const EDGES = [0n, 1n, power(31), power(53) - 1n, power(53), power(53) + 1n, power(63), power(64) - 1n, power(64)].concat([
  power(256) - 1n,
  power(256),
  10n ** 40n,
  -1n,
  -power(63),
]);

/** Values of another type, or at the limits of a type. */
const invalidValue = (draw: RandomChoices, world: ChainData): FuzzValue =>
  draw.weighted<() => FuzzValue>([
    [4, () => plain(String(draw.pick(EDGES)))],
    [3, () => text(String(draw.pick(EDGES)))],
    [3, () => text(`0x${draw.pick(EDGES).toString(16)}`)],
    [2, () => plain(draw.pick(['1.5', '-0', '1e3', '1E400', '-1e-400', '0.1', '9'.repeat(400)]))],
    [2, () => text(draw.pick(['', ' ', '0x', '0X1', '0x00', '-0x1', '1e3', ' 1', '1_000', '١', 'NaN', 'latest', 'null']))],
    [2, () => text(draw.hex(draw.pick([0, 1, 19, 20, 21, 31, 32, 33, 64])).slice(0, draw.pick([undefined, -1, 3])))],
    [1, () => text(mixedCase(draw, draw.pick(world.addresses)))],
    [1, () => text(draw.pick(['\u0000', '\ud800', '🏃', '__proto__', '"\\\'`', '$(1)', '%s%n', '../..', '\u202e', '\n\r\t']))],
    [1, () => text(draw.pick(['9', 'f', '0', 'é']).repeat(draw.pick([100, 1000, 5000])))],
    [3, () => plain(draw.pick(['null', 'true', 'false']))],
    [1, () => list([])],
    [1, () => list(draw.many(draw.below(4), () => invalidValue(draw, world)))],
    [1, () => list([list([list([list([plain('null')])])])])],
    [1, () => object([])],
    [1, () => object([[draw.pick(['a', '__proto__', 'constructor', 'topics', 'toString']), invalidValue(draw, world)]])],
    [1, () => name(draw.pick(['LATEST', 'PENDING', 'latest', '__proto__', 'undefined']))],
  ])();

const mixedCase = (draw: RandomChoices, hex: string): string =>
  hex.replace(/[a-f]/g, (digit) => (draw.chance(0.5) ? digit.toUpperCase() : digit));

/** An integer in one of the accepted notations. */
const integer = (draw: RandomChoices, value: number): FuzzValue =>
  draw.pick([plain(String(value)), text(String(value)), text(`0x${value.toString(16)}`), text(`0x0${value.toString(16)}`)]);

const bytes32 = (draw: RandomChoices, world: ChainData, place: string): FuzzValue => {
  const known = /slot/i.test(place)
    ? draw.many(4, (at) => `0x${at.toString(16).padStart(64, '0')}`)
    : /topics/.test(place)
      ? world.topics
      : /block/i.test(place)
        ? world.blocks
        : world.transactions;
  const hash = draw.weighted<() => string>([
    [12, () => draw.pick(known)],
    [1, () => draw.pick([...world.blocks, ...world.transactions])],
    [2, () => draw.hex(32)],
  ])();
  return text(draw.chance(0.1) ? mixedCase(draw, hash) : hash);
};

const scalars: Record<string, (draw: RandomChoices, world: ChainData, place: string) => FuzzValue> = {
  Long: (draw, world, place) => {
    // Enough for any call, and below the gas limit of a block.
    if (/\bgas$/.test(place) && draw.chance(0.9)) return integer(draw, 1_000_000 + draw.below(1_000_000));
    return draw.chance(0.9)
      ? integer(draw, draw.below(world.height + 3))
      : integer(draw, draw.pick([2 ** 32, 2 ** 53 - 1, 10 ** 12]));
  },
  BigInt: (draw) => integer(draw, draw.below(2 ** 40)),
  ChainId: (draw) => integer(draw, draw.chance(0.9) ? 31337 : 1),
  Boolean: (draw) => plain(String(draw.chance(0.5))),
  AbiValue: (draw, world) => draw.pick([text(draw.pick(world.addresses)), integer(draw, draw.below(300)), list([text('0x01')])]),
  String: (draw, _world, place) => {
    const functions = ['balanceOf', 'living()(uint256[])', 'balanceOf(address)(uint256)', 'f((bytes,bool[])[2])()', 'f(uint'];
    return text(draw.pick(/\bfunction$/.test(place) ? functions : ['Block', 'Query', 'Long', '__Type', 'none', '']));
  },
  Int: (draw) => plain(String(draw.below(100))),
  Float: (draw) => plain(String(draw.below(1_000) / 10)),
  // Some of them are wizards.
  ID: (draw, world, place) =>
    /\bduel\.id$/.test(place) ? text(draw.chance(0.9) ? draw.pick(world.duels) : draw.hex(32)) : integer(draw, draw.below(12)),
  Decimal: (draw) => draw.pick([plain, text])(String(BigInt(draw.below(1_000)) * 10n ** 18n)),
  Bytes: (draw, world) => text(draw.chance(0.5) ? draw.pick(world.signed) : draw.hex(draw.below(300))),
  Bytes32: bytes32,
  Address: (draw, world) => {
    const address = draw.chance(0.85) ? draw.pick(world.addresses) : draw.hex(20);
    return text(draw.pick([address, address, getAddress(address), `0x${address.slice(2).toUpperCase()}`]));
  },
};

/** Valid combinations of optional arguments; arguments in no combination are independent. */
const COMBINABLE_ARGUMENTS: Record<string, readonly (readonly string[])[]> = {
  'Query.block': [[], ['number'], ['number'], ['hash'], ['hash'], ['tag'], ['timestamp']],
  'Query.blocks': [['from'], ['from', 'to'], ['last']],
  // A gas price and fees exclude each other. With either, the caller pays for gas.
  CallData: [[], [], [], ['gasPrice'], ['maxFeePerGas'], ['maxFeePerGas', 'maxPriorityFeePerGas']],
  FilterCriteria: [
    [],
    ['blockHash'],
    ['fromBlock'],
    ['fromBlock', 'toBlock'],
    ['fromBlockTag', 'toBlock'],
    ['fromBlock', 'toBlockTag'],
  ],
};

/** Chooses arguments, or fields of an input object. A careful client chooses a valid combination. */
export function chooseArguments<T extends { readonly name: string; readonly type: GraphQLInputType }>(
  draw: RandomChoices,
  place: string,
  from: readonly T[],
  careful: boolean,
): T[] {
  const together = careful ? COMBINABLE_ARGUMENTS[place] : undefined;
  const row = together && draw.pick(together);
  const bound = new Set(together?.flat());
  return from.filter((one) => {
    if (isNonNullType(one.type)) return careful || draw.chance(0.95);
    if (careful && /^to(Pending|BlockTag)$/.test(one.name) && !row?.includes(one.name)) return false;
    if (bound.has(one.name)) return row!.includes(one.name);
    return (careful && one.name === 'from') || draw.chance(0.4);
  });
}

/** Share of invalid values of a careless client. */
const INVALID_VALUE_RATE = 0.15;

/** A value for an argument; of its type when the client is careful. */
export function randomValue(
  draw: RandomChoices,
  world: ChainData,
  place: string,
  type: GraphQLInputType,
  careful: boolean,
): FuzzValue {
  if (!careful && draw.chance(INVALID_VALUE_RATE)) return invalidValue(draw, world);
  if (isNonNullType(type)) return validValue(draw, world, place, type.ofType, careful);
  return draw.chance(0.03) ? plain('null') : validValue(draw, world, place, type, careful);
}

function validValue(draw: RandomChoices, world: ChainData, place: string, type: GraphQLInputType, careful: boolean): FuzzValue {
  if (isListType(type)) {
    // A single value is coerced to a list.
    if (draw.chance(0.1)) return randomValue(draw, world, place, type.ofType, careful);
    const count = careful
      ? // An empty list of calls is an error.
        draw.below(3) || Number(/\.calls$/.test(place))
      : draw.weighted([
          [8, draw.below(3)],
          [2, 5],
          [1, 50],
        ]);
    return list(draw.many(count, () => randomValue(draw, world, place, type.ofType, careful)));
  }
  if (isEnumType(type)) return name(draw.pick(type.getValues()).name);
  if (isInputObjectType(type)) {
    const fields = chooseArguments(draw, type.name, Object.values(type.getFields()), careful);
    const given = fields.map(
      (field) => [field.name, randomValue(draw, world, `${place}.${field.name}`, field.type, careful)] as const,
    );
    return object(!careful && draw.chance(0.1) ? [...given, ['nothing', invalidValue(draw, world)]] : given);
  }
  return (scalars[type.name] ?? invalidValue)(draw, world, place);
}

/** An invalid or missing value of a variable. */
export const invalidOrMissingValue = (draw: RandomChoices, world: ChainData): FuzzValue | undefined =>
  draw.chance(0.4) ? undefined : invalidValue(draw, world);
