import type { Data } from '../../ethereum/hex.ts';

/** Multicall3 has this address on every chain on which it is deployed (https://www.multicall3.com). */
export const MULTICALL3_ADDRESS: Data = '0xca11bde05977b3631167028862be2a173976ca11';

/** So many small reads are far below the gas that nodes give a call. */
export const MAX_READS_PER_MULTICALL = 500;

/** One read of a contract. */
export interface ContractRead {
  readonly to: Data;
  readonly input: Data;
}

// Written and read by hand: a general ABI coder takes some 50 ms for 500 reads, and everybody else waits for as long.

/** Characters of a word. */
const WORD_DIGITS = 64;
const encodeWord = (value: number): string => value.toString(16).padStart(WORD_DIGITS, '0');
const TRUE_WORD = encodeWord(1);

/**
 * The input by which Multicall3 makes these reads, each of which may fail alone:
 * `aggregate3((address target, bool allowFailure, bytes callData)[])`.
 */
export function encodeAggregate3(reads: readonly ContractRead[]): Data {
  const calls = reads.map(({ to, input }) => {
    const digits = input.slice(2);
    const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
    return `${to.slice(2).padStart(WORD_DIGITS, '0')}${TRUE_WORD}${encodeWord(0x60)}${encodeWord(digits.length / 2)}${padded}`;
  });
  let at = (reads.length * WORD_DIGITS) / 2;
  const offsets = calls.map((call) => {
    const offset = encodeWord(at);
    at += call.length / 2;
    return offset;
  });
  return `0x82ad56cb${encodeWord(0x20)}${encodeWord(reads.length)}${offsets.join('')}${calls.join('')}`;
}

/**
 * What each read brought, of `(bool success, bytes returnData)[]`; null where it failed, be it for lack of gas. Undefined when this is no answer of
 * Multicall3 to so many reads.
 */
export function decodeAggregate3(answer: Data, count: number): (Data | null)[] | undefined {
  /** The number in the word at an offset in bytes; NaN when there is none, or one that no answer is long enough for. */
  const numberAt = (offset: number): number => {
    const from = 2 + 2 * offset;
    const digits = answer.slice(from, from + WORD_DIGITS);
    return digits.length === WORD_DIGITS && digits.startsWith('0'.repeat(WORD_DIGITS - 8))
      ? Number.parseInt(digits.slice(-8), 16)
      : Number.NaN;
  };
  const list = numberAt(0);
  if (numberAt(list) !== count) return undefined;
  const results: (Data | null)[] = [];
  for (let i = 0; i < count; i++) {
    const result = list + 32 + numberAt(list + 32 + 32 * i);
    const bytes = result + numberAt(result + 32);
    const length = numberAt(bytes);
    const from = 2 + 2 * (bytes + 32);
    const end = from + 2 * length;
    if (Number.isNaN(numberAt(result)) || !(end <= answer.length)) return undefined;
    results.push(numberAt(result) === 0 ? null : `0x${answer.slice(from, end)}`);
  }
  return results;
}
