import { randomUUID } from 'node:crypto';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import type { SourceEvent } from '../graphql/stream.ts';
import {
  EncodedBody,
  type EventExecutor,
  type EventWriter,
  type OperationSink,
} from '../graphql/subscriptions/event-execution.ts';
import type { SharedOperation, SubscriptionGroups } from '../graphql/subscriptions/groups.ts';
import type { Subscriber } from '../graphql/subscriptions/subscriber.ts';
import type { SubscribingConnection } from '../graphql/subscriptions/subscription-costs.ts';
import { GraphError } from '../lib/errors.ts';
import { groupKey } from './group-key.ts';
import type { FollowedHead } from './head-wait.ts';
import { digestOf, isLiveQuery } from './live-query.ts';
import { type Operation, readBlockOf } from './operation.ts';
import { type RunningOperation, SHUTTING_DOWN_MESSAGE } from './operation-registry.ts';
import type { FollowedStream, OperationPipeline } from './pipeline.ts';
import type { PreparedOperation, RequestOptions } from './request.ts';
import { serializeResponse } from './response.ts';

/** Creates a function that executes a subscription over each event, as a separate operation. */
const createEventExecutor =
  (pipeline: OperationPipeline, prepared: PreparedOperation, { follower }: FollowedStream): EventExecutor =>
  async (event) => {
    const { cursor, revokes } = event;
    const isLive = isLiveQuery(prepared.operation);
    const running = pipeline.operations.begin(randomUUID(), blockOf(event, follower));
    const operation: Operation = { ...running.operation, event };
    const result = await pipeline.execute(prepared, operation, event.root).finally(running.end);
    const isBlockMissing = result.errors !== undefined && isMissingBlock(event, result, operation, follower);
    const digest = isLive ? digestOf(result) : undefined;
    return { body: new EncodedBody(serializeResponse(result)), cursor, revokes, isBlockMissing, digest };
  };

/**
 * The block at which an event is read. No later event revokes an event without a cursor, so such an event is read at
 * the head after its block was removed.
 */
const blockOf = ({ block, cursor }: SourceEvent, follower: FollowedHead): string | undefined =>
  block !== undefined && cursor === undefined && isRemoved(block, follower) ? undefined : block;

/** Whether the window of the follower lacks `hash`, as after a reorg; false before the first head. */
const isRemoved = (hash: string, { window }: FollowedHead): boolean =>
  window !== undefined && window.findLast((head) => head.hash === hash) === undefined;

/**
 * Whether an event has errors because the node lacks the event's block, or because a reorg has removed the head at
 * which the server read the event.
 */
function isMissingBlock(
  { block, cursor, isLive = false }: SourceEvent,
  { errors = [] }: FormattedExecutionResult,
  operation: Operation,
  follower: FollowedHead,
): boolean {
  // The next head of any of its chains executes it again: the failure of one chain must not delay the others.
  if (isLive && operation.chains) return false;
  const codes = new Set(errors.map(({ extensions }) => (extensions?.retryable ? extensions.code : undefined)));
  if (codes.has('STALE_UPSTREAM')) return true;
  if (!codes.has('BLOCK_NOT_AVAILABLE')) return false;
  const readHash = readBlockOf(operation)?.hash;
  // A live query is executed again at the head once the server knows of the reorg.
  return (block !== undefined && (cursor !== undefined || isLive)) || (readHash !== undefined && isRemoved(readHash, follower));
}

/** The sink of a transport: receives responses, and formatted errors if the operation fails. */
export interface TransportSink extends EventWriter {
  /**
   * Called before the first response, for transports with headers. `block`: in drop-in mode, the hash of the block that
   * the operation has read. Undefined when a subscription starts, because each of its events has another block.
   */
  begin?(block?: string): void;
  /** The last call: with errors, or without errors when the operation is complete. */
  end(errors?: readonly GraphQLFormattedError[]): void;
}

/** Options of a request on a transport that serves subscriptions. */
interface MessageRequestOptions extends RequestOptions {
  readonly connection: SubscribingConnection;
}

interface OperationRunnerOptions {
  readonly pipeline: OperationPipeline;
  readonly groups: SubscriptionGroups;
  readonly isDraining: () => boolean;
}

/**
 * One operation of one client, from its request to its last message, on a transport that sends responses as messages: a WebSocket or an event
 * stream.
 */
export class OperationRun implements OperationSink {
  /** The sink of the transport. */
  readonly writer: TransportSink;
  readonly #dependencies: OperationRunnerOptions;
  readonly #requestId: string;
  #running: RunningOperation | undefined;
  #subscriber: Subscriber | undefined;
  #resumeWriting: (() => void) | undefined;
  #hasEnded = false;

  /** `prepare` returns the operation, or throws the reason why its request is rejected. */
  constructor(
    dependencies: OperationRunnerOptions,
    prepare: () => PreparedOperation,
    sink: TransportSink,
    options: MessageRequestOptions,
  ) {
    this.#dependencies = dependencies;
    this.writer = sink;
    this.#requestId = options.requestId;
    void this.#start(prepare, options);
  }

  async #start(prepare: () => PreparedOperation, options: MessageRequestOptions): Promise<void> {
    let prepared: PreparedOperation | undefined;
    try {
      this.#rejectWhenDraining();
      // Backpressure: does not execute while the client is not reading.
      await this.#waitForCapacity();
      if (this.#hasEnded) return;
      prepared = prepare();
      await this.#run(prepared, options);
    } catch (error) {
      const errors = this.#dependencies.pipeline.reject(error, options, prepared, this.#running?.operation);
      this.#end(() => errors);
    }
  }

  /** Whether the operation is an active subscription, which does not end by itself. */
  get isSubscribed(): boolean {
    return this.#subscriber !== undefined;
  }

  /** Bytes that wait in the queue of a subscription. */
  get queuedBytes(): number {
    return this.#subscriber?.queuedBytes ?? 0;
  }

  /** Continues writing; the transport calls it when the sink has capacity again. */
  flush(): void {
    const resume = this.#resumeWriting;
    this.#resumeWriting = undefined;
    if (resume) resume();
    else this.#subscriber?.flush();
  }

  /** Ends the operation without a message, because the client has completed it or has disconnected. */
  stop(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#running?.cancel();
    this.#subscriber?.leave();
    this.#resumeWriting?.();
  }

  end(failure?: unknown): void {
    const { pipeline } = this.#dependencies;
    this.#end(() => (failure === undefined ? undefined : pipeline.formatFailure(failure, this.#requestId)));
  }

  #end(formatErrors: () => readonly GraphQLFormattedError[] | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.writer.end(formatErrors());
  }

  async #run(prepared: PreparedOperation, { requestId, block, origin, connection }: MessageRequestOptions): Promise<void> {
    const { pipeline } = this.#dependencies;
    const isSubscription = prepared.operation.operation === 'subscription' || isLiveQuery(prepared.operation);
    // Each event of a subscription, and each result of a live query, has its own block.
    this.#running = pipeline.operations.begin(requestId, isSubscription ? undefined : block, origin);
    const { operation, end } = this.#running;
    try {
      await pipeline.waitForMinBlock(prepared, operation);
      if (isSubscription) await this.#subscribe(prepared, operation, connection);
      else await this.#executeOnce(prepared, operation);
      this.#running = undefined;
    } finally {
      end();
    }
  }

  async #executeOnce(prepared: PreparedOperation, operation: Operation): Promise<void> {
    const { pipeline } = this.#dependencies;
    const body = new EncodedBody(serializeResponse(await pipeline.execute(prepared, operation)));
    await this.#waitForCapacity();
    if (this.#hasEnded) return;
    this.writer.begin?.(pipeline.headerBlockOf(operation));
    this.writer.send({ body, cursor: undefined });
    this.end();
  }

  async #subscribe(prepared: PreparedOperation, operation: Operation, connection: SubscribingConnection): Promise<void> {
    const { pipeline } = this.#dependencies;
    const followed = await pipeline.sourceStreamOf(prepared, operation);
    try {
      if (!this.#hasEnded) this.#join(followed, prepared, operation, connection);
    } finally {
      if (!this.#subscriber) followed.stream.hold?.release();
    }
  }

  #join(followed: FollowedStream, prepared: PreparedOperation, operation: Operation, connection: SubscribingConnection): void {
    const { pipeline, groups } = this.#dependencies;
    this.#rejectWhenDraining();
    const shared: SharedOperation = {
      key: groupKey(prepared),
      // The group must not retain undeclared variables: clients can send any number of them.
      executeEvent: createEventExecutor(pipeline, { ...prepared, variables: undefined, blocks: undefined }, followed),
      isLive: isLiveQuery(prepared.operation),
      priceEvent: () => pipeline.preparer.priceEvent(prepared),
      retainDocument: (retainText) => pipeline.preparer.documents.retain(prepared.hash, prepared.document, retainText),
    };
    this.writer.begin?.();
    this.#subscriber = groups.join(shared, followed.stream, this, connection);
    pipeline.reportSubscribed(prepared, operation);
  }

  #rejectWhenDraining(): void {
    if (this.#dependencies.isDraining()) throw new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
  }

  async #waitForCapacity(): Promise<void> {
    while (!this.#hasEnded && this.writer.isFull()) {
      await new Promise<void>((resolve) => {
        this.#resumeWriting = resolve;
      });
    }
  }
}
