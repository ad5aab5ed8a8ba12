import { type ErrorDetail, GraphError } from '../lib/errors.ts';
import type { DecodedAbi } from './abi/registry.ts';
import { asObject, data, invalidShape, nullable, type RawObject } from './decoders.ts';
import { type Data, sameData, toData } from './hex.ts';

/** Why an execution failed, by the texts of geth, Erigon, Nethermind, Besu, Reth and anvil. The first match counts. */
const FAILURES = [
  [/revert/i, 'REVERTED'],
  [/out ?of ?gas|gas uint64 overflow/i, 'OUT_OF_GAS'],
  [/jump/i, 'INVALID_JUMP'],
  [/opcode|bad instruction|invalid instruction|not ?activated/i, 'INVALID_OPCODE'],
  [/stack/i, 'INVALID_STACK'],
  [/depth/i, 'CALL_DEPTH'],
  [/balance/i, 'INSUFFICIENT_BALANCE'],
  [/write protection|static|mutable call/i, 'WRITE_PROTECTION'],
  [/collision/i, 'ADDRESS_COLLISION'],
  [/code/i, 'INVALID_CODE'],
] as const;

type Failure = (typeof FAILURES)[number][1] | 'OTHER';

/** Maximum number of characters of an error text that are searched. */
export const MAX_ERROR_CHARS = 500;

/** Why an execution failed; null without an error. The text of the node is not passed on, because it can contain a key. */
export function failureOf(error: unknown): Failure | null {
  if (error === undefined || error === null || error === '') return null;
  const text = typeof error === 'string' ? error.slice(0, MAX_ERROR_CHARS) : '';
  return FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? 'OTHER';
}

/**
 * Reads a result of `callTracer`. Throws METHOD_NOT_SUPPORTED for a trace of each step, which a node returns if it
 * ignores the tracer (Ganache).
 */
export function readTraceObject(value: unknown): RawObject {
  const trace = asObject(value, 'the trace of a call');
  if (!('structLogs' in trace)) return trace;
  const detail = { source: 'node', method: 'debug_traceTransaction' };
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support traces of calls.', detail);
}

/**
 * Reads the trace of a failed transaction of a sender. `revertPayload` is null when the execution failed otherwise, for example because
 * it ran out of gas, and for a payload above 1 MiB. Throws UPSTREAM_BAD_RESPONSE for another sender, and for a success. Source:
 * `debug_traceTransaction` with the tracer `callTracer`.
 */
export function readFailedCall(value: unknown, sender: Data) {
  const { from, error, output } = readTraceObject(value);
  if (!sameData(from, sender) || typeof error !== 'string') throw invalidShape('the trace of the failed transaction');
  const isRevert = failureOf(error) === 'REVERTED';
  const isTooLarge = typeof output === 'string' && output.length > 2 + 2 * MAX_RETURN_DATA_BYTES;
  // Nodes omit an empty output.
  return { revertPayload: isRevert && !isTooLarge ? (nullable(data)(output) ?? '0x') : null };
}

/** Selectors of the errors that Solidity defines. */
const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';

const WORD_BYTES = 32;
const WORD_CHARS = 2 * WORD_BYTES;

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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The word at an index of ABI-encoded arguments; undefined beyond their end. */
const wordAt = (encoded: string, index: number): bigint | undefined => {
  const word = encoded.slice(index * WORD_CHARS, (index + 1) * WORD_CHARS);
  return word.length === WORD_CHARS ? BigInt(`0x${word}`) : undefined;
};

/**
 * Decodes an ABI-encoded string in the only form that compilers generate: offset, length, and text in whole words. Null
 * for any other form. Does not use ethers, which takes 0.8 us per character, because a contract can revert with
 * megabytes.
 */
function decodeText(encoded: string): string | null {
  const [offset, length] = [wordAt(encoded, 0), wordAt(encoded, 1)];
  const available = encoded.length / 2 - 2 * WORD_BYTES;
  if (offset !== BigInt(WORD_BYTES) || length === undefined || length > available) return null;
  if (Math.ceil(Number(length) / WORD_BYTES) * WORD_BYTES > available) return null;
  try {
    return utf8.decode(Buffer.from(encoded.slice(2 * WORD_CHARS, 2 * WORD_CHARS + 2 * Number(length)), 'hex'));
  } catch {
    return null;
  }
}

function describePanic(code: bigint): string {
  const hex = `0x${code.toString(16).padStart(2, '0')}`;
  const meaning = PANIC_MEANINGS[hex];
  return meaning === undefined ? `Panic(${hex})` : `Panic(${hex}): ${meaning}`;
}

/**
 * Decodes the payload of a revert: the text of `Error(string)`, or the code of `Panic(uint256)` with its meaning. Null
 * for any other payload, such as a custom error, and for a malformed payload.
 */
export function decodeRevertReason(payload: Data): string | null {
  const encoded = payload.slice(ERROR_SELECTOR.length);
  if (payload.startsWith(ERROR_SELECTOR)) return decodeText(encoded);
  const code = payload.startsWith(PANIC_SELECTOR) ? wordAt(encoded, 0) : undefined;
  return code === undefined ? null : describePanic(code);
}

/** Maximum number of characters of a payload and of a reason in the extensions of an error. */
const MAX_EXTENSION_CHARS = 4_096;

/** A decoded error with the fields of `DecodedError`. */
const toExtension = ({ arguments: args, ...error }: DecodedAbi) => ({
  ...error,
  arguments: args.map(({ name, type, value }) => ({ name, type, value })),
});

/** The failed execution of a contract call, with the payload of the revert if the node sent the payload. */
export class RevertError extends GraphError {
  /** The complete payload. */
  readonly payload: Data | undefined;

  constructor(
    message: string,
    detail: ErrorDetail,
    payload: Data | undefined,
    reason = payload === undefined ? null : decodeRevertReason(payload),
    decoded: DecodedAbi | null = null,
  ) {
    super('EXECUTION_REVERTED', message, {
      ...detail,
      ...(payload !== undefined && { data: payload.slice(0, MAX_EXTENSION_CHARS) }),
      ...(reason !== null && { reason: reason.slice(0, MAX_EXTENSION_CHARS) }),
      ...(decoded && payload!.length <= MAX_EXTENSION_CHARS && { revertError: toExtension(decoded) }),
    });
    this.payload = payload;
  }

  /** Returns the error with this text and this decoding of its payload. */
  withReason(reason: string | null, decoded: DecodedAbi | null): RevertError {
    return new RevertError(this.message, this.extensions, this.payload, reason, decoded);
  }
}

/** Maximum size of the data that a call returns or reverts with: checking larger data would block the event loop. */
export const MAX_RETURN_DATA_BYTES = 1_048_576;

/**
 * Reads the data that a call returned, of which `subject` names the call. Throws RESULT_TOO_LARGE above 1 MiB, and
 * UPSTREAM_BAD_RESPONSE.
 */
export function readReturnData(value: unknown, method: string, subject: string): Data {
  if (typeof value !== 'string' || value.length <= 2 + 2 * MAX_RETURN_DATA_BYTES) return data(value);
  const detail = { limit: MAX_RETURN_DATA_BYTES, actual: (value.length - 2) / 2, method };
  throw new GraphError('RESULT_TOO_LARGE', `${subject} returns more than ${MAX_RETURN_DATA_BYTES} bytes.`, detail);
}

const toPayload = (value: unknown): Data | undefined =>
  typeof value === 'string' && value.length > 2 + 2 * MAX_RETURN_DATA_BYTES ? undefined : toData(value);

/** Names under which nodes put the payload into an object. */
const PAYLOAD_PROPERTIES = ['data', 'result', 'return'] as const;

/**
 * Returns the payload of a revert from the `data` of a node's error: a string (geth, Besu, Erigon, Reth, anvil), a string after a word
 * (Nethermind), or an object that contains it (Hardhat, Ganache). Undefined for anything else, and above `MAX_RETURN_DATA_BYTES`.
 */
export function revertPayloadOf(data: unknown): Data | undefined {
  if (typeof data === 'string') return toPayload(data.replace(/^Reverted /, ''));
  if (typeof data !== 'object' || data === null) return undefined;
  const holder = data as RawObject;
  return PAYLOAD_PROPERTIES.map((name) => toPayload(holder[name])).find((payload) => payload !== undefined);
}
