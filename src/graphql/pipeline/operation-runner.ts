import { randomUUID } from 'node:crypto';
import type { GraphQLFormattedError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { GraphError } from '../../errors.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../server/requests/http-errors.ts';
import type { Operation } from '../domain.ts';
import type { ExecutionRequest, SerializedResult } from '../executor/index.ts';
import { createSourceStreamResolver } from '../executor/subscribe.ts';
import type { SourceEvent } from '../stream.ts';
import { groupKey } from '../subscriptions/group-key.ts';
import type { SubscriptionGroups } from '../subscriptions/groups.ts';
import type { EncodedEvent, SubscriptionSink } from '../subscriptions/operation-sink.ts';
import type { Subscriber } from '../subscriptions/subscriber.ts';
import { type DocumentStore, type GraphRequest, type PreparedOperation, RequestRejectedError } from './documents.ts';
import { asGraphQLError, type FailureLog, logFailures } from './failure-log.ts';
import type { OperationRegistry, RunningOperation } from './operation-registry.ts';
import { formatRequestErrors, formatResult, serializeResponse } from './response.ts';

/** Where the answers of one operation go, and how it ends. */
export interface OperationSink {
  /** Whether nothing is to be written at present; `flush` of the task is to be called when that has ended. */
  isFull(): boolean;
  send(executeToResponse: EncodedEvent): void;
  /** The last: with errors when the operation could not run, or not go on. */
  end(errors?: readonly GraphQLFormattedError[]): void;
}

/** What the way by which a request came adds to it. */
export interface RequestOptions {
  readonly requestId: string;
  /** The block that a query is to be answered from. */
  readonly block?: string | undefined;
  /** Whether it may change anything; a request that is repeated at will may not. */
  readonly isSafe?: boolean;
  /** Whether each response is to have the cost of the operation. */
  readonly showsCost?: boolean;
}

export interface OperationRunnerOptions {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentStore;
  readonly execute: (execution: ExecutionRequest) => Promise<SerializedResult | undefined>;
  readonly operations: OperationRegistry;
  readonly contextOf: (operation: Operation) => object;
  readonly groups: SubscriptionGroups;
  readonly isDraining: () => boolean;
  readonly log: FailureLog;
}

type RunnerDependencies = OperationRunnerOptions & { readonly streamOf: ReturnType<typeof createSourceStreamResolver> };

/** Callers are not told apart, so that all may share. */
const DEFAULT_GROUP_SCOPE = '';
/** Subscribers that requested costs share events with each other only. */
const COST_GROUP_SCOPE = 'cost';

/** Begins operations of every kind for transports on which an answer is a message among others. */
export type OperationRunner = (request: GraphRequest, channel: OperationSink, manner: RequestOptions) => OperationRun;

export function createOperationRunner(options: OperationRunnerOptions): OperationRunner {
  const tools: RunnerDependencies = { ...options, streamOf: createSourceStreamResolver(options.schema) };
  return (request, channel, manner) => {
    const task = new OperationRun(tools, channel, manner.requestId);
    void task.start(request, manner);
    return task;
  };
}

/** One operation of one client, from its request to its last message. */
export class OperationRun implements SubscriptionSink {
  readonly #dependencies: RunnerDependencies;
  readonly #sink: OperationSink;
  readonly #requestId: string;
  #running: RunningOperation | undefined;
  #subscriber: Subscriber | undefined;
  #resumeWriting: (() => void) | undefined;
  #hasEnded = false;

  constructor(tools: RunnerDependencies, channel: OperationSink, requestId: string) {
    this.#dependencies = tools;
    this.#sink = channel;
    this.#requestId = requestId;
  }

  async start(request: GraphRequest, manner: RequestOptions): Promise<void> {
    try {
      this.#rejectWhenDraining();
      // Who does not read what it has asked for gets no more made.
      await this.#waitForCapacity();
      if (this.#hasEnded) return;
      const prepared = this.#dependencies.documents.prepare(request, manner);
      const { operation } = prepared.operation;
      if (operation === 'mutation' && manner.isSafe) throw new GraphError('BAD_REQUEST', 'A mutation is sent with POST.');
      if (operation === 'subscription') await this.#subscribe(prepared, request);
      else await this.#executeOnce(prepared, request, manner.block);
    } catch (error) {
      this.end(error);
    }
  }

  /** Whether it is a subscription that has begun, which goes on until somebody ends it. */
  get isSubscribed(): boolean {
    return this.#subscriber !== undefined;
  }

  /** There is room in the channel again. */
  flush(): void {
    const goOn = this.#resumeWriting;
    this.#resumeWriting = undefined;
    if (goOn) goOn();
    else this.#subscriber?.flush();
  }

  /** The client wants no more of it, or is gone. */
  stop(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#running?.cancel();
    this.#subscriber?.leave();
    this.#resumeWriting?.();
  }

  isFull(): boolean {
    return this.#sink.isFull();
  }

  send(event: EncodedEvent): void {
    this.#sink.send(event);
  }

  end(error?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (error === undefined) this.#sink.end();
    else this.#endWithError(error);
  }

  #endWithError(error: unknown): void {
    const errors = error instanceof RequestRejectedError ? error.errors : [asGraphQLError(error)];
    logFailures(this.#dependencies.log, errors, this.#requestId);
    this.#sink.end(formatRequestErrors(errors, this.#requestId));
  }

  async #executeOnce(
    { document, operation, estimate }: PreparedOperation,
    { variables }: GraphRequest,
    block: string | undefined,
  ): Promise<void> {
    const running = this.#beginOperation(block);
    if (estimate !== undefined) running.operation.estimate = estimate;
    try {
      const body = await answer(this.#dependencies, { document, operation, variables }, running.operation);
      await this.#waitForCapacity();
      if (this.#hasEnded) return;
      this.send({ body, cursor: undefined });
      this.end();
    } finally {
      running.end();
    }
  }

  async #subscribe(prepared: PreparedOperation, { variables }: GraphRequest): Promise<void> {
    const { streamOf, contextOf, groups, documents } = this.#dependencies;
    const { document, operation, estimate } = prepared;
    const execution = { document, operation, variables };
    const running = this.#beginOperation(undefined);
    try {
      const context = { operation: running.operation, ...contextOf(running.operation) };
      const stream = await streamOf({ ...execution, context });
      if (this.#hasEnded) return;
      this.#rejectWhenDraining();
      const shared = {
        key: groupKey(prepared, variables, estimate === undefined ? DEFAULT_GROUP_SCOPE : COST_GROUP_SCOPE),
        executeEvent: createEventExecutor(
          this.#dependencies,
          { document, operation, variables: declaredVariables(operation, variables) },
          estimate,
        ),
        retainDocument: () => documents.retain(prepared),
      };
      this.#subscriber = groups.join(shared, stream, this);
    } finally {
      running.end();
      this.#running = undefined;
    }
  }

  #rejectWhenDraining(): void {
    if (this.#dependencies.isDraining()) throw new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
  }

  #beginOperation(block: string | undefined): RunningOperation {
    this.#running = this.#dependencies.operations.begin(this.#requestId, block);
    return this.#running;
  }

  async #waitForCapacity(): Promise<void> {
    while (!this.#hasEnded && this.#sink.isFull()) {
      await new Promise<void>((resolve) => {
        this.#resumeWriting = resolve;
      });
    }
  }
}

type ContextFreeRequest = Omit<ExecutionRequest, 'context'>;

/** The variables that an operation has. Clients may send others, of any length, which nobody is to keep. */
function declaredVariables({ variableDefinitions = [] }: OperationDefinitionNode, given: GraphRequest['variables'] = {}) {
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])));
}

/** Executes a subscription over each of its events, as an operation of its own. */
const createEventExecutor =
  (tools: RunnerDependencies, asked: ContextFreeRequest, estimate: number | undefined) =>
  async (event: SourceEvent): Promise<EncodedEvent> => {
    const { operation, end } = tools.operations.begin(randomUUID(), event.block);
    const run = { ...operation, event, ...(estimate !== undefined && { estimate }) };
    const body = await answer(tools, { ...asked, root: event.root }, run).finally(end);
    return { body, cursor: event.cursor };
  };

/** Runs what was prepared, and gives the answer as it is sent. Does not reject. */
async function answer(
  { execute, contextOf, log }: RunnerDependencies,
  asked: ContextFreeRequest,
  operation: Operation,
): Promise<Buffer> {
  const { requestId, event } = operation;
  try {
    const result = await execute({ ...asked, context: { operation, ...contextOf(operation) } });
    if (!result) throw new Error('an operation that was found good cannot be run');
    if (result.errors) logFailures(log, result.errors, requestId);
    return encodeUtf8(serializeResponse(formatResult(result, operation)));
  } catch (error) {
    const failure = asGraphQLError(error);
    logFailures(log, [failure], requestId);
    return encodeUtf8(serializeResponse({ errors: formatRequestErrors([failure], requestId, event), data: null }));
  }
}

/** A text in UTF-8, in memory of its own: in that of Node's pool, one that waits for a reader would hold ten times its length. */
function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
