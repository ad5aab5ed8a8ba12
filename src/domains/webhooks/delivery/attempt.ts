import type { LookupFunction } from 'node:net';
import { buildConnector, Client, errors } from 'undici';
import { rejectOnAbort, withTimeout } from '../../../lib/abort.ts';
import { connectionFailure } from '../../../lib/errors.ts';
import { parseRetryAfter } from '../../../lib/retry.ts';
import {
  lookupName,
  PrivateAddressError,
  pinnedLookup,
  queryName,
  type ResolveName,
  resolveReceiver,
} from './receiver-address.ts';
import { checkReceiverUrl, type ReceiverUrlOptions } from './receiver-url.ts';

/** Timeout of an attempt, from the resolution of the name to the end of the response. */
const TIMEOUT_MS = 15_000;
/** Bytes of a connection after which it is closed: interim responses, headers, the framing of chunks and the body, which is discarded. */
const MAX_RECEIVED_BYTES = 32_768;
const MAX_HEADER_BYTES = 16_384;

/** The result of one attempt. Of the data of the receiver, it contains only the status and the delay. */
export interface AttemptResult {
  /** Undefined without a response. */
  readonly statusCode?: number;
  /** Reason of the failure, in words of this server; undefined for a 2xx response. */
  readonly error?: string;
  readonly durationMs: number;
  /** Delay that the header Retry-After requests. */
  readonly retryAfterMs?: number;
}

export interface AttemptRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AttemptOptions extends ReceiverUrlOptions {
  /** Resolves the name of the receiver. @default name servers, and for a receiver that may be private the resolver of the system */
  readonly resolve?: ResolveName;
  /** Timeout of the attempt in milliseconds. @default 15000 */
  readonly timeoutMs?: number;
  /** Ends the attempt; it then rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * Sends one POST to a receiver. The URL and every address behind its name are checked, the name is resolved once, and the connection is made to a
 * checked address. Redirects are not followed. Rejects only when `signal` aborts.
 */
export async function attemptDelivery(request: AttemptRequest, options: AttemptOptions): Promise<AttemptResult> {
  const start = performance.now();
  const { timeoutMs = TIMEOUT_MS, signal: stopped } = options;
  const attempt = (ended: AbortSignal) =>
    send(request, options, ended).catch((error) => {
      stopped?.throwIfAborted();
      return { error: ended.aborted ? `No response within ${timeoutMs / 1000} seconds.` : errorText(error) };
    });
  const result = await withTimeout(timeoutMs, attempt, undefined, stopped);
  return { ...result, durationMs: Math.round(performance.now() - start) };
}

async function send(
  { url, headers, body }: AttemptRequest,
  { resolve, ...rules }: AttemptOptions,
  signal: AbortSignal,
): Promise<Omit<AttemptResult, 'durationMs'>> {
  try {
    checkReceiverUrl(url, rules);
  } catch {
    return { error: 'The URL of the receiver is not permitted.' };
  }
  const { origin, hostname, pathname, search } = new URL(url);
  const permitsPrivate = rules.allowsPrivate || rules.exempt.has(url);
  const resolveName = resolve ?? (permitsPrivate ? lookupName : queryName);
  // A resolution, or a connection that is being opened, does not end by itself.
  const addresses = await rejectOnAbort(resolveReceiver(hostname, permitsPrivate, resolveName), signal);
  // A connection is not reused, so that every attempt connects to an address that this attempt has checked.
  const client = new Client(origin, { connect: limitedConnector(pinnedLookup(addresses)), maxHeaderSize: MAX_HEADER_BYTES });
  try {
    const request = client.request({ method: 'POST', path: pathname + search, headers, body, signal });
    const response = await rejectOnAbort(request, signal);
    const { statusCode } = response;
    const retryAfterMs = parseRetryAfter([response.headers['retry-after']].flat()[0]);
    // The status has been received, so the end of the connection or a timeout does not change the result.
    await response.body.dump().catch(() => {});
    return {
      statusCode,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...((statusCode < 200 || statusCode > 299) && { error: statusText(statusCode) }),
    };
  } finally {
    client.destroy().catch(() => {});
  }
}

/** Connects as undici does, and closes a connection that has received too many bytes. The parser counts neither interim responses nor framing. */
function limitedConnector(lookup: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ lookup });
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.on('readable', () => {
        // Count after the parser has run, because these bytes may contain the whole head of the response.
        process.nextTick(() => {
          if (socket.bytesRead > MAX_RECEIVED_BYTES) socket.destroy(new errors.HeadersOverflowError());
        });
      });
      callback(...result);
    });
}

const statusText = (statusCode: number): string =>
  `The receiver responded with status ${statusCode}.${Math.floor(statusCode / 100) === 3 ? ' Redirects are not followed.' : ''}`;

/** The text of an error in words of this server, because the message of the error can contain addresses of the network. */
const errorText = (error: unknown): string =>
  error instanceof PrivateAddressError ? 'The address of the receiver is not public.' : connectionFailure('The receiver', error);
