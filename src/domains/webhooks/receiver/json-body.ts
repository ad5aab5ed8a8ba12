import { InvalidNotificationError } from './field-decoders.ts';

/** Maximum nesting of a body; the deepest documented one has 4 levels. */
const MAX_DEPTH = 16;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPENING = new Set(['{', '['].map((text) => text.charCodeAt(0)));
const CLOSING = new Set(['}', ']'].map((text) => text.charCodeAt(0)));

/** Parses the body of a verified notification. Throws an InvalidNotificationError when it is not UTF-8, not JSON, or nested too deeply. */
export function parseJsonBody(body: Buffer): unknown {
  // Before the parser builds any object.
  if (depthOf(body) > MAX_DEPTH) throw new InvalidNotificationError(`the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new InvalidNotificationError('the body is not JSON in UTF-8');
  }
}

/** The nesting of brackets outside of strings. */
function depthOf(body: Buffer): number {
  let depth = 0;
  let max = 0;
  let isInString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (isInString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      max = Math.max(max, depth);
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return max;
}
