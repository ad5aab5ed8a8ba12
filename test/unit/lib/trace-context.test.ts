import { expect, test } from '@jest/globals';
import { parseTraceContext, traceHeaders } from '../../../src/lib/trace-context.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

test.each([
  ['a sampled trace', `00-${TRACE_ID}-${SPAN_ID}-01`, 1],
  ['a trace that is not sampled', `00-${TRACE_ID}-${SPAN_ID}-00`, 0],
  ['a later version with more fields', `cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-brings`, 1],
])('%s is read from traceparent and passed on as version 00', (_case, traceparent, traceFlags) => {
  const trace = parseTraceContext({ traceparent });
  expect(trace).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags, traceState: undefined });
  expect(traceHeaders(trace!)).toEqual({ traceparent: `00-${TRACE_ID}-${SPAN_ID}-0${traceFlags}` });
});

test.each([
  ['no header', undefined],
  ['a list, as for a repeated header', [`00-${TRACE_ID}-${SPAN_ID}-01`]],
  ['two values in one header', `00-${TRACE_ID}-${SPAN_ID}-01, 00-${TRACE_ID}-${SPAN_ID}-01`],
  ['version ff', `ff-${TRACE_ID}-${SPAN_ID}-01`],
  ['version 00 with more fields', `00-${TRACE_ID}-${SPAN_ID}-01-more`],
  ['capital letters', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
  ['a span id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['a short trace id', `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
  ['other text', 'hello'],
])('an invalid traceparent is ignored: %s', (_case, traceparent) => {
  expect(parseTraceContext({ traceparent, tracestate: 'a=1' })).toBeUndefined();
});

test.each([
  ['a list of vendors', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', true],
  ['a text above 512 characters', `a=${'x'.repeat(511)}`, false],
  ['a text with control characters', 'a=1\r\nauthorization: x', false],
  ['an empty text', '', false],
])('tracestate is passed on only if it is valid: %s', (_case, tracestate, isValid) => {
  const trace = parseTraceContext({ traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`, tracestate })!;
  expect(traceHeaders(trace).tracestate).toBe(isValid ? tracestate : undefined);
});
