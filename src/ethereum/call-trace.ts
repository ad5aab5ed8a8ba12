import { asObject, data, invalidShape, nullable } from './decoders.ts';
import { type Data, sameData } from './hex.ts';

/** The outcome of a failed transaction. Source: `debug_traceTransaction` with the tracer `callTracer`. */
export interface FailedCall {
  /** Payload of the revert; null when the execution failed otherwise, for example because it ran out of gas. */
  readonly revertPayload: Data | null;
}

/** Reads the trace of a failed transaction of a sender. Throws UPSTREAM_BAD_RESPONSE for another sender, and for a success. */
export function readFailedCall(value: unknown, sender: Data): FailedCall {
  const { from, error, output } = asObject<{ from?: unknown; error?: unknown; output?: unknown }>(value, 'the trace of a call');
  if (!sameData(from, sender) || typeof error !== 'string') throw invalidShape('the trace of the failed transaction');
  // Nodes omit an empty output. Only the text tells a revert from other failures; it is not passed on.
  return { revertPayload: /revert/i.test(error) ? (nullable(data)(output) ?? '0x') : null };
}
