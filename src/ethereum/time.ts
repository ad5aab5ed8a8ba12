import { GraphError } from '../errors.ts';
import { type Quantity, toBigInt } from './hex.ts';

/** The last second that a JavaScript Date can represent. */
const MAX_DATE_SECONDS = 8_640_000_000_000n;

/** Formats the timestamp of a block as an ISO 8601 instant in UTC. Throws UPSTREAM_BAD_RESPONSE beyond the range of a Date. */
export function toIsoTimestamp(timestamp: Quantity): string {
  const seconds = toBigInt(timestamp);
  if (seconds > MAX_DATE_SECONDS) {
    const message = `Invalid block timestamp ${timestamp}. The maximum is ${MAX_DATE_SECONDS} seconds.`;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', message);
  }
  return new Date(Number(seconds) * 1000).toISOString();
}
