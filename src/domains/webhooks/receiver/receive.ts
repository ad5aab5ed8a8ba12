import { createHash } from 'node:crypto';
import { GraphError } from '../../../lib/errors.ts';
import { nextTurn } from '../../../lib/operation-budget.ts';
import type { DomainResponse, DomainRoute } from '../../../operation/domain-route.ts';
import { eventId, mayRecur, recurringEventId } from '../event-id.ts';
import type { NewWebhookEvent } from '../model.ts';
import { DEFAULT_CHAIN } from '../store/chain-statements.ts';
import { type AuthToken, findSigner, SIGNATURE_HEADER } from './auth-tokens.ts';
import { appOf, decodeNotification, InvalidNotificationError } from './notification.ts';
import type { WriteQueue } from './write-queue.ts';

/** Maximum nesting of a body; the deepest documented body has 4 levels. */
const MAX_DEPTH = 16;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPENING = new Set(['{', '['].map((text) => text.charCodeAt(0)));
const CLOSING = new Set(['}', ']'].map((text) => text.charCodeAt(0)));

/** Parses the body of a verified notification. Throws an InvalidNotificationError when it is not UTF-8, not JSON, or nested too deeply. */
export function parseJsonBody(body: Buffer): unknown {
  // Check before the parser builds any object.
  if (depthOf(body) > MAX_DEPTH) throw new InvalidNotificationError(`the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new InvalidNotificationError('the body is not JSON in UTF-8');
  }
}

/** The nesting of brackets outside of strings. */
function depthOf(body: Buffer): number {
  let depth = 0;
  let max = 0;
  let isInString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (isInString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      max = Math.max(max, depth);
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return max;
}

/** Counts of the requests to the receiver by outcome. */
export type ReceiverCounts = Record<'accepted' | 'repeated' | 'unauthenticated' | 'invalid' | 'failed', number>;

const UNAUTHENTICATED: DomainResponse = {
  status: 401,
  code: 'UNAUTHENTICATED',
  message:
    'The signature is missing or wrong. Send the HMAC-SHA256 of the raw body, keyed by the auth token, in X-Svc-Signature.',
};

const FOREIGN_APP: DomainResponse = {
  ...UNAUTHENTICATED,
  message:
    'The body names another application than the token that signed it. Sign it with the token of its `app` in WEBHOOK_AUTH_TOKENS, or send it without `app`.',
};

/**
 * Creates the receiver of notifications: verifies the signature over the raw bytes before it parses them, and responds
 * 200 only after the event is stored. It responds 200 to a repeat of a stored event, too. `chainOf`: the chain of a network.
 */
export function createReceiver(
  tokens: readonly AuthToken[],
  queue: WriteQueue,
  counts: ReceiverCounts,
  chainOf: (network: string) => string = () => DEFAULT_CHAIN,
): DomainRoute['handle'] {
  return async (body, headers, isConnected) => {
    const signature = headers[SIGNATURE_HEADER];
    const signer = findSigner(tokens, body, Array.isArray(signature) ? undefined : signature);
    if (!signer) {
      counts.unauthenticated += 1;
      return UNAUTHENTICATED;
    }
    try {
      const app = signer.app ?? (await namedApp(signer, body));
      const isNew = await queue.write({ app, bytes: body.length, read: () => readEvent(app, body, chainOf), isConnected });
      counts[isNew ? 'accepted' : 'repeated'] += 1;
      return { status: 200, body: { status: isNew ? 'stored' : 'repeated' } };
    } catch (error) {
      if (error instanceof InvalidNotificationError) {
        counts.invalid += 1;
        return { status: 400, code: 'BAD_REQUEST', message: `The body is no notification: ${error.message}.` };
      }
      if (error instanceof ForeignAppError) {
        counts.unauthenticated += 1;
        return FOREIGN_APP;
      }
      counts.failed += 1;
      if (!(error instanceof GraphError)) throw error;
      const { code, message, extensions } = error;
      return { status: 503, code, message, retryAfterMs: extensions.retryAfterMs as number | undefined };
    }
  };
}

/** The body names another application than the token. */
class ForeignAppError extends Error {}

/** Maximum size of a body that is parsed at once, which takes less than a millisecond. */
const MAX_SMALL_BYTES = 65_536;

/**
 * The application of a body whose token signs bodies of any application. At most one large body is parsed in a turn of
 * the event loop.
 */
async function namedApp(signer: AuthToken, body: Buffer): Promise<string> {
  if (body.length > MAX_SMALL_BYTES) await nextTurn(signer);
  const app = appOf(parseJsonBody(body));
  if (app === null) throw new InvalidNotificationError('it names no `app`, and neither does the token that signed it');
  return app;
}

function readEvent(app: string, body: Buffer, chainOf: (network: string) => string): NewWebhookEvent {
  const decoded = decodeNotification(parseJsonBody(body));
  if (decoded.app !== null && decoded.app !== app) throw new ForeignAppError();
  const notification = { ...decoded, app, chainId: chainOf(decoded.network) };
  const bodyHash = createHash('sha256').update(app).update('\0').update(body).digest();
  return mayRecur(notification)
    ? { ...notification, id: recurringEventId(), bodyHash, mayRecur: true }
    : { ...notification, id: eventId(notification), bodyHash };
}
