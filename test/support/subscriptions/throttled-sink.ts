import type { Subscriber } from '../../../src/graphql/subscriptions/subscriber.ts';
import type { EncodedEvent, SubscriptionSink } from '../../../src/graphql/subscriptions/subscription-sink.ts';

/** A subscription sink whose speed a test controls. */
export class ThrottledSink implements SubscriptionSink {
  readonly events: EncodedEvent[] = [];
  /** How many more events it accepts before it is full. */
  capacity = Number.POSITIVE_INFINITY;
  subscriber: Subscriber | undefined;
  ended: { readonly error: any } | undefined;

  isFull(): boolean {
    return this.capacity <= 0;
  }

  send(event: EncodedEvent): void {
    if (this.ended) throw new Error('told something behind the end');
    this.capacity--;
    this.events.push(event);
  }

  end(error?: unknown): void {
    if (this.ended) throw new Error('ended twice');
    this.ended = { error };
  }

  /** Accepts this many more events. */
  read(count: number): void {
    this.capacity = count;
    this.subscriber?.flush();
  }

  get numbers(): number[] {
    return this.events.map(({ body }) => Number.parseInt(body.toString('latin1', 0, 12), 10));
  }
}

/** Responds with the number of the event, padded to `bytes`. */
export function createTickEncoder(before: () => Promise<void> = async () => {}, bytes = 0) {
  const bodies = new Map<unknown, Buffer>();
  return async ({ root, cursor }: { root: unknown; cursor?: string | undefined }): Promise<EncodedEvent> => {
    await before();
    const { n } = (root as { ticks: { n: number } }).ticks;
    const body = bodies.get(n) ?? Buffer.from(`${n}`.padEnd(bytes));
    bodies.set(n, body);
    return { body, cursor };
  };
}
