import type { ParamType } from 'ethers/abi';
import { GraphError } from '../../lib/errors.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import { toAddress } from '../address.ts';
import { type Data, quantityOf, toData, toQuantity } from '../hex.ts';
import type { AbiFunction } from './layouts.ts';
import { type AbiType, abiTypeOf } from './reader.ts';

/** A value of an argument: integers and bytes as text, lists for arrays and, in the order of the members, for tuples. */
export type AbiInput = string | boolean | readonly AbiInput[];

/** The number of values in a value, its lists included. */
const countValues = (value: AbiInput): number =>
  Array.isArray(value) ? value.reduce((sum: number, item: AbiInput) => sum + countValues(item), 1) : 1;

/** The number of values of arguments, counted once for all reads that share them. */
export const countArguments = memoizePerObject((args: readonly AbiInput[]): number => countValues(args));

/** Writes the values of one type. */
interface AbiWriter extends Pick<AbiType, 'isDynamic' | 'headDigits'> {
  /** Returns the hex digits of a value. Throws BAD_USER_INPUT with its position: that of the list around it, and its index there. */
  readonly write: (value: AbiInput, list: string, index?: number) => string;
}

const WORD_DIGITS = 64;
const MAX_TYPE_CHARACTERS = 80;

const positionOf = (list: string, index?: number): string => (index === undefined ? list : `${list}[${index}]`);

const invalid = (position: string, expected: string): GraphError =>
  new GraphError('BAD_USER_INPUT', `Invalid \`${position}\`. Pass ${expected}.`);

/** The writer of the arguments. Compiled when a function is first called, since most functions of the ABIs never are. */
const argumentsWriter = memoizePerObject(({ inputs, outputs }: AbiFunction) =>
  listWrite(inputs.map(writerOf), inputs.length, () => outputs.signature),
);

/**
 * Encodes the input of a call: selector and arguments. Throws BAD_USER_INPUT with the position of a value that does not have the type of its
 * parameter; errors of ethers have no positions.
 */
export function encodeCall(called: AbiFunction, args: readonly AbiInput[]): Data {
  return called.outputs.selector + argumentsWriter(called)(args, 'args');
}

function writerOf(param: ParamType): AbiWriter {
  const size = abiTypeOf(param);
  const typeText = () => param.format('sighash');
  if (param.isTuple()) return { ...size, write: listWrite(param.components.map(writerOf), param.components.length, typeText) };
  if (param.isArray()) return { ...size, write: listWrite([writerOf(param.arrayChildren)], param.arrayLength, typeText) };
  return { ...size, write: elementaryWrite(param.type) };
}

const word = (value: number): string => value.toString(16).padStart(WORD_DIGITS, '0');

/** Writes a list of `count` values, any number if it is -1: first the heads, then the dynamic values. The last writer writes all further values. */
function listWrite(members: readonly AbiWriter[], count: number, typeText: () => string): AbiWriter['write'] {
  const writerAt = (index: number) => members[Math.min(index, members.length - 1)]!;
  return (values, list, index) => {
    const position = positionOf(list, index);
    if (!Array.isArray(values) || (count >= 0 && values.length !== count)) {
      const length = count < 0 ? '' : ` of ${count} value${count === 1 ? '' : 's'}`;
      throw invalid(position, `a list${length} for ${typeText().slice(0, MAX_TYPE_CHARACTERS)}`);
    }
    const headDigits = values.reduce((sum: number, _value, i) => sum + writerAt(i).headDigits, 0);
    let [heads, tails] = [count < 0 ? word(values.length) : '', ''];
    values.forEach((value: AbiInput, i) => {
      const { isDynamic, write } = writerAt(i);
      const digits = write(value, position, i);
      heads += isDynamic ? word((headDigits + tails.length) / 2) : digits;
      if (isDynamic) tails += digits;
    });
    return heads + tails;
  };
}

function elementaryWrite(type: string): AbiWriter['write'] {
  const [, kind, size] = /^([a-z]+?)(\d*)$/.exec(type)!;
  const [encode, expected] = ELEMENTARY[kind as keyof typeof ELEMENTARY](Number(size));
  return (value, list, index) => {
    const digits = encode(value);
    if (digits === undefined) throw invalid(positionOf(list, index), `${expected} for ${type}`);
    return digits;
  };
}

const padLeft = (hex: string | undefined): string | undefined => hex?.slice(2).padStart(WORD_DIGITS, '0');

/** The length of bytes, and the bytes padded with zeros to whole words. */
const withLength = (digits: string | undefined): string | undefined =>
  digits === undefined
    ? undefined
    : word(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');

/** The two's complement of an integer with an optional minus sign; undefined outside `bits` bits. */
function signedWord(value: AbiInput, bits: number): string | undefined {
  const isNegative = typeof value === 'string' && value.startsWith('-');
  const magnitude = toQuantity(isNegative ? value.slice(1) : value, 256);
  if (magnitude === undefined) return undefined;
  const integer = isNegative ? -BigInt(magnitude) : BigInt(magnitude);
  return BigInt.asIntN(bits, integer) === integer ? padLeft(quantityOf(BigInt.asUintN(256, integer))) : undefined;
}

const BOOLEANS: ReadonlyMap<AbiInput, string> = new Map(
  [true, 'true', false, 'false'].map((value, i) => [value, word(i < 2 ? 1 : 0)]),
);
const LONE_SURROGATE = /\p{Surrogate}/u;

/** UTF-8 as hex digits; undefined for text that has no UTF-8. */
const textDigits = (value: AbiInput): string | undefined =>
  typeof value === 'string' && !LONE_SURROGATE.test(value) ? Buffer.from(value).toString('hex') : undefined;

/** A function that encodes a value, undefined for one that is invalid, and what it accepts. */
type Elementary = readonly [encode: (value: AbiInput) => string | undefined, expected: string];

const ELEMENTARY = {
  uint: (bits) => [(value) => padLeft(toQuantity(value, bits)), `an integer from 0 to 2^${bits} - 1, in decimal or 0x-hex,`],
  int: (bits) => [(value) => signedWord(value, bits), `an integer from -2^${bits - 1} to 2^${bits - 1} - 1`],
  address: () => [(value) => padLeft(toAddress(value)), '20 bytes as 0x-hex, in mixed case with a correct checksum,'],
  bool: () => [(value) => BOOLEANS.get(value), 'true or false'],
  bytes: (size) =>
    size === 0
      ? [(value) => withLength(toData(value)?.slice(2)), 'bytes as 0x-hex']
      : [(value) => toData(value, size)?.slice(2).padEnd(WORD_DIGITS, '0'), `${size} bytes as 0x-hex`],
  string: () => [(value) => withLength(textDigits(value)), 'text without unpaired surrogates'],
} satisfies Readonly<Record<string, (size: number) => Elementary>>;
