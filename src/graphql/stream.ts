import type { GraphError } from '../lib/errors.ts';
import type { EventHubListener } from '../lib/event-hub.ts';

/** One event of a subscription, before its operation is executed over it. */
export interface SourceEvent<Root = unknown> {
  /** Root value: an object with the event's value under the name of the root field. */
  readonly root: Root;
  /** Hash of the block at which the fields below are read; the head at execution when omitted. */
  readonly block?: string | undefined;
  /** Value of the argument `after` that resumes a subscription after this event. */
  readonly cursor?: string | undefined;
  /** Whether the event revokes an earlier event, as a removed log does. Undefined in streams without revocations. */
  readonly removed?: boolean | undefined;
  /**
   * Cursor of the event that this event revokes. Only a subscriber that received the revoked event receives this event.
   */
  readonly revokes?: string | undefined;
  /** Whether it is the event of a live query, which shares its requests with other live queries. */
  readonly isLive?: boolean | undefined;
  /** Hashes of removed blocks that the event concerns; the fields below read the cached contents of these blocks. */
  readonly abandoned?: readonly string[] | undefined;
}

/** Events of one chain change. A subscriber receives all events of the batch or, if it joins later, no event. */
export type SourceEventBatch<Root = unknown> = readonly SourceEvent<Root>[];

/** Receives the events of a source stream. */
export interface SourceStreamListener<Root = unknown> {
  /**
   * `revoked`: cursors of earlier events that the change has made void. Revoked events that cannot be read any more are
   * not delivered.
   */
  next(batch: SourceEventBatch<Root>, revoked?: readonly string[]): void;
  /** The last notification: with an error if the stream failed, without an error if it is complete. */
  end(error?: GraphError): void;
}

/** The live batches of one subscriber, which its backlog can postpone. */
export interface LiveBatches {
  /** The subscriber receives no batch until `resume`: its backlog is far in the past. */
  pause(): void;
  /** The live batches begin after those that have arrived before this call. */
  resume(): void;
}

/** Starts reading the events of one subscriber that precede the live batches. */
export type SourceBacklog<Root = unknown> = (signal: AbortSignal, live: LiveBatches) => AsyncIterable<SourceEventBatch<Root>>;

/** What one subscriber holds, such as the lease of a named stream. */
export interface SourceHold {
  /** Called once: when the subscriber has left, or has never joined. */
  release(): void;
  /** Resolves with the error that ends the subscriber, once the hold is lost. */
  readonly lost: Promise<GraphError>;
}

/**
 * The event source of a subscription's root field. Equal operations share one stream, which starts with the first
 * subscriber and stops after the last subscriber.
 */
export interface SourceStream<Root = unknown> {
  /**
   * Starts the stream and returns a function that stops it, to be called once, also after `end`. Never notifies inside this call, nor after `end`.
   * Must not use the signal or the loaders of the operation that created the stream: that operation has ended.
   */
  subscribe(listener: SourceStreamListener<Root>): () => void;
  /**
   * Events for one new subscriber that precede the live batches: the events that it missed after a cursor, or the
   * current state. Called while the stream is started. The call itself, not the first read, determines where the live
   * batches begin, unless it pauses them, so that no event is lost or repeated. An error of the iterator, such as
   * CURSOR_EXPIRED, ends only this subscriber.
   */
  readonly backlog?: SourceBacklog<Root> | undefined;
  /** What the subscriber holds until it leaves. */
  readonly hold?: SourceHold | undefined;
  /** Returns the backlog of a subscriber whose last event has this cursor. Only in streams with cursors. */
  readonly backlogAfter?: ((cursor: string) => SourceBacklog<Root>) | undefined;
}

/** Creates the stream of the batches that follow from the events of a hub, from its function `subscribe`. Omits empty batches. */
export const streamOfHub = <Payload, Root>(
  subscribe: (listener: EventHubListener<Payload>) => () => void,
  toBatch: (payload: Payload) => SourceEventBatch<Root>,
): SourceStream<Root> => ({
  subscribe: ({ next, end }) =>
    subscribe({
      next(payload) {
        const batch = toBatch(payload);
        if (batch.length > 0) next(batch);
      },
      end,
    }),
});

/** The parameters of `subscribe` in the generated type of a resolver. */
type SubscribeParameters<Field> = Parameters<Extract<Field, { subscribe(...args: never): unknown }>['subscribe']>;

/**
 * The resolvers of a domain. Resolvers of subscriptions return a `SourceStream`, which the generated types do not know. Without `resolve`, the value of
 * a field is the property of the event with the name of the field.
 */
export type StreamingResolvers<R extends { readonly Subscription?: object }> = Omit<R, 'Subscription'> & {
  readonly Subscription: {
    readonly [Name in keyof NonNullable<R['Subscription']>]-?: {
      readonly resolve?: object;
      subscribe(...parameters: SubscribeParameters<NonNullable<R['Subscription']>[Name]>): SourceStream | Promise<SourceStream>;
    };
  };
};

/** Argument with the name of a position that the server stores for the caller. */
export const STREAM_ARGUMENT = 'stream';

/** Arguments with the start of a subscription. They affect only the backlog, so operations that differ in them share a stream. */
export const START_ARGUMENTS: ReadonlySet<string> = new Set(['after', 'fromBlock', STREAM_ARGUMENT]);

/** Argument with the chain of a mutation or a subscription. */
export const CHAIN_ARGUMENT = 'chainId';
