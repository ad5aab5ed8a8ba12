import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header of a notification with its signature: HMAC-SHA256 of the raw body keyed by the auth token, in hex. */
export const SIGNATURE_HEADER = 'x-svc-signature';

const HEX_DIGEST = /^[0-9a-f]{64}$/i;

/** Returns the signature of a body. */
export const signatureOf = (token: string, body: Buffer | string): string =>
  createHmac('sha256', token).update(body).digest('hex');

/** Whether a header is the signature of exactly these bytes. The comparison takes the same time wherever they differ. */
export function isSignedBy(token: string, body: Buffer, header: string | undefined): boolean {
  const digest = createHmac('sha256', token).update(body).digest();
  const isDigest = header !== undefined && HEX_DIGEST.test(header);
  // A header in another format is compared too, so that its rejection takes as long.
  return timingSafeEqual(digest, isDigest ? Buffer.from(header, 'hex') : Buffer.alloc(digest.length)) && isDigest;
}
