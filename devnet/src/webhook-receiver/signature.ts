import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a header `X-Svc-Signature` is the HMAC-SHA256 of a body, keyed by the token, in hex. */
export function isSigned(body: Buffer, signature: string | readonly string[] | undefined, token: string): boolean {
  const expected = Buffer.from(createHmac('sha256', token).update(body).digest('hex'));
  const actual = Buffer.from(typeof signature === 'string' ? signature : '');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
