import { formatUnits, toBigInt } from '@grimoire/client';

/** Decimal places of the power of a wizard. */
const POWER_DECIMALS = 18;

/** Decimal places from which on a column shows only that a number is smaller. */
const MAX_COLUMN_PLACES = 8;

const integers = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Writes an integer with separators: `1,234`. */
export const formatInteger = (value: number | bigint | string): string => integers.format(toBigInt(value));

/** Writes a number in few characters: `30M`. */
export const formatCompact = (value: number): string => compact.format(value);

const decimals = (places: number, minPlaces = 0) =>
  new Intl.NumberFormat('en-US', {
    minimumFractionDigits: minPlaces,
    maximumFractionDigits: Math.min(places, 100),
    signDisplay: 'negative',
  });

/** Rounds a decimal number: separators, and as many decimal places as leave about `digits` significant digits. */
export function shortDecimal(text: string, digits = 6): string {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const places = whole === '0' ? fraction.search(/[1-9]|$/) + Math.min(digits, 4) : Math.max(0, digits - whole.length);
  // The type of a decimal number as text, which is rounded exactly.
  return decimals(places).format(text as `${number}`);
}

/** Writes a decimal number for a column, with the same number of decimal places in each row; more for a number that they would round to 0. */
export function columnDecimal(text: string, places: number): string {
  const rounded = decimals(places, places).format(text as `${number}`);
  if (/[1-9]/.test(rounded)) return rounded;
  return Number(text) > 0 && Number(text) < 10 ** -MAX_COLUMN_PLACES ? '<0.00000001' : shortDecimal(text, 2);
}

/** Returns how to write the numbers of a column: with the decimal places that one of them needs for about `digits` significant digits. */
export function columnFormat(texts: readonly string[], digits: number): (text: string) => string {
  const needed = texts.map((text) => shortDecimal(text, digits).split('.')[1]?.length ?? 0);
  const places = Math.min(MAX_COLUMN_PLACES, Math.max(0, ...needed));
  return (text) => columnDecimal(text, places);
}

/** Writes a decimal number exactly, with separators. */
export const formatDecimal = (text: string): string => decimals(100).format(text as `${number}`);

/** An amount of the smallest unit as a decimal number; as it is where the token has no decimals. */
export const amountOf = (value: string, decimals: number | null): string =>
  decimals === null ? value : formatUnits(value, decimals);

/** Writes an amount of the smallest unit. */
export const formatAmount = (value: string, decimals: number | null): string => shortDecimal(amountOf(value, decimals));

/** Writes the power of a wizard, with one decimal place, so that the powers of a column are comparable. */
export const formatPower = (power: string): string =>
  decimals(1, 1)
    .format(formatUnits(power, POWER_DECIMALS) as `${number}`)
    .replace('-', '−');

/** The power of a wizard as an approximate number, for charts. */
export const powerNumber = (power: string): number => Number(formatUnits(power, POWER_DECIMALS));

const isInWei = (wei: string): boolean => toBigInt(wei) < 1_000_000n;

/** Writes wei per gas in gwei, or in wei below 0.001 gwei. */
export const formatFee = (wei: string): string =>
  isInWei(wei) ? `${formatInteger(wei)} wei` : `${shortDecimal(formatUnits(wei, 9), 4)} gwei`;

/** Writes wei per gas exactly, in gwei. */
export const exactFee = (wei: string): string => `${formatDecimal(formatUnits(wei, 9))} gwei`;

/** Returns how to write the fees of a column. */
export function feeColumn(fees: readonly string[]): (wei: string) => string {
  if (fees.some(isInWei)) return formatFee;
  const format = columnFormat(
    fees.map((fee) => formatUnits(fee, 9)),
    4,
  );
  return (wei) => `${format(formatUnits(wei, 9))} gwei`;
}

/** A fee in ether. */
export const feeTotal = (gasUsed: string, price: string): string => formatUnits(toBigInt(gasUsed) * toBigInt(price), 18);

const dates = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'long' });

/** Writes a time in the time zone of the browser: `2026-01-31 23:59:59 UTC`. */
export const formatTime = (date: Date): string => dates.format(date);

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
