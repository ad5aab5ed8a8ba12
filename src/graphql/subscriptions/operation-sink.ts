/** JSON in UTF-8, in chunks. Clients share the buffers. */
export class EncodedBody {
  readonly chunks: readonly Buffer[];
  /** Number of bytes. */
  readonly length: number;

  constructor(chunks: readonly Buffer[]) {
    this.chunks = chunks;
    this.length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }
}

/** A response of an operation. Subscribers of equal subscriptions share it. */
export interface EncodedEvent {
  readonly body: EncodedBody;
  /** Cursor after which a subscriber can resume. */
  readonly cursor: string | undefined;
  /** Cursor of the event that this one revokes. */
  readonly revokes?: string | undefined;
  /** Whether a field could not be read because the node lacks the event's block, which a reorg may have removed. */
  readonly isBlockMissing?: boolean;
}

/** Receives the responses of one operation. `Failure` is the type of the failure that ends it: a thrown value, or formatted errors. */
export interface OperationSink<Failure = unknown> {
  /** Whether the sender must wait; the sink's owner calls `flush` of the sender once there is capacity. */
  isFull(): boolean;
  send(event: EncodedEvent): void;
  /** The last call: with a failure, or without one when the operation is complete. */
  end(failure?: Failure): void;
}
