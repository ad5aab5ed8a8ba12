import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's `x-request-id` if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`, otherwise a new UUID. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : crypto.randomUUID();
}
