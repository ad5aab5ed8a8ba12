import { AbiCoder } from 'ethers/abi';
import type { Data } from './hex.ts';

/** Selectors of the errors that Solidity defines. */
const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';

/** Meanings of the codes of `Panic(uint256)`. Source: the Solidity documentation, "Panic via assert and Error via require". */
const PANIC_MEANINGS: Readonly<Record<string, string>> = {
  '0x00': 'generic panic of the compiler',
  '0x01': 'assertion failed',
  '0x11': 'arithmetic overflow or underflow',
  '0x12': 'division or modulo by zero',
  '0x21': 'value out of the range of an enum',
  '0x22': 'incorrectly encoded storage byte array',
  '0x31': 'pop on an empty array',
  '0x32': 'array index out of bounds',
  '0x41': 'too much memory allocated, or an array that is too large',
  '0x51': 'call of a zero-initialised internal function',
};

/** Returns the only value in ABI-encoded arguments; undefined for malformed ones. */
function decodeArgument(type: 'string' | 'uint256', payload: Data): unknown {
  try {
    // Reading the value throws for a string that is not UTF-8.
    return AbiCoder.defaultAbiCoder().decode([type], `0x${payload.slice(ERROR_SELECTOR.length)}`)[0];
  } catch {
    return undefined;
  }
}

function panicText(code: bigint): string {
  const hex = `0x${code.toString(16).padStart(2, '0')}`;
  const meaning = PANIC_MEANINGS[hex];
  return meaning === undefined ? `Panic(${hex})` : `Panic(${hex}): ${meaning}`;
}

/**
 * Decodes the payload of a revert: the text of `Error(string)`, or the code of `Panic(uint256)` with its meaning. Null for any other payload,
 * such as a custom error, and for a malformed one.
 */
export function decodeRevertReason(payload: Data): string | null {
  if (payload.startsWith(ERROR_SELECTOR)) {
    const text = decodeArgument('string', payload);
    return typeof text === 'string' ? text : null;
  }
  if (payload.startsWith(PANIC_SELECTOR)) {
    const code = decodeArgument('uint256', payload);
    return typeof code === 'bigint' ? panicText(code) : null;
  }
  return null;
}
