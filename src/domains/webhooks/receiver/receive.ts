import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { DomainResponse } from '../../../domain-route.ts';
import { GraphError } from '../../../errors.ts';
import { eventId } from '../event-id.ts';
import type { NewWebhookEvent, Notification } from '../model.ts';
import { type AuthToken, findSigner } from './auth-tokens.ts';
import { InvalidNotificationError } from './field-decoders.ts';
import { parseJsonBody } from './json-body.ts';
import { type DecodedBody, decodeNotification } from './notification.ts';
import { SIGNATURE_HEADER } from './signature.ts';

/** Where received events go; `write` resolves after the commit with whether the event is new. */
export interface EventWriter {
  write(event: NewWebhookEvent): Promise<boolean>;
}

/** Counts of the requests to the receiver by outcome. */
export interface ReceiverCounts {
  accepted: number;
  repeated: number;
  unauthenticated: number;
  invalid: number;
  failed: number;
}

const UNAUTHENTICATED: DomainResponse = {
  status: 401,
  code: 'UNAUTHENTICATED',
  message:
    'The signature is missing or wrong. Send the HMAC-SHA256 of the raw body, keyed by the auth token, in X-Svc-Signature.',
};

/**
 * Creates the receiver of notifications: verifies the signature over the raw bytes before it parses them, and responds 200 only after the event
 * is stored. A repeat of a stored event is 200 too.
 */
export function createReceiver(tokens: readonly AuthToken[], writer: EventWriter, counts: ReceiverCounts) {
  return async (body: Buffer, headers: IncomingHttpHeaders): Promise<DomainResponse> => {
    const signature = headers[SIGNATURE_HEADER];
    const signer = findSigner(tokens, body, Array.isArray(signature) ? undefined : signature);
    if (!signer) {
      counts.unauthenticated += 1;
      return UNAUTHENTICATED;
    }
    let decoded: DecodedBody;
    try {
      decoded = decodeNotification(parseJsonBody(body));
    } catch (error) {
      if (!(error instanceof InvalidNotificationError)) throw error;
      counts.invalid += 1;
      return invalidBody(error.message);
    }
    const app = signer.app ?? decoded.app;
    if (app === null) {
      counts.invalid += 1;
      return invalidBody('it names no `app`, and neither does the token that signed it');
    }
    if (decoded.app !== null && decoded.app !== app) {
      counts.unauthenticated += 1;
      return UNAUTHENTICATED;
    }
    const notification = { ...decoded, app };
    try {
      const isNew = await writer.write(newEvent(notification, body));
      counts[isNew ? 'accepted' : 'repeated'] += 1;
      return { status: 200, body: { status: isNew ? 'stored' : 'repeated' } };
    } catch (error) {
      counts.failed += 1;
      if (!(error instanceof GraphError)) throw error;
      return { status: 503, code: error.code, message: error.message };
    }
  };
}

const invalidBody = (problem: string): DomainResponse => ({
  status: 400,
  code: 'BAD_REQUEST',
  message: `The body is no notification: ${problem}.`,
});

function newEvent(notification: Notification, body: Buffer): NewWebhookEvent {
  const bodyHash = createHash('sha256').update(notification.app).update('\0').update(body).digest();
  return { ...notification, id: eventId(notification, new Date()), bodyHash };
}
