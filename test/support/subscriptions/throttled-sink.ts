import { EncodedBody, type EncodedEvent, type OperationSink } from '../../../src/graphql/subscriptions/event-execution.ts';
import type { SubscriptionLimits } from '../../../src/graphql/subscriptions/groups.ts';
import type { Subscriber } from '../../../src/graphql/subscriptions/subscriber.ts';

/** The default limits of subscriptions. */
export const SUBSCRIPTION_LIMITS: SubscriptionLimits = {
  MAX_COST: 5_000,
  MAX_SUBSCRIPTION_COST: 20_000,
  MAX_CLIENT_SUBSCRIPTION_COST: 40_000,
  MAX_SERVER_SUBSCRIPTION_COST: 100_000,
};

/** A sink whose capacity a test controls. */
export class ThrottledSink implements OperationSink {
  readonly writer = this;
  readonly events: EncodedEvent[] = [];
  /** Number of events that it takes before it is full. */
  capacity = Number.POSITIVE_INFINITY;
  subscriber: Subscriber | undefined;
  ended: { readonly error: any } | undefined;

  isFull(): boolean {
    return this.capacity <= 0;
  }

  send(event: EncodedEvent): void {
    if (this.ended) throw new Error('send called after end');
    this.capacity--;
    this.events.push(event);
  }

  end(error?: unknown): void {
    if (this.ended) throw new Error('end called twice');
    this.ended = { error };
  }

  /** Reads events: sets the capacity and flushes the subscriber. */
  read(count: number): void {
    this.capacity = count;
    this.subscriber?.flush();
  }

  get numbers(): number[] {
    return this.events.map(({ body }) => Number.parseInt(body.chunks[0]!.toString('latin1', 0, 12), 10));
  }
}

/** Creates an event executor whose body is the event's number, padded to `bytes`. */
export function createTickEncoder(before: () => Promise<void> = async () => {}, bytes = 0) {
  return async ({ root, cursor }: { root: unknown; cursor?: string | undefined }): Promise<EncodedEvent> => {
    await before();
    const { n } = (root as { ticks: { n: number } }).ticks;
    return { body: new EncodedBody([Buffer.from(`${n}`.padEnd(bytes))]), cursor };
  };
}
