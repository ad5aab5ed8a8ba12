import { createKeccak } from 'hash-wasm';
import type { Data } from '../hex.ts';

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
