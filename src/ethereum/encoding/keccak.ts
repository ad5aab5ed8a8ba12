import { createKeccak } from 'hash-wasm';
import type { Data } from '../hex.ts';

// In WebAssembly: in JavaScript, hashing takes about ten times as long (docs/decisions/0030).
const hasher = await createKeccak(256);

/** Computes the Keccak-256 hash of bytes that are given as hex digits without 0x. */
export const keccakOfDigits = (digits: string): Data => `0x${hasher.init().update(Buffer.from(digits, 'hex')).digest('hex')}`;

/** Computes the Keccak-256 hash of bytes that are given as hex digits without 0x, as bytes. */
export const keccakBytes = (digits: string): Uint8Array => hasher.init().update(Buffer.from(digits, 'hex')).digest('binary');
