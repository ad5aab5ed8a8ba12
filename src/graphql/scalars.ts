import { getAddress } from 'ethers';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphError } from '../errors.ts';
import { isData, isQuantity, toData, toQuantity } from '../ethereum/hex.ts';

/**
 * The scalars of the graph. The node's JSON and the standard's output are both 0x-hex, so what a node sends is checked and
 * passed on; only input is converted. A value from the node that is none of its kind is UPSTREAM_BAD_RESPONSE on that field.
 */
interface StringScalarOptions {
  readonly name: string;
  /** Whether the node's value can go out as it is. */
  readonly isCanonical: (value: unknown) => boolean;
  /** A client's value in the scalar's one spelling, or undefined when it is none. */
  readonly parseInput: (value: unknown) => string | undefined;
  /** A node's value in that spelling where it differs by case or leading zeros alone, or undefined when it is none. */
  readonly normalize: (value: unknown) => string | undefined;
  readonly expected: string;
  readonly example: string;
}

/** A literal's text: integers come unconverted, so no digit is lost. Any other literal is refused. */
function literalValue(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.INT) return node.value;
  return undefined;
}

/** `extensions.plain`: what it serializes is text that JSON writes as it is, with nothing to escape. */
function stringScalar({
  name,
  isCanonical,
  parseInput,
  normalize,
  expected,
  example,
}: StringScalarOptions): GraphQLScalarType<string, string> {
  const parse = (input: unknown, node?: ValueNode): string => {
    const value = parseInput(input);
    // A GraphQLError is reported in these words; any other error would bring the whole literal into the message.
    if (value === undefined)
      throw new GraphQLError(`${name} takes ${expected}, for example ${example}.`, { nodes: node ?? null });
    return value;
  };
  return new GraphQLScalarType({
    name,
    serialize(value) {
      if (isCanonical(value)) return value as string;
      const mended = normalize(value);
      if (mended === undefined) throw new GraphError('UPSTREAM_BAD_RESPONSE', `The node sent something that is no ${name}.`);
      return mended;
    },
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(literalValue(node), node),
    extensions: { plain: true },
  });
}

/** Lower case; mixed case is a checksum (EIP-55), and a wrong one a typing error. */
function toAddress(value: unknown): string | undefined {
  const address = toData(value, 20);
  if (address === undefined || value === address || /^0x[0-9A-F]+$/.test(value as string)) return address;
  return getAddress(address) === value ? address : undefined;
}

const Address = stringScalar({
  name: 'Address',
  isCanonical: (value) => isData(value, 20),
  parseInput: toAddress,
  normalize: (value) => toData(value, 20),
  expected: '20 bytes as 0x-prefixed hex, mixed case with a correct checksum only',
  example: '"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"',
});

const Bytes32 = stringScalar({
  name: 'Bytes32',
  isCanonical: (value) => isData(value, 32),
  parseInput: (value) => toData(value, 32),
  normalize: (value) => toData(value, 32),
  expected: '32 bytes as 0x-prefixed hex with all 64 digits',
  example: `"0x${'0'.repeat(62)}2a"`,
});

const Bytes = stringScalar({
  name: 'Bytes',
  isCanonical: (value) => isData(value),
  parseInput: (value) => toData(value),
  normalize: (value) => toData(value),
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

/** Reckoning with more digits than these would stop the process for noticeable time. */
const DECIMAL_PATTERN = /^-?[0-9]{1,1000}$/;

/** An integer in base 10 without leading zeros, or undefined when it is none. */
function toDecimal(input: unknown): string | undefined {
  const text = typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : input;
  if (typeof text !== 'string' || !DECIMAL_PATTERN.test(text)) return undefined;
  return text.replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^-0$/, '0');
}

/** Goes out as it is: written by us alone, from numbers that are. */
const Decimal = stringScalar({
  name: 'Decimal',
  isCanonical: (value) => typeof value === 'string',
  parseInput: toDecimal,
  normalize: String,
  expected: 'an integer of at most 1000 digits: a number or a decimal string; numbers above 2^53 as a string',
  example: '-42 or "42"',
});

const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });

export const scalars = {
  Address,
  Bytes32,
  Bytes,
  BigInt: integerScalar('BigInt', 256),
  Long: integerScalar('Long', 64),
  Decimal,
  DateTime,
};
