import { randomUUID } from 'node:crypto';
import type { GraphQLFormattedError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { GraphError } from '../errors.ts';
import type { Operation } from '../graphql/domain.ts';
import type { Execution, WrittenResult } from '../graphql/executor/index.ts';
import { streamFinder } from '../graphql/executor/subscribe.ts';
import { type Documents, type GraphRequest, type Prepared, Refusal } from '../graphql/pipeline/documents.ts';
import { answerOf, answerText, refusalOf } from '../graphql/pipeline/response.ts';
import type { StreamEvent } from '../graphql/stream.ts';
import type { Groups } from '../graphql/subscriptions/groups.ts';
import { keyOf } from '../graphql/subscriptions/key.ts';
import type { Subscriber } from '../graphql/subscriptions/subscriber.ts';
import type { Outlet, Told } from '../graphql/subscriptions/subscription-sink.ts';
import { asGraphQLError, type FailureLog, logFailures } from './failure-log.ts';
import { SHUTTING_DOWN } from './http-errors.ts';
import type { Operations, Running } from './operation-context.ts';

/** Where the answers of one operation go, and how it ends. */
export interface Channel {
  /** Whether nothing is to be written at present; `flush` of the task is to be called when that has ended. */
  isFull(): boolean;
  send(answer: Told): void;
  /** The last: with errors when the operation could not run, or not go on. */
  end(errors?: readonly GraphQLFormattedError[]): void;
}

/** What the way by which a request came adds to it. */
export interface Manner {
  readonly requestId: string;
  /** The block that a query is to be answered from. */
  readonly block?: string | undefined;
  /** Whether it may change anything; a request that is repeated at will may not. */
  readonly isSafe?: boolean;
  /** Whether each response is to have the cost of the operation. */
  readonly showsCost?: boolean;
}

export interface RunnerOptions {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly execute: (execution: Execution) => Promise<WrittenResult | undefined>;
  readonly operations: Operations;
  readonly contextOf: (operation: Operation) => object;
  readonly groups: Groups;
  readonly isDraining: () => boolean;
  readonly log: FailureLog;
}

type Tools = RunnerOptions & { readonly streamOf: ReturnType<typeof streamFinder> };

/** Callers are not told apart, so that all may share. */
const SCOPE = '';
/** Subscribers that requested costs share events with each other only. */
const SCOPE_WITH_COST = 'cost';

/** Begins operations of every kind for transports on which an answer is a message among others. */
export type Runner = (request: GraphRequest, channel: Channel, manner: Manner) => Task;

export function openRunner(options: RunnerOptions): Runner {
  const tools: Tools = { ...options, streamOf: streamFinder(options.schema) };
  return (request, channel, manner) => {
    const task = new Task(tools, channel, manner.requestId);
    void task.start(request, manner);
    return task;
  };
}

/** One operation of one client, from its request to its last message. */
export class Task implements Outlet {
  readonly #tools: Tools;
  readonly #channel: Channel;
  readonly #requestId: string;
  #running: Running | undefined;
  #subscriber: Subscriber | undefined;
  #onRoom: (() => void) | undefined;
  #isOver = false;

  constructor(tools: Tools, channel: Channel, requestId: string) {
    this.#tools = tools;
    this.#channel = channel;
    this.#requestId = requestId;
  }

  async start(request: GraphRequest, manner: Manner): Promise<void> {
    try {
      this.#refuseLate();
      // Who does not read what it has asked for gets no more made.
      await this.#room();
      if (this.#isOver) return;
      const prepared = this.#tools.documents.prepare(request, manner);
      const { operation } = prepared.operation;
      if (operation === 'mutation' && manner.isSafe) throw new GraphError('BAD_REQUEST', 'A mutation is sent with POST.');
      if (operation === 'subscription') await this.#subscribe(prepared, request);
      else await this.#ask(prepared, request, manner.block);
    } catch (error) {
      this.end(error);
    }
  }

  /** Whether it is a subscription that has begun, which goes on until somebody ends it. */
  get isListening(): boolean {
    return this.#subscriber !== undefined;
  }

  /** There is room in the channel again. */
  flush(): void {
    const goOn = this.#onRoom;
    this.#onRoom = undefined;
    if (goOn) goOn();
    else this.#subscriber?.flush();
  }

  /** The client wants no more of it, or is gone. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#running?.cancel();
    this.#subscriber?.leave();
    this.#onRoom?.();
  }

  isFull(): boolean {
    return this.#channel.isFull();
  }

  send(event: Told): void {
    this.#channel.send(event);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (error === undefined) this.#channel.end();
    else this.#refuse(error);
  }

  #refuse(error: unknown): void {
    const errors = error instanceof Refusal ? error.errors : [asGraphQLError(error)];
    logFailures(this.#tools.log, errors, this.#requestId);
    this.#channel.end(refusalOf(errors, this.#requestId));
  }

  async #ask({ document, operation, estimate }: Prepared, { variables }: GraphRequest, block: string | undefined): Promise<void> {
    const running = this.#begin(block);
    if (estimate !== undefined) running.operation.estimate = estimate;
    try {
      const body = await answer(this.#tools, { document, operation, variables }, running.operation);
      await this.#room();
      if (this.#isOver) return;
      this.send({ body, cursor: undefined });
      this.end();
    } finally {
      running.end();
    }
  }

  async #subscribe(prepared: Prepared, { variables }: GraphRequest): Promise<void> {
    const { streamOf, contextOf, groups, documents } = this.#tools;
    const { document, operation, estimate } = prepared;
    const execution = { document, operation, variables };
    const running = this.#begin(undefined);
    try {
      const context = { operation: running.operation, ...contextOf(running.operation) };
      const stream = await streamOf({ ...execution, context });
      if (this.#isOver) return;
      this.#refuseLate();
      const shared = {
        key: keyOf(prepared, variables, estimate === undefined ? SCOPE : SCOPE_WITH_COST),
        answer: answerer(this.#tools, { document, operation, variables: declared(operation, variables) }, estimate),
        hold: () => documents.hold(prepared),
      };
      this.#subscriber = groups.join(shared, stream, this);
    } finally {
      running.end();
      this.#running = undefined;
    }
  }

  #refuseLate(): void {
    if (this.#tools.isDraining()) throw new GraphError('SHUTTING_DOWN', SHUTTING_DOWN);
  }

  #begin(block: string | undefined): Running {
    this.#running = this.#tools.operations.begin(this.#requestId, block);
    return this.#running;
  }

  async #room(): Promise<void> {
    while (!this.#isOver && this.#channel.isFull()) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
  }
}

type Asked = Omit<Execution, 'context'>;

/** The variables that an operation has. Clients may send others, of any length, which nobody is to keep. */
function declared({ variableDefinitions = [] }: OperationDefinitionNode, given: GraphRequest['variables'] = {}) {
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])));
}

/** Executes a subscription over each of its events, as an operation of its own. */
const answerer =
  (tools: Tools, asked: Asked, estimate: number | undefined) =>
  async (event: StreamEvent): Promise<Told> => {
    const { operation, end } = tools.operations.begin(randomUUID(), event.block);
    const run = { ...operation, event, ...(estimate !== undefined && { estimate }) };
    const body = await answer(tools, { ...asked, root: event.root }, run).finally(end);
    return { body, cursor: event.cursor };
  };

/** Runs what was prepared, and gives the answer as it is sent. Does not reject. */
async function answer({ execute, contextOf, log }: Tools, asked: Asked, operation: Operation): Promise<Buffer> {
  const { requestId, event } = operation;
  try {
    const result = await execute({ ...asked, context: { operation, ...contextOf(operation) } });
    if (!result) throw new Error('an operation that was found good cannot be run');
    if (result.errors) logFailures(log, result.errors, requestId);
    return bytesOf(answerText(answerOf(result, operation)));
  } catch (error) {
    const failure = asGraphQLError(error);
    logFailures(log, [failure], requestId);
    return bytesOf(answerText({ errors: refusalOf([failure], requestId, event), data: null }));
  }
}

/** A text in UTF-8, in memory of its own: in that of Node's pool, one that waits for a reader would hold ten times its length. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
