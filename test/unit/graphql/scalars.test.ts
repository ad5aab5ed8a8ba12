import { makeExecutableSchema } from '@graphql-tools/schema';
import { describe, expect, test } from '@jest/globals';
import { type GraphQLError, graphql } from 'graphql';
import { rootCause } from '../../../src/graphql/format-error.ts';
import { scalars } from '../../../src/graphql/scalars.ts';
import { GraphError } from '../../../src/lib/errors.ts';

const NAMES = ['Address', 'Bytes32', 'Bytes', 'BigInt', 'Long', 'ChainId'] as const;
/** Scalars that arguments may have. */
const TAKEN = [...NAMES, 'Decimal', 'AbiValue'] as const;
type Name = (typeof TAKEN)[number];

/** Each scalar as an argument that the field returns, and as a value from the node. */
const schema = makeExecutableSchema({
  typeDefs: `${[...NAMES, 'Decimal', 'DateTime', 'AbiValue'].map((name) => `scalar ${name}`).join('\n')}
    type Query {
      ${TAKEN.map((name) => `take${name}(in: ${name}): ${name === 'AbiValue' ? name : 'String'}`).join('\n')}
      ${[...NAMES, 'Decimal', 'DateTime', 'AbiValue'].map((name) => `give${name}: ${name}`).join('\n')}
    }`,
  resolvers: {
    ...scalars,
    Query: Object.fromEntries(TAKEN.map((name) => [`take${name}`, (_: unknown, args: { in: unknown }) => args.in])),
  },
});

interface Outcome {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

async function literal(name: Name, text: string): Promise<Outcome> {
  const { data, errors = [] } = await graphql({ schema, source: `{ take${name}(in: ${text}) }` });
  return { value: data?.[`take${name}`], errors };
}

async function variable(name: Name, value: unknown): Promise<Outcome> {
  const source = `query ($in: ${name}) { take${name}(in: $in) }`;
  const { data, errors = [] } = await graphql({ schema, source, variableValues: { in: value } });
  return { value: data?.[`take${name}`], errors };
}

async function fromNode(name: Name | 'DateTime', value: unknown): Promise<Outcome> {
  const { data, errors = [] } = await graphql({ schema, source: `{ give${name} }`, rootValue: { [`give${name}`]: value } });
  return { value: data?.[`give${name}`], errors };
}

const ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const CHECKSUM = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const WORD = `0x${'ab'.repeat(32)}`;

describe('scalar input as variable and as literal', () => {
  test.each<[Name, string, string | number, string]>([
    ['Address', 'in lower case', ADDRESS, ADDRESS],
    ['Address', 'with its checksum', CHECKSUM, ADDRESS],
    ['Address', 'in upper case', `0x${ADDRESS.slice(2).toUpperCase()}`, ADDRESS],
    ['Bytes32', 'in lower case', WORD, WORD],
    ['Bytes', 'of no bytes', '0x', '0x'],
    ['Bytes', 'in mixed case', '0xCaFe', '0xcafe'],
    ['Long', 'as an integer', 42, '0x2a'],
    ['Long', 'as a decimal string', '42', '0x2a'],
    ['Long', 'as hex', '0x2A', '0x2a'],
    ['Long', 'as hex with leading zeros', '0x002a', '0x2a'],
    ['Long', 'of 2^64 - 1', '18446744073709551615', '0xffffffffffffffff'],
    ['BigInt', 'of 2^256 - 1', String(2n ** 256n - 1n), `0x${'f'.repeat(64)}`],
    ['Decimal', 'as an integer', 42, '42'],
    ['Decimal', 'below zero', -42, '-42'],
    ['Decimal', 'with leading zeros', '007', '7'],
    ['Decimal', 'of minus zero', '-000', '0'],
    ['Decimal', 'of a thousand digits', '9'.repeat(1000), '9'.repeat(1000)],
  ])('%s %s is accepted as variable and literal', async (name, _case, input, parsed) => {
    const outcomes = [await variable(name, input), await literal(name, JSON.stringify(input))];
    expect(outcomes).toEqual([
      { value: parsed, errors: [] },
      { value: parsed, errors: [] },
    ]);
  });

  test.each<[keyof typeof WANTED, string, unknown]>([
    ['Address', 'with a wrong checksum', CHECKSUM.replace('D37a', 'd37A')],
    ['Address', 'one byte short', ADDRESS.slice(0, -2)],
    ['Address', 'as a name', 'vitalik.eth'],
    ['Bytes32', 'with 63 digits', WORD.slice(0, -1)],
    ['Bytes', 'of half a byte', '0xcaf'],
    ['Bytes', 'as text', 'cafe'],
    ['Long', 'of 2^64', '18446744073709551616'],
    ['Long', 'below zero', -1],
    ['Long', 'as a fraction', 1.5],
    ['Long', 'as an empty string', ''],
    ['Long', 'as a bare prefix', '0x'],
    ['BigInt', 'of 2^256', String(2n ** 256n)],
    ['Decimal', 'as a fraction', 1.5],
    ['Decimal', 'as hex', '0x2a'],
    ['Decimal', 'with a plus sign', '+1'],
    ['Decimal', 'as a sign alone', '-'],
    ['Decimal', 'as an empty string', ''],
    ['Decimal', 'of more than a thousand digits', '9'.repeat(1001)],
  ])('%s %s is rejected with the accepted format in the message', async (name, _case, input) => {
    const ours = `${name} takes ${WANTED[name]}.`;
    const [asVariable, asLiteral] = [await variable(name, input), await literal(name, JSON.stringify(input))];
    expect(asLiteral.errors.map(({ message }) => message)).toEqual([ours]);
    expect(asLiteral.errors[0]!.locations).toHaveLength(1);
    expect(asVariable.errors.map(({ message }) => message)).toEqual([expect.stringContaining(ours)]);
  });

  test.each(['1.0', '1e3', 'FORTY_TWO', '[1]', '{ value: 1 }', 'true'])('Long as the literal %s is rejected', async (text) => {
    const { value, errors } = await literal('Long', text);
    expect([value, errors.length]).toEqual([undefined, 1]);
  });

  test('AbiValue takes strings, integers, booleans and nested lists of them', async () => {
    const text = '["a", true, [1, "0x2a", []]]';
    const expected = { value: ['a', true, ['1', '0x2a', []]], errors: [] };
    expect([await variable('AbiValue', JSON.parse(text)), await literal('AbiValue', text)]).toEqual([expected, expected]);
    const source = 'query ($in: AbiValue) { takeAbiValue(in: [$in, 123456789012345678901]) }';
    const { data } = await graphql({ schema, source, variableValues: { in: [7] } });
    expect(data).toEqual({ takeAbiValue: [['7'], '123456789012345678901'] });
    for (const other of ['{"a":1}', '1.5', '[null]']) {
      const outcomes = [await variable('AbiValue', JSON.parse(other)), await literal('AbiValue', other.replace(/"/g, ''))];
      for (const { errors } of outcomes) expect(errors[0]!.message).toContain('AbiValue takes a string, an integer');
    }
    expect((await literal('AbiValue', 'WORD')).errors).toHaveLength(1);
  });

  test('null scalar input is passed as null', async () => {
    expect(await variable('Long', null)).toEqual({ value: null, errors: [] });
    expect(await literal('Long', 'null')).toEqual({ value: null, errors: [] });
  });
});

const WANTED: Record<Exclude<Name, 'AbiValue'>, string> = {
  Address: `20 bytes as 0x-prefixed hex in lower case, or in mixed case with a correct checksum, for example "${ADDRESS}"`,
  Bytes32: `32 bytes as 0x-prefixed hex with all 64 digits, for example "0x${'0'.repeat(62)}2a"`,
  Bytes: 'bytes as 0x-prefixed hex with an even number of digits, for example "0xcafe"',
  BigInt:
    'an integer from 0 to 2^256 - 1: a number, a decimal string or 0x-prefixed hex; numbers above 2^53 as a string, for example 42, "42" or "0x2a"',
  Long: 'an integer from 0 to 2^64 - 1: a number, a decimal string or 0x-prefixed hex; numbers above 2^53 as a string, for example 42, "42" or "0x2a"',
  ChainId:
    'an integer from 0 to 2^64 - 1: a number, a decimal string or 0x-prefixed hex; numbers above 2^53 as a string, for example 42, "42" or "0x2a"',
  Decimal:
    'an integer of at most 1000 digits: a number or a decimal string; numbers above 2^53 as a string, for example -42 or "42"',
};

test('integer literal above 2^53 is parsed without loss of precision', async () => {
  expect(await literal('BigInt', '123456789012345678901234567890')).toEqual({ value: '0x18ee90ff6c373e0ee4e3f0ad2', errors: [] });
  const large = '-123456789012345678901234567890';
  expect(await literal('Decimal', large)).toEqual({ value: large, errors: [] });
});

test.each<[keyof typeof WANTED, string]>([
  ['BigInt', '9'.repeat(1_000_000)],
  ['Long', '7'.repeat(1_000_000)],
  ['Decimal', '7'.repeat(1_000_000)],
  ['Bytes', `"0x${'f'.repeat(999_999)}"`],
  ['Address', `"${'not an address '.repeat(1000)}"`],
])('the error for an invalid %s literal does not contain the literal', async (name, text) => {
  const { errors } = await literal(name, text);
  expect(errors.map(({ message }) => message)).toEqual([`${name} takes ${WANTED[name]}.`]);
});

describe('scalar output', () => {
  test.each<[Name | 'DateTime', string, unknown, string]>([
    ['Address', 'with a checksum is converted to lower case', CHECKSUM, ADDRESS],
    ['Address', 'in upper case is converted to lower case', `0x${ADDRESS.slice(2).toUpperCase()}`, ADDRESS],
    ['Bytes32', 'in upper case is converted to lower case', `0x${'AB'.repeat(32)}`, WORD],
    ['Bytes', 'is unchanged', '0xcafe', '0xcafe'],
    ['Long', 'is unchanged', '0x2a', '0x2a'],
    ['Long', 'loses leading zeros', '0x002a', '0x2a'],
    ['Long', 'as a number is converted to hex', 42, '0x2a'],
    ['Long', 'of 2^64 - 1 is unchanged', '0xffffffffffffffff', '0xffffffffffffffff'],
    ['BigInt', 'loses leading zeros', `0x${'2a'.padStart(64, '0')}`, '0x2a'],
    ['BigInt', 'of zero in 32 bytes is converted to 0x0', `0x${'0'.repeat(64)}`, '0x0'],
    ['Decimal', 'is unchanged', '115792089237316195423570985008687907853', '115792089237316195423570985008687907853'],
    ['DateTime', 'is unchanged', '2015-07-30T15:26:28.000Z', '2015-07-30T15:26:28.000Z'],
  ])('%s from the node %s', async (name, _case, value, out) => {
    expect(await fromNode(name, value)).toEqual({ value: out, errors: [] });
  });

  test.each<[Name, string, unknown]>([
    ['Address', 'one byte short', ADDRESS.slice(0, -2)],
    ['Bytes32', 'without leading zeros', '0x2a'],
    ['Bytes', 'of half a byte', '0xcaf'],
    ['Bytes', 'without a prefix', 'cafe'],
    ['Long', 'of 2^64', '0x10000000000000000'],
    ['Long', 'below zero', '-0x1'],
    ['BigInt', 'of 2^256', `0x1${'0'.repeat(64)}`],
    ['BigInt', 'that is a string', 'a text with a key in it'],
  ])('%s %s from the node fails with UPSTREAM_BAD_RESPONSE without the value in the message', async (name, _case, value) => {
    const { value: out, errors } = await fromNode(name, value);
    const root = rootCause(errors[0]) as GraphError;
    expect(out).toBeNull();
    expect(root).toBeInstanceOf(GraphError);
    expect([root.code, errors[0]!.message]).toEqual(['UPSTREAM_BAD_RESPONSE', `The node returned an invalid ${name}.`]);
  });
});
