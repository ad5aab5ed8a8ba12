import { GraphError } from '../lib/errors.ts';
import { keccakOfDigits } from './encoding/keccak.ts';
import { type Data, type Quantity, toBigInt } from './hex.ts';

/** Maximum number of nested mappings: hashing many more keys would block the event loop noticeably. */
const MAX_MAPPING_KEYS = 8;

/** Hex digits of 32 bytes. */
const WORD_DIGITS = 64;

const padWord = (hex: string): string => hex.slice(2).padStart(WORD_DIGITS, '0');

/**
 * Computes the storage slot of an element of a Solidity mapping, one key for each level. Throws BAD_USER_INPUT for another number of keys than 1 to
 * 8, and for a key of more than 32 bytes.
 */
export function mappingSlot(slot: Quantity, keys: readonly Data[]): Data {
  if (keys.length === 0 || keys.length > MAX_MAPPING_KEYS) {
    const message = `\`keys\` has ${keys.length} keys. Pass 1 to ${MAX_MAPPING_KEYS}, one for each level.`;
    throw new GraphError('BAD_USER_INPUT', message);
  }
  const tooLong = keys.find((key) => key.length > 2 + WORD_DIGITS);
  if (tooLong !== undefined) {
    const message = `A key in \`keys\` has ${tooLong.length / 2 - 1} bytes. Pass keys of at most 32 bytes.`;
    throw new GraphError('BAD_USER_INPUT', message);
  }
  return keys.reduce((parent, key) => keccakOfDigits(padWord(key) + padWord(parent)), slot);
}

const WORD_BYTES = 32;
/** Maximum size of an element of an array. */
const MAX_ELEMENT_BYTES = 32 * 1_024;

/** An element of a Solidity array. */
export interface ArrayElement {
  readonly slot: Quantity;
  readonly index: Quantity;
  readonly isFixed: boolean;
  readonly elementSize: number;
  readonly word: number;
}

/**
 * Computes the storage slot of an element of a Solidity array: small elements share a slot, larger ones have several. Throws BAD_USER_INPUT for an
 * element size that is not positive, and for a word that the element does not have.
 */
export function arraySlot({ slot, index, isFixed, elementSize, word }: ArrayElement): Data {
  if (!(elementSize >= 1 && elementSize <= MAX_ELEMENT_BYTES)) {
    throw new GraphError('BAD_USER_INPUT', `Invalid \`elementSize\`. Pass a number of bytes from 1 to ${MAX_ELEMENT_BYTES}.`);
  }
  const words = Math.ceil(elementSize / WORD_BYTES);
  if (!(word >= 0 && word < words)) {
    throw new GraphError(
      'BAD_USER_INPUT',
      `Invalid \`word\`. Pass a number from 0 to ${words - 1}: the element has ${words} of 32 bytes.`,
    );
  }
  const first = isFixed ? slot : keccakOfDigits(padWord(slot));
  const perSlot = BigInt(Math.floor(WORD_BYTES / elementSize));
  const offset = perSlot > 0n ? toBigInt(index) / perSlot : toBigInt(index) * BigInt(words) + BigInt(word);
  const position = BigInt.asUintN(256, toBigInt(first) + offset);
  return `0x${padWord(`0x${position.toString(16)}`)}`;
}
