import { createHmac } from 'node:crypto';
import { SIGNATURE_HEADER, signatureOf } from '../receiver/signature.ts';
import type { SigningTokens } from '../registrations/model.ts';

/** Prefix of a token in the form of Standard Webhooks; the rest is the key in base64. */
const TOKEN_PREFIX = 'whsec_';

/** One attempt to deliver a body. */
export interface SignedAttempt {
  /** Of the delivery; equal in every attempt. */
  readonly id: string;
  readonly body: string;
  readonly tokens: SigningTokens;
  /** Time of the attempt. Receivers reject one that is five minutes old. */
  readonly at: Date;
}

/**
 * Returns the headers of one attempt, in lower case: the signature of the whole body in hex as the notification service sends it, and beside it
 * those of Standard Webhooks, which cover the id and the time too. While a token is rotated the previous one signs as well.
 */
export function deliveryHeaders({
  id,
  body,
  tokens: { current, previous },
  at,
}: SignedAttempt): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const tokens = previous === null ? [current] : [current, previous];
  return {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signatureOf(current, body),
    ...(previous !== null && { [`${SIGNATURE_HEADER}-previous`]: signatureOf(previous, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': tokens
      .map((token) => `v1,${createHmac('sha256', keyOf(token)).update(content).digest('base64')}`)
      .join(' '),
  };
}

const keyOf = (token: string): Buffer =>
  Buffer.from(token.startsWith(TOKEN_PREFIX) ? token.slice(TOKEN_PREFIX.length) : token, 'base64');
