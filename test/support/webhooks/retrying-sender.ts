import { setTimeout as sleep } from 'node:timers/promises';
import type { RandomChoices } from '../random-choices.ts';
import type { Delivery } from './deliveries.ts';
import type { RestartingServer } from './restarting-server.ts';
import { sendWebhook } from './sender.ts';

/** Maximum pause of the sender after a 503. */
const MAX_BACKOFF_MS = 200;

/** Sends deliveries as the notification service does: each again until the response is 200. */
export interface RetryingSender {
  /** How many times a fact was stored, by the responses. A fact that is not here was never acknowledged. */
  readonly stored: ReadonlyMap<string, number>;
  /** Deliveries that were acknowledged. */
  acknowledged: number;
  /** Retries by reason. */
  readonly retries: { unavailable: number; disconnected: number };
  /** Resolves when every delivery is acknowledged; rejects at a response other than 200 and 503. */
  sendAll(): Promise<void>;
}

export interface RetryingSenderOptions {
  readonly server: RestartingServer;
  readonly token: string;
  readonly deliveries: readonly Delivery[];
  readonly concurrency: number;
  readonly draw: RandomChoices;
  /** Called after each acknowledged delivery. */
  readonly onAcknowledged: (count: number) => void;
}

export function createRetryingSender(options: RetryingSenderOptions): RetryingSender {
  const { server, token, deliveries, concurrency, draw, onAcknowledged } = options;
  const stored = new Map<string, number>();
  const retries = { unavailable: 0, disconnected: 0 };
  let next = 0;

  /** Resolves with the status of the body's response, or undefined if the delivery needs a retry. */
  const attempt = async ({ body }: Delivery): Promise<string | undefined> => {
    await server.running();
    const response = await sendWebhook(server.url, token, body).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.status === 200 && text !== undefined) return (JSON.parse(text) as { status: string }).status;
    if (!response || text === undefined) {
      retries.disconnected += 1;
    } else if (response.status === 503) {
      retries.unavailable += 1;
      await sleep(draw.below(MAX_BACKOFF_MS));
    } else throw new Error(`the server responded ${response.status}: ${text}`);
    return undefined;
  };

  const sender: RetryingSender = {
    stored,
    acknowledged: 0,
    retries,
    async sendAll() {
      const sendNext = async () => {
        for (let delivery = deliveries[next++]; delivery; delivery = deliveries[next++]) {
          let status: string | undefined;
          while (status === undefined) status = await attempt(delivery);
          stored.set(delivery.fact, (stored.get(delivery.fact) ?? 0) + (status === 'stored' ? 1 : 0));
          sender.acknowledged += 1;
          onAcknowledged(sender.acknowledged);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, sendNext));
    },
  };
  return sender;
}
