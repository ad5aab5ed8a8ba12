import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';

export interface DeliveryQueueOptions {
  /** Auth token that signs the bodies. */
  readonly token: string;
  readonly log: Logger;
}

/** Delivers notifications to one URL, one at a time and in order. */
export interface DeliveryQueue {
  /** Whether a URL is set. */
  readonly isOpen: boolean;
  /** Sets the URL that the following attempts use. */
  setUrl(url: string): void;
  /** Adds a notification. It is dropped while no URL is set. */
  push(body: object): void;
  /** Ends the attempt in flight and drops the waiting notifications. May be called twice. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;
const MAX_WAITING = 1_000;
/** Shorter outages, such as the start of the receiver's database, are not logged. */
const LOGGED_ATTEMPT = 6;

/** The signature of a body: HMAC-SHA256 keyed by the auth token, in hex. */
const signBody = (token: string, body: string): string => createHmac('sha256', token).update(body).digest('hex');

/**
 * Creates a queue that sends signed POST requests. Repeats an attempt with exponential backoff while the receiver is unavailable: 5xx, 429, no
 * response within five seconds. Drops a notification that the receiver rejects, and the oldest of more than 1,000 that wait.
 */
export function createDeliveryQueue({ token, log }: DeliveryQueueOptions): DeliveryQueue {
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  const stopping = new AbortController();
  const waiting: string[] = [];
  let url: string | undefined;
  let running: Promise<void> | undefined;
  let hasOverflowed = false;

  const post = async (body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-svc-signature': signBody(token, body) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(url!, { method: 'POST', headers, body, dispatcher: agent, signal });
    await response.body.dump();
    return response.statusCode;
  };

  /** Sends a body until the receiver accepts or rejects it. */
  const deliver = async (body: string) => {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      let outcome: { readonly status?: number; readonly err?: unknown };
      try {
        outcome = { status: await post(body) };
      } catch (err) {
        outcome = { err };
      }
      const { status } = outcome;
      if (status !== undefined && status < 300) return;
      if (status !== undefined && status < 500 && status !== 429) {
        log.warn({ status }, 'the receiver rejected a notification of the embedded network');
        return;
      }
      if (attempt === LOGGED_ATTEMPT) log.warn(outcome, 'the receiver of the notifications is unavailable; retrying');
      const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempt - 1));
      await delay(backoffMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  const run = async () => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) await deliver(body);
    running = undefined;
  };

  return {
    get isOpen() {
      return url !== undefined;
    },
    setUrl(newUrl) {
      url = newUrl;
    },
    push(body) {
      if (url === undefined || stopping.signal.aborted) return;
      waiting.push(JSON.stringify(body));
      if (waiting.length > MAX_WAITING) {
        waiting.shift();
        if (!hasOverflowed) log.warn({ limit: MAX_WAITING }, 'too many notifications wait; the oldest are dropped');
        hasOverflowed = true;
      }
      running ??= run();
    },
    async stop() {
      stopping.abort();
      waiting.length = 0;
      await agent.destroy();
      await running;
    },
  };
}
