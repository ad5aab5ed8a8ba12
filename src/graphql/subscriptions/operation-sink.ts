/** A response of an operation as JSON in UTF-8. Subscribers of equal subscriptions share the buffer. */
export interface EncodedEvent {
  readonly body: Buffer;
  /** Cursor after which a subscriber can resume. */
  readonly cursor: string | undefined;
}

/** Receives the responses of one operation. `Failure` is the type of the failure that ends it: a thrown value, or formatted errors. */
export interface OperationSink<Failure = unknown> {
  /** Whether the sender must wait; the sink's owner calls `flush` of the sender once there is capacity. */
  isFull(): boolean;
  send(event: EncodedEvent): void;
  /** The last call: with a failure, or without one when the operation is complete. */
  end(failure?: Failure): void;
}
