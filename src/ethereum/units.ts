import { type Quantity, toBigInt } from './hex.ts';

/** The last second of the year 9999: neither RFC 3339 nor PostgreSQL's format of times has a later year. */
const MAX_SECONDS = 253_402_300_799n;

/**
 * Formats the timestamp of a block as an ISO 8601 instant in UTC. A later time than the year 9999, as of a chain that counts milliseconds, is the
 * last second of that year. Throws UPSTREAM_BAD_RESPONSE for a timestamp that is not a number.
 */
export function toIsoTimestamp(timestamp: Quantity): string {
  const seconds = toBigInt(timestamp);
  return new Date(Number(seconds < MAX_SECONDS ? seconds : MAX_SECONDS) * 1000).toISOString();
}

/** Decimals of each unit of ether. */
const UNIT_DECIMALS = { WEI: 0, GWEI: 9, ETHER: 18 } as const;

/** A unit of ether. */
export type EtherUnit = keyof typeof UNIT_DECIMALS;

/** Shifts an amount by a number of decimals, without trailing zeros: 150 with 2 decimals is 1.5, 100 is 1. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}

/** Converts wei to a unit, exactly. Throws UPSTREAM_BAD_RESPONSE for any other value than a quantity. */
export const formatWei = (wei: Quantity, unit: EtherUnit): string => formatUnits(toBigInt(wei), UNIT_DECIMALS[unit]);
