import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { AbiInput } from '../ethereum/abi/writer.ts';
import { toAddress } from '../ethereum/address.ts';
import { isData, isQuantity, toData, toQuantity } from '../ethereum/hex.ts';
import { GraphError } from '../lib/errors.ts';

/**
 * Options of a scalar whose values are strings. The node's JSON and the standard's output are both 0x-hex, so output is
 * checked and returned unchanged; only input is converted. An invalid value from the node is UPSTREAM_BAD_RESPONSE on
 * its field.
 */
interface StringScalarOptions {
  readonly name: string;
  /** Whether a node's value needs no conversion. */
  readonly isCanonical: (value: unknown) => boolean;
  /** Converts a client's value to canonical form; undefined when it is invalid. */
  readonly parseInput: (value: unknown) => string | undefined;
  /**
   * Converts a node's value that differs from the canonical form only by case or leading zeros; undefined when it is invalid.
   * @default `parseInput`
   */
  readonly normalize?: (value: unknown) => string | undefined;
  readonly expected: string;
  readonly example: string;
}

/** `extensions.isCanonical`: whether a value is written unchanged. All serialized values are strings without characters that JSON escapes. */
function stringScalar({ name, isCanonical, parseInput, normalize = parseInput, expected, example }: StringScalarOptions) {
  const parse = (input: unknown, node?: ValueNode): string => {
    const value = parseInput(input);
    // graphql-js adds the whole literal to the message of any other error class.
    if (value === undefined)
      throw new GraphQLError(`${name} takes ${expected}, for example ${example}.`, { nodes: node ?? null });
    return value;
  };
  return new GraphQLScalarType({
    name,
    serialize(value) {
      if (isCanonical(value)) return value as string;
      const normalized = normalize(value);
      if (normalized === undefined) throw new GraphError('UPSTREAM_BAD_RESPONSE', `The node returned an invalid ${name}.`);
      return normalized;
    },
    parseValue: (value) => parse(value),
    // The text of an integer literal preserves all digits.
    parseLiteral: (node) => parse(node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : undefined, node),
    extensions: { isCanonical },
  });
}

const Address = stringScalar({
  name: 'Address',
  isCanonical: (value) => isData(value, 20),
  parseInput: toAddress,
  normalize: (value) => toData(value, 20),
  expected: '20 bytes as 0x-prefixed hex in lower case, or in mixed case with a correct checksum',
  example: '"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"',
});

const Bytes32 = stringScalar({
  name: 'Bytes32',
  isCanonical: (value) => isData(value, 32),
  parseInput: (value) => toData(value, 32),
  expected: '32 bytes as 0x-prefixed hex with all 64 digits',
  example: `"0x${'0'.repeat(62)}2a"`,
});

const Bytes = stringScalar({
  name: 'Bytes',
  isCanonical: (value) => isData(value),
  parseInput: (value) => toData(value),
  expected: 'bytes as 0x-prefixed hex with an even number of digits',
  example: '"0xcafe"',
});

const integerScalar = (name: string, bits: number) =>
  stringScalar({
    name,
    isCanonical: (value) => isQuantity(value, bits),
    parseInput: (value) => toQuantity(value, bits),
    normalize: (value) => (typeof value === 'string' && !value.startsWith('0x') ? undefined : toQuantity(value, bits)),
    expected: `an integer from 0 to 2^${bits} - 1: a number, a decimal string or 0x-prefixed hex; numbers above 2^53 as a string`,
    example: '42, "42" or "0x2a"',
  });

/** At most 1,000 digits: arithmetic with many more would block the event loop noticeably. */
const DECIMAL_PATTERN = /^-?[0-9]{1,1000}$/;

/** Converts an integer to base 10 without leading zeros; undefined when it is invalid. */
function toDecimal(input: unknown): string | undefined {
  const text = typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : input;
  if (typeof text !== 'string' || !DECIMAL_PATTERN.test(text)) return undefined;
  return text.replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^-0$/, '0');
}

/** Output is not checked, because the server itself creates it from integers. */
const Decimal = stringScalar({
  name: 'Decimal',
  isCanonical: (value) => typeof value === 'string',
  parseInput: toDecimal,
  normalize: String,
  expected: 'an integer of at most 1000 digits: a number or a decimal string; numbers above 2^53 as a string',
  example: '-42 or "42"',
});

const invalidAbiValue = (node?: ValueNode) =>
  new GraphQLError(
    'AbiValue takes a string, an integer, a boolean, or a list of such values, for example ["0xcafe", ["1", "2"]]; numbers above 2^53 as a string.',
    { nodes: node ?? null },
  );

/** The recursion is bounded: the server limits the levels of variables and of literals. */
function parseAbiValue(value: unknown): AbiInput {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(parseAbiValue);
  if (Number.isSafeInteger(value)) return String(value);
  throw invalidAbiValue();
}

function parseAbiLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): AbiInput {
  if (node.kind === Kind.LIST) return node.values.map((item) => parseAbiLiteral(item, variables));
  // Validation passes no variables.
  if (node.kind === Kind.VARIABLE) return variables ? parseAbiValue(variables[node.name.value]) : '';
  // The text of an integer literal preserves all digits.
  if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.BOOLEAN) return node.value;
  throw invalidAbiValue(node);
}

const AbiValue = new GraphQLScalarType<AbiInput>({ name: 'AbiValue', parseValue: parseAbiValue, parseLiteral: parseAbiLiteral });

const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });

/** The custom scalars of the graph by name. */
export const scalars = {
  Address,
  Bytes32,
  Bytes,
  BigInt: integerScalar('BigInt', 256),
  Long: integerScalar('Long', 64),
  ChainId: integerScalar('ChainId', 64),
  Decimal,
  AbiValue,
  DateTime,
};
