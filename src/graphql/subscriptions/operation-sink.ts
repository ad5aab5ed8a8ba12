/** One event of a subscription, answered: the same bytes go to all who ask the same. */
export interface EncodedEvent {
  /** The answer as JSON, in UTF-8. */
  readonly body: Buffer;
  /** Behind this a subscriber can go on later. */
  readonly cursor: string | undefined;
}

/** Where what one subscriber is told goes. */
export interface SubscriptionSink {
  /** Whether nothing is to be written at present. Who finds it so is told by `flush` when that has ended. */
  isFull(): boolean;
  send(event: EncodedEvent): void;
  /** The last that is told: with what went wrong, or without it when everything has been said. */
  end(error?: unknown): void;
}
