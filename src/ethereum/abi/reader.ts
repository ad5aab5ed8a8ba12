import type { ParamType } from 'ethers/abi';

/** A decoded value: integers, bytes, addresses and strings as text; a tuple with names as an object, arrays and other tuples as lists. */
export type AbiValue = string | boolean | readonly AbiValue[] | { readonly [name: string]: AbiValue };

/** Hex digits of ABI-encoded values, without `0x`. */
interface AbiDigits {
  readonly digits: string;
  /** Position after the last value that was read. */
  end: number;
}

/** Reads the values of one type. `read` throws NOT_CANONICAL. */
export interface AbiType {
  /** Whether the head contains an offset instead of the value. */
  readonly isDynamic: boolean;
  /** Length of the value in the head, in hex digits. */
  readonly headDigits: number;
  read(data: AbiDigits, at: number): AbiValue;
}

/** Hex digits of one word of 32 bytes. */
const WORD_DIGITS = 64;
const ZEROS = '0'.repeat(WORD_DIGITS);
const [FALSE_WORD, TRUE_WORD] = [ZEROS, `${ZEROS.slice(1)}1`];
/** Leading zeros of a word with a length or an offset. With these zeros the number is exact, and no data is longer. */
const LENGTH_ZEROS = ZEROS.slice(12);

/**
 * Thrown for data that differs from the output of `abi.encode`. One object, because an error with a stack costs more
 * than decoding a log.
 */
const NOT_CANONICAL = new Error('the data is not in canonical ABI encoding');

// A byte order mark is part of the text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the arguments of a call, an event or an error from hex digits. Undefined unless the digits are exactly the
 * output of `abi.encode` for the result: every padding is zero, every dynamic value follows the previous value, and
 * nothing follows the last value. ethers accepts other encodings, and takes about 450 us to decode a token transfer and
 * encode it again, this reader 2 us (docs/decisions/0033).
 */
export function readArguments(types: readonly AbiType[], digits: string): readonly AbiValue[] | undefined {
  const data = { digits, end: 0 };
  try {
    const values = readSequence(types, data, 0);
    return data.end === digits.length ? values : undefined;
  } catch (error) {
    if (error === NOT_CANONICAL) return undefined;
    throw error;
  }
}

/** Compiles the reader of a type. */
export function abiTypeOf(param: ParamType): AbiType {
  if (param.isArray()) return arrayType(abiTypeOf(param.arrayChildren), param.arrayLength);
  return param.isTuple() ? tupleType(param.components) : elementaryType(param.type);
}

/** Reads values in order: first the heads of all values, then the dynamic values. */
function readSequence(types: readonly AbiType[], data: AbiDigits, base: number): AbiValue[] {
  let tail = base;
  for (const { headDigits } of types) tail += headDigits;
  let head = base;
  const values: AbiValue[] = [];
  for (const type of types) {
    if (type.isDynamic) {
      if (2 * readLength(data, head) !== tail - base) throw NOT_CANONICAL;
      values.push(type.read(data, tail));
      tail = data.end;
    } else values.push(type.read(data, head));
    head += type.headDigits;
  }
  data.end = tail;
  return values;
}

function tupleType(components: readonly ParamType[]): AbiType {
  const types = components.map(abiTypeOf);
  const names = components.map(({ name }) => name);
  const isNamed = names.every((name) => name !== '') && new Set(names).size === names.length;
  return {
    ...sequenceSize(types),
    read(data, at) {
      const values = readSequence(types, data, at);
      return isNamed ? Object.fromEntries(values.map((value, i) => [names[i], value])) : values;
    },
  };
}

/** `length`: -1 for an array of any length. */
function arrayType(item: AbiType, length: number): AbiType {
  const readItems = (data: AbiDigits, at: number, count: number): AbiValue[] => {
    // Check before creating a list of that length: each item has at least a word.
    if (count * Math.max(item.headDigits, WORD_DIGITS) > data.digits.length - at) throw NOT_CANONICAL;
    return readSequence(new Array<AbiType>(count).fill(item), data, at);
  };
  if (length < 0) {
    const read = (data: AbiDigits, at: number) => readItems(data, at + WORD_DIGITS, readLength(data, at));
    return { isDynamic: true, headDigits: WORD_DIGITS, read };
  }
  const headDigits = item.isDynamic ? WORD_DIGITS : length * item.headDigits;
  return { isDynamic: item.isDynamic, headDigits, read: (data, at) => readItems(data, at, length) };
}

function sequenceSize(types: readonly AbiType[]): Pick<AbiType, 'isDynamic' | 'headDigits'> {
  const isDynamic = types.some((type) => type.isDynamic);
  return { isDynamic, headDigits: isDynamic ? WORD_DIGITS : types.reduce((sum, { headDigits }) => sum + headDigits, 0) };
}

/** Compiles the reader of a type that is neither an array nor a tuple. */
export function elementaryType(type: string): AbiType {
  if (type === 'address') return wordType((word) => `0x${withoutZeros(word, 24)}`);
  if (type === 'bool') return wordType((word) => word === TRUE_WORD || (word !== FALSE_WORD && fail()));
  if (type === 'bytes') return bytesType((digits) => `0x${digits}`);
  if (type === 'string') return bytesType(decodeUtf8);
  const [, kind, size] = /^(uint|int|bytes)(\d+)$/.exec(type)!;
  return wordType(WORD_READERS[kind as keyof typeof WORD_READERS](Number(size)));
}

const WORD_READERS = {
  uint: (bits: number) => (word: string) => BigInt(`0x${withoutZeros(word, WORD_DIGITS - bits / 4)}`).toString(),
  int: (bits: number) => (word: string) => {
    const value = BigInt.asIntN(256, BigInt(`0x${word}`));
    return BigInt.asIntN(bits, value) === value ? value.toString() : fail();
  },
  bytes: (bytes: number) => (word: string) => (word.endsWith(ZEROS.slice(2 * bytes)) ? `0x${word.slice(0, 2 * bytes)}` : fail()),
};

const wordType = (decode: (word: string) => AbiValue): AbiType => ({
  isDynamic: false,
  headDigits: WORD_DIGITS,
  read: (data, at) => decode(readWord(data, at)),
});

function decodeUtf8(digits: string): string {
  try {
    return utf8.decode(Buffer.from(digits, 'hex'));
  } catch {
    throw NOT_CANONICAL;
  }
}

/** The types `bytes` and `string`: a length, and the bytes padded with zeros to whole words. */
const bytesType = (decode: (digits: string) => string): AbiType => ({
  isDynamic: true,
  headDigits: WORD_DIGITS,
  read(data, at) {
    const start = at + WORD_DIGITS;
    const end = start + 2 * readLength(data, at);
    data.end = start + Math.ceil((end - start) / WORD_DIGITS) * WORD_DIGITS;
    const isPadded = data.digits.slice(end, data.end) === ZEROS.slice(0, data.end - end);
    return isPadded && data.end <= data.digits.length ? decode(data.digits.slice(start, end)) : fail();
  },
});

function readWord(data: AbiDigits, at: number): string {
  data.end = at + WORD_DIGITS;
  return data.end <= data.digits.length ? data.digits.slice(at, data.end) : fail();
}

const readLength = (data: AbiDigits, at: number): number => {
  const word = readWord(data, at);
  return word.startsWith(LENGTH_ZEROS) ? Number.parseInt(word.slice(LENGTH_ZEROS.length), 16) : fail();
};

const withoutZeros = (word: string, count: number): string =>
  word.startsWith(ZEROS.slice(0, count)) ? word.slice(count) : fail();

function fail(): never {
  throw NOT_CANONICAL;
}
