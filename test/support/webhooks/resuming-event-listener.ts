import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSubscription, createSubscriptionClient, type SubscriptionClient } from '../clients/subscription-client.ts';
import { FACT_FIELDS, factOf } from './deliveries.ts';
import type { RestartingServer } from './restarting-server.ts';

export interface ReceivedEvent {
  readonly id: string;
  readonly fact: string;
}

/** A subscription to `webhookEvents` that resumes after the last event whenever it ends. */
export interface ResumingEventListener {
  /** All events so far. */
  received(): readonly ReceivedEvent[];
  resumptions: number;
  /** Rejects with the first error that no retry corrects. */
  readonly failed: Promise<never>;
  /** Closes the connection without a close frame; the listener connects again. */
  disconnect(): void;
  /** Ends the listener. Rejects with the first error that no retry corrects. */
  stop(): Promise<void>;
}

/** Pause after an error of the server, such as STORE_UNAVAILABLE. */
const RETRY_MS = 20;

const SUBSCRIPTION = `subscription ($after: ID) { webhookEvents(after: $after) { ${FACT_FIELDS} } }`;

/** Listens to the events after the one with this id. */
export function startResumingEventListener(server: RestartingServer, after: string): ResumingEventListener {
  const previous: ReceivedEvent[] = [];
  let isStopped = false;
  let client: SubscriptionClient | undefined;
  let subscription: ClientSubscription | undefined;
  const received = () => [...previous, ...(subscription?.events.map(toReceivedEvent) ?? [])];

  const listen = async (): Promise<void> => {
    for (; !isStopped; listener.resumptions += 1) {
      await server.running();
      client = createSubscriptionClient(server.url);
      subscription = client.subscribe(SUBSCRIPTION, { after: previous.at(-1)?.id ?? after });
      if (isStopped) client.kill();
      const errors = await subscription.ended;
      previous.push(...subscription.events.map(toReceivedEvent));
      subscription = undefined;
      client.close();
      const failures = errors.filter(({ extensions }) => extensions);
      if (failures.some(({ extensions }) => !extensions.retryable)) throw new Error(JSON.stringify(failures));
      if (failures.length > 0) await sleep(RETRY_MS);
    }
  };

  let reject: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, rejectFailed) => {
    reject = rejectFailed;
  });
  const listener: ResumingEventListener = {
    received,
    resumptions: 0,
    failed,
    disconnect: () => client?.kill(),
    async stop() {
      isStopped = true;
      client?.kill();
      await finished;
    },
  };
  const finished = listen();
  finished.catch(reject);
  return listener;
}

const toReceivedEvent = ({ data }: { readonly data: any }): ReceivedEvent => ({
  id: data.webhookEvents.id,
  fact: factOf(data.webhookEvents),
});
