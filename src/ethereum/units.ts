import type { Quantity } from './hex.ts';
import { toBigInt } from './hex.ts';

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
