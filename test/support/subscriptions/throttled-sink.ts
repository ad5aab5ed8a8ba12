import type { EncodedEvent, SubscriptionSink } from '../../../src/graphql/subscriptions/operation-sink.ts';
import type { Subscriber } from '../../../src/graphql/subscriptions/subscriber.ts';

/** A subscriber's end of the line, which a test makes slow. */
export class ThrottledSink implements SubscriptionSink {
  readonly events: EncodedEvent[] = [];
  /** How many more it takes before it is full. */
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

  /** Reads: so many more may come. */
  read(count: number): void {
    this.capacity = count;
    this.subscriber?.flush();
  }

  get numbers(): number[] {
    return this.events.map(({ body }) => Number.parseInt(body.toString('latin1', 0, 12), 10));
  }
}

/** What a group answers where what is answered does not matter: the event's number, with so much behind it that it is `bytes` long. */
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
