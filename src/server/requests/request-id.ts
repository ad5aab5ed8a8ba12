import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The id of a request: the client's `x-request-id` when that is 1 to 128 of `A-Z a-z 0-9 . _ -`, else a new UUID. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : crypto.randomUUID();
}
