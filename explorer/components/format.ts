import { formatUnits, toBigInt } from '@grimoire/client';

/** Decimal places of the power of a wizard. */
const POWER_DECIMALS = 18;

const integers = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Writes an integer with separators: `1,234`. */
export const formatInteger = (value: number | bigint | string): string => integers.format(toBigInt(value));

/** Writes a number in few characters: `30M`. */
export const formatCompact = (value: number): string => compact.format(value);

/** Shortens a decimal number: separators, and as many decimal places as leave about `digits` significant digits. */
export function shortDecimal(text: string, digits = 6): string {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const places = whole === '0' ? fraction.search(/[1-9]/) + Math.min(digits, 4) : Math.max(0, digits - whole.length);
  const shortened = fraction.slice(0, places).replace(/0+$/, '');
  return `${text.startsWith('-') ? '-' : ''}${formatInteger(whole)}${shortened && `.${shortened}`}`;
}

/** Writes an amount of the smallest unit; as it is where the token has no decimals. */
export const formatAmount = (value: string, decimals: number | null): string =>
  shortDecimal(decimals === null ? value : formatUnits(value, decimals));

/** Writes the power of a wizard. */
export const formatPower = (power: string): string => shortDecimal(formatUnits(power, POWER_DECIMALS), 5);

/** The power of a wizard as an approximate number, for charts. */
export const powerNumber = (power: string): number => Number(formatUnits(power, POWER_DECIMALS));

/** Writes wei per gas in gwei, or in wei below 0.001 gwei. */
export const formatFee = (wei: string): string =>
  toBigInt(wei) < 1_000_000n ? `${formatInteger(wei)} wei` : `${shortDecimal(formatUnits(wei, 9), 4)} gwei`;

/** Writes the time since a moment: `12 s ago`. */
export function formatAge(seconds: number): string {
  if (seconds < 1) return 'now';
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const)
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`;
  return `${Math.floor(seconds)} s ago`;
}
