import type { Hex } from './scalars.ts';

/** Decimal places of an amount in ether and in gwei, in wei. */
const ETHER_DECIMALS = 18;
const GWEI_DECIMALS = 9;

const DECIMAL_AMOUNT = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/** Converts a `Long`, a `BigInt` or a `Decimal` of the graph to a bigint. viem and ethers take the result as it is. Throws for any other text. */
export function toBigInt(value: string | number | bigint): bigint {
  if (typeof value === 'string' && !/^(?:-?[0-9]+|0x[0-9a-f]+)$/i.test(value))
    throw new TypeError(`Cannot convert ${JSON.stringify(value)} to a bigint. Pass a Long, a BigInt or a Decimal.`);
  return BigInt(value);
}

/** Converts a `Long` to a number. Throws a RangeError above 2^53 - 1, where numbers are not exact. */
export function toNumber(value: string | number | bigint): number {
  const number = Number(toBigInt(value));
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is not exact as a number. Use toBigInt.`);
  return number;
}

/** Converts an unsigned integer to hex for a variable of the type `Long` or `BigInt`. */
export function toHex(value: bigint | number): Hex {
  if (value < 0) throw new RangeError(`${value} is negative. Pass an unsigned integer.`);
  return `0x${BigInt(value).toString(16)}`;
}

/** Converts a `DateTime`, or a `timestamp` in seconds since 1970, to a Date. */
export const toDate = (value: string): Date => new Date(value.startsWith('0x') ? toNumber(value) * 1000 : value);

/** Writes an amount of the smallest unit as an exact decimal number without trailing zeros: `formatUnits('0x16e360', 6)` is `1.5`. */
export function formatUnits(value: string | number | bigint, decimals: number): string {
  const amount = toBigInt(value);
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** Reads a decimal number as an amount of the smallest unit. Throws a RangeError when it has more decimal places than the unit. */
export function parseUnits(text: string, decimals: number): bigint {
  const [, sign, whole, fraction = ''] = DECIMAL_AMOUNT.exec(text) ?? [];
  if (whole === undefined) throw new TypeError(`${JSON.stringify(text)} is not a decimal number such as "1.5".`);
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) throw new RangeError(`${text} has more than ${decimals} decimal places.`);
  const amount = BigInt(whole + digits.padEnd(decimals, '0'));
  return sign ? -amount : amount;
}

/** Writes wei in ether: `1.5`. */
export const formatEther = (wei: string | number | bigint): string => formatUnits(wei, ETHER_DECIMALS);
/** Writes wei in gwei. */
export const formatGwei = (wei: string | number | bigint): string => formatUnits(wei, GWEI_DECIMALS);
/** Reads ether as wei. */
export const parseEther = (ether: string): bigint => parseUnits(ether, ETHER_DECIMALS);
/** Reads gwei as wei. */
export const parseGwei = (gwei: string): bigint => parseUnits(gwei, GWEI_DECIMALS);

/** Shortens an address or a hash for display: `0x1234…cdef`. */
export const shortHex = (hex: string, digits = 4): string =>
  hex.length <= 2 + 2 * digits ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`;

/** Whether two addresses or hashes are equal, in any case: the graph returns lower case, viem and ethers the EIP-55 checksum. */
export const isSameHex = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
