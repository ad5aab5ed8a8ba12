import { type Quantity, toBigInt } from './hex.ts';

/** The last second of the year 9999: neither RFC 3339 nor PostgreSQL's format of times has a later year. */
const MAX_SECONDS = 253_402_300_799n;

/**
 * Formats the timestamp of a block as an ISO 8601 instant in UTC. A later time than the year 9999, as of a chain that counts milliseconds, is the
 * last second of that year. Throws UPSTREAM_BAD_RESPONSE for a timestamp that is not a number.
 */
export function toIsoTimestamp(timestamp: Quantity): string {
  const seconds = toBigInt(timestamp);
  return new Date(Number(seconds < MAX_SECONDS ? seconds : MAX_SECONDS) * 1000).toISOString();
}
