import { GraphError } from '../errors.ts';
import { type Quantity, toBigInt } from './hex.ts';

/** The last second that a calendar date can name in JavaScript. */
const MAX_DATE_SECONDS = 8_640_000_000_000n;

/** A block's timestamp as an ISO 8601 instant in UTC. */
export function toIsoTimestamp(timestamp: Quantity): string {
  const seconds = toBigInt(timestamp);
  if (seconds > MAX_DATE_SECONDS) throw new GraphError('UPSTREAM_BAD_RESPONSE', 'The block has a timestamp beyond any calendar.');
  return new Date(Number(seconds) * 1000).toISOString();
}
