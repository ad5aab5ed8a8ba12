import { GraphError } from '../lib/errors.ts';
import { asObject, data, invalidShape, nullable } from './decoders.ts';
import { type Data, sameData } from './hex.ts';
import { MAX_RETURN_DATA_BYTES } from './revert-error.ts';

/** Maximum number of characters of an error text that are searched. */
const MAX_ERROR_CHARS = 500;

/** The outcome of a failed transaction. Source: `debug_traceTransaction` with the tracer `callTracer`. */
export interface FailedCall {
  /** Payload of the revert; null when the execution failed otherwise, for example because it ran out of gas, and above 1 MiB. */
  readonly revertPayload: Data | null;
}

/**
 * Reads the trace of a failed transaction of a sender. Throws UPSTREAM_BAD_RESPONSE for another sender, and for a success; METHOD_NOT_SUPPORTED
 * for a trace of each step, which nodes return that ignore the tracer (Ganache).
 */
export function readFailedCall(value: unknown, sender: Data): FailedCall {
  const trace = asObject<Record<string, unknown>>(value, 'the trace of a call');
  if ('structLogs' in trace) {
    const detail = { source: 'node', method: 'debug_traceTransaction' };
    throw new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support traces of calls.', detail);
  }
  const { from, error, output } = trace;
  if (!sameData(from, sender) || typeof error !== 'string') throw invalidShape('the trace of the failed transaction');
  // Only the text tells a revert from other failures; it is not passed on.
  const isRevert = /revert/i.test(error.slice(0, MAX_ERROR_CHARS));
  const isTooLarge = typeof output === 'string' && output.length > 2 + 2 * MAX_RETURN_DATA_BYTES;
  // Nodes omit an empty output.
  return { revertPayload: isRevert && !isTooLarge ? (nullable(data)(output) ?? '0x') : null };
}
