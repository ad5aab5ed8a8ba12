import { createKeccak } from 'hash-wasm';
import { GraphError } from '../../lib/errors.ts';
import type { Data, Quantity } from '../hex.ts';

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

// Hash in WebAssembly, because hashing in JavaScript takes about ten times as long (docs/decisions/0030).
const hasher = await createKeccak(256);

/** Reused for short inputs: a new buffer costs as much as hashing a word. */
const scratch = Buffer.alloc(4_096);

const bytesOf = (digits: string): Uint8Array =>
  digits.length > 2 * scratch.length ? Buffer.from(digits, 'hex') : scratch.subarray(0, scratch.write(digits, 'hex'));

/** Computes the Keccak-256 hash of bytes that are given as hex digits without 0x. */
export const keccakOfDigits = (digits: string): Data => `0x${hasher.init().update(bytesOf(digits)).digest('hex')}`;

/** Computes the Keccak-256 hash of bytes that are given as hex digits without 0x, as bytes. */
export const keccakBytes = (digits: string): Uint8Array => hasher.init().update(bytesOf(digits)).digest('binary');
