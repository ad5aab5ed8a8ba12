import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header of a notification with its signature: HMAC-SHA256 of the raw body keyed by the auth token, in hex. */
export const SIGNATURE_HEADER = 'x-svc-signature';

const HEX_DIGEST = /^[0-9a-f]{64}$/i;

/** Returns the signature of a body. */
export const signatureOf = (token: string, body: Buffer | string): string =>
  createHmac('sha256', token).update(body).digest('hex');

/**
 * Whether a header is the signature of exactly these bytes. The time of the comparison does not depend on where the
 * signatures differ.
 */
export function isSignedBy(token: string, body: Buffer, header = ''): boolean {
  const digest = createHmac('sha256', token).update(body).digest();
  const isDigest = HEX_DIGEST.test(header);
  // A header in another format is compared, too, so that its rejection takes equal time.
  return timingSafeEqual(digest, isDigest ? Buffer.from(header, 'hex') : Buffer.alloc(digest.length)) && isDigest;
}

/**
 * A token that signs notifications, and the application that it belongs to; `app` is undefined for a token of any
 * application.
 */
export interface AuthToken {
  readonly app: string | undefined;
  readonly token: string;
}

/** An application's name in front of its token. A base64 token may end in `=`, so `abc==` has no name. */
const NAMED_TOKEN = /^([\w.-]{1,128})=(?!=*$)(.+)/s;

/** Parses one entry of WEBHOOK_AUTH_TOKENS: `app=token`, or a token of any application. */
export function parseAuthToken(entry: string): AuthToken {
  const named = NAMED_TOKEN.exec(entry);
  return named ? { app: named[1], token: named[2]! } : { app: undefined, token: entry };
}

/**
 * Finds the token that has signed a body; undefined if no token has. Tries all tokens, so that the time does not reveal
 * which token matched. A token of an application has precedence over a token of any application.
 */
export function findSigner(tokens: readonly AuthToken[], body: Buffer, signature: string | undefined): AuthToken | undefined {
  const matching = tokens.filter(({ token }) => isSignedBy(token, body, signature));
  return matching.find(({ app }) => app !== undefined) ?? matching[0];
}
