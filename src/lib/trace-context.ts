/** A position in a distributed trace: the content of the headers `traceparent` and `tracestate` (W3C Trace Context). */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the parent of the spans that follow. */
  readonly spanId: string;
  /** One byte; bit 0 is "sampled". */
  readonly traceFlags: number;
  /** Passed on unchanged; undefined without `tracestate`. */
  readonly traceState: string | undefined;
}

/** Version, trace id, span id and flags. Versions above 00 may have more fields. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ALL_ZEROS = /^0+$/;

/** Printable ASCII within the length that every implementation must pass on. */
const TRACESTATE = /^[ -~]{1,512}$/;

/** Reads `traceparent` and `tracestate`. Undefined without a valid `traceparent`; ignores an invalid `tracestate`. */
export function parseTraceContext({ traceparent, tracestate }: Readonly<Record<string, unknown>>): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return undefined;
  const traceState = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), traceState };
}

/** Returns the headers that pass a trace on to an upstream. */
export const traceHeaders = ({ traceId, spanId, traceFlags, traceState }: TraceContext): Record<string, string> => ({
  traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
  ...(traceState !== undefined && { tracestate: traceState }),
});
