import { getAddress } from 'ethers';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphError } from '../errors.ts';
import { isData, isQuantity, toData, toQuantity } from '../ethereum/hex.ts';

/**
 * The scalars of the graph. The node's JSON and the standard's output are both 0x-hex, so what a node sends is checked and
 * passed on; only input is converted. A value from the node that is none of its kind is UPSTREAM_BAD_RESPONSE on that field.
 */
interface TextScalar {
  readonly name: string;
  /** Whether the node's value can go out as it is. */
  readonly isReady: (value: unknown) => boolean;
  /** A client's value in the scalar's one spelling, or undefined when it is none. */
  readonly convert: (value: unknown) => string | undefined;
  /** A node's value in that spelling where it differs by case or leading zeros alone, or undefined when it is none. */
  readonly mend: (value: unknown) => string | undefined;
  readonly wanted: string;
  readonly example: string;
}

/** A literal's text: integers come unconverted, so no digit is lost. Any other literal is refused. */
function literal(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.INT) return node.value;
  return undefined;
}

/** `extensions.plain`: what it serializes is text that JSON writes as it is, with nothing to escape. */
function textScalar({ name, isReady, convert, mend, wanted, example }: TextScalar): GraphQLScalarType<string, string> {
  const parse = (input: unknown, node?: ValueNode): string => {
    const value = convert(input);
    // A GraphQLError is reported in these words; any other error would bring the whole literal into the message.
    if (value === undefined) throw new GraphQLError(`${name} takes ${wanted}, for example ${example}.`, { nodes: node ?? null });
    return value;
  };
  return new GraphQLScalarType({
    name,
    serialize(value) {
      if (isReady(value)) return value as string;
      const mended = mend(value);
      if (mended === undefined) throw new GraphError('UPSTREAM_BAD_RESPONSE', `The node sent something that is no ${name}.`);
      return mended;
    },
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(literal(node), node),
    extensions: { plain: true },
  });
}

/** Lower case; mixed case is a checksum (EIP-55), and a wrong one a typing error. */
function toAddress(value: unknown): string | undefined {
  const address = toData(value, 20);
  if (address === undefined || value === address || /^0x[0-9A-F]+$/.test(value as string)) return address;
  return getAddress(address) === value ? address : undefined;
}

const Address = textScalar({
  name: 'Address',
  isReady: (value) => isData(value, 20),
  convert: toAddress,
  mend: (value) => toData(value, 20),
  wanted: '20 bytes as 0x-prefixed hex, mixed case with a correct checksum only',
  example: '"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"',
});

const Bytes32 = textScalar({
  name: 'Bytes32',
  isReady: (value) => isData(value, 32),
  convert: (value) => toData(value, 32),
  mend: (value) => toData(value, 32),
  wanted: '32 bytes as 0x-prefixed hex with all 64 digits',
  example: `"0x${'0'.repeat(62)}2a"`,
});

const Bytes = textScalar({
  name: 'Bytes',
  isReady: (value) => isData(value),
  convert: (value) => toData(value),
  mend: (value) => toData(value),
  wanted: 'bytes as 0x-prefixed hex with an even number of digits',
  example: '"0xcafe"',
});

const integer = (name: string, bits: number) =>
  textScalar({
    name,
    isReady: (value) => isQuantity(value, bits),
    convert: (value) => toQuantity(value, bits),
    mend: (value) => (typeof value === 'string' && !value.startsWith('0x') ? undefined : toQuantity(value, bits)),
    wanted: `an integer from 0 to 2^${bits} - 1: a number, a decimal string or 0x-prefixed hex; numbers above 2^53 as a string`,
    example: '42, "42" or "0x2a"',
  });

/** Reckoning with more digits than these would stop the process for noticeable time. */
const DECIMAL = /^-?[0-9]{1,1000}$/;

/** An integer in base 10 without leading zeros, or undefined when it is none. */
function toDecimal(input: unknown): string | undefined {
  const text = typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : input;
  if (typeof text !== 'string' || !DECIMAL.test(text)) return undefined;
  return text.replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^-0$/, '0');
}

/** Goes out as it is: written by us alone, from numbers that are. */
const Decimal = textScalar({
  name: 'Decimal',
  isReady: (value) => typeof value === 'string',
  convert: toDecimal,
  mend: String,
  wanted: 'an integer of at most 1000 digits: a number or a decimal string; numbers above 2^53 as a string',
  example: '-42 or "42"',
});

const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });

export const scalars = { Address, Bytes32, Bytes, BigInt: integer('BigInt', 256), Long: integer('Long', 64), Decimal, DateTime };
