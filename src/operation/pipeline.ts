import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { createExecutor, type SerializedResult } from '../graphql/executor/index.ts';
import { asGraphQLError, type FailureLog, logFailures } from '../graphql/format-error.ts';
import { namesChains, rootFieldNodes } from '../graphql/selection.ts';
import type { SourceStream, SourceStreamListener } from '../graphql/stream.ts';
import { INTROSPECTION_FIELDS } from '../graphql/validation/document-limits.ts';
import { untilAborted } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import { createHeadWait, type FollowedHead } from './head-wait.ts';
import { isLiveQuery, liveStream } from './live-query.ts';
import type { Operation } from './operation.ts';
import type { ObservedOperation, OperationObserver } from './operation-observer.ts';
import { OperationRegistry } from './operation-registry.ts';
import { OperationPreparer, type OperationPreparerOptions, RequestRejectedError } from './prepare.ts';
import type { PreparedOperation, RequestOptions } from './request.ts';
import { formatRequestErrors, formatResult } from './response.ts';
import { createResponseCache, type ResponseCache, type ResponseStore } from './response-cache.ts';
import { type FieldEvidence, TrustRecord } from './trust.ts';
import { trustReport } from './trust-report.ts';

export interface PipelineOptions extends OperationPreparerOptions {
  /** The head that operations with a minimum block wait for. */
  readonly follower: FollowedHead;
  /** The followers of other chains than the default one. @default no other chains */
  readonly otherFollowers?: readonly FollowedHead[] | undefined;
  /** What proves the fields, for requests that ask for verification. @default nothing */
  readonly evidence?: FieldEvidence | undefined;
  /** Creates the domains' loaders for an operation's context. */
  readonly contextOf: (operation: Operation) => object;
  /** Caches responses that depend on the head alone; undefined turns the response cache off. */
  readonly responseCache: ResponseStore | undefined;
  /**
   * Returns the seconds for which HTTP caches may store the response of an executed query (`Operation.lifetime`);
   * undefined forbids HTTP caches to store it.
   */
  readonly lifetimeOf?: ((operation: Operation) => number | undefined) | undefined;
  /** Returns `extensions.blocks` of an operation that has read other chains than the default one. */
  readonly blocksOf?: ((operation: Operation) => Promise<readonly object[] | undefined>) | undefined;
  readonly operationTimeoutMs: number;
  /** Whether responses have the form of GraphQL servers of execution clients, without `extensions`. @default false */
  readonly isDropIn?: boolean | undefined;
  /** Watch the operations. @default no observers */
  readonly observers?: readonly OperationObserver[];
  readonly log: FailureLog;
}

const LIVE_BLOCKS_MESSAGE = 'A live query reads other chains at their heads. Leave out the blocks of other chains.';

/** The source of a subscription's events, and the follower of their chain. */
export interface FollowedStream {
  readonly stream: SourceStream;
  readonly follower: FollowedHead;
}

/** Root fields that return the schema or the SDL of a subgraph. */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set([...INTROSPECTION_FIELDS, '_service']);

/**
 * The path of every operation on every transport: documents, limits, cost, deadline, context, response cache,
 * execution, error formatting and logging. HTTP (through Apollo Server), WebSocket and event streams share its
 * functions.
 */
export class OperationPipeline {
  readonly operations: OperationRegistry;
  /** Parses, validates and prices requests. Pass the errors that it throws to `reject`. */
  readonly preparer: OperationPreparer;
  readonly #options: PipelineOptions;
  readonly #executor: ReturnType<typeof createExecutor>;
  readonly #responseCache: ResponseCache | undefined;
  readonly #waitForHead: ReturnType<typeof createHeadWait>;
  /** End the live queries, once the follower has ended with an error. */
  readonly #liveEnds = new Set<SourceStreamListener['end']>();
  #followerError: GraphError | undefined;

  constructor(options: PipelineOptions) {
    const { schema, limits, responseCache, follower, operationTimeoutMs } = options;
    this.operations = new OperationRegistry(operationTimeoutMs, limits);
    this.preparer = new OperationPreparer(options);
    this.#options = options;
    this.#executor = createExecutor(schema);
    this.#responseCache = responseCache && createResponseCache(responseCache);
    this.#waitForHead = createHeadWait(follower, operationTimeoutMs);
    void follower.ended?.then((error) => {
      this.#followerError = error;
      for (const end of this.#liveEnds) end(error);
    });
  }

  /**
   * Waits until this process serves the newest head that another process of this server may have served, and until the
   * head has the height that the request requires. Sets `operation.head` if the request requires a height. Call it
   * before `execute` and `sourceStreamOf`. Rejects with BLOCK_NOT_YET or the reason of the operation's signal: pass the
   * error to `reject`.
   */
  async waitForMinBlock({ minBlock, blocks }: PreparedOperation, operation: Operation): Promise<void> {
    operation.blocks = blocks;
    const { pendingHead } = this.#options.follower;
    if (pendingHead) await untilAborted(pendingHead, operation.signal);
    if (minBlock === undefined) return;
    operation.minBlock = minBlock;
    operation.head = await this.#waitForHead(minBlock, operation.signal);
  }

  /**
   * Executes a query, a mutation, or one event of a subscription. `root` is the root value of the event. Does not
   * reject: failures are in the result.
   */
  async execute(prepared: PreparedOperation, operation: Operation, root?: unknown): Promise<FormattedExecutionResult> {
    const { requestId, event, origin } = operation;
    const startedAt = origin?.receivedAt ?? performance.now();
    const observed: ObservedOperation = { requestId, origin, definition: prepared.operation, startedAt, operation };
    for (const observer of this.#options.observers ?? []) observer.start?.(observed);
    try {
      if (prepared.estimate !== undefined) operation.estimate = prepared.estimate;
      operation.caller = prepared.caller;
      operation.trust = this.#createTrustRecord(prepared);
      operation.documentId = prepared.documentId;
      const cached = operation.blocks ? undefined : this.#responseCacheOf(prepared, operation)?.find(prepared, operation);
      const result = cached ?? (await this.#executeAndCache(prepared, operation, root));
      if (result.errors) logFailures(this.#options.log, result.errors, requestId);
      else this.#setLifetime(prepared, operation);
      const response = formatResult(result, operation, !this.#options.isDropIn);
      this.#report(observed, response.errors, result.data?.byteLength);
      return response;
    } catch (error) {
      const failure = asGraphQLError(error);
      logFailures(this.#options.log, [failure], requestId);
      const errors = formatRequestErrors([failure], requestId, event);
      this.#report(observed, errors);
      return { errors, data: null };
    }
  }

  /** In drop-in mode, returns the hash of the block that the operation has read, if any; else undefined. */
  headerBlockOf({ extensions }: Operation): string | undefined {
    return this.#options.isDropIn ? (extensions.block as { readonly hash?: string } | undefined)?.hash : undefined;
  }

  /**
   * Resolves the source stream of a subscription or of a live query, and the follower of its chain. Pass the error of a rejection to
   * `reject`.
   */
  async sourceStreamOf(prepared: PreparedOperation, operation: Operation): Promise<FollowedStream> {
    const { document, operation: node, variableValues, caller } = prepared;
    const { follower, otherFollowers = [] } = this.#options;
    if (isLiveQuery(node)) {
      if (prepared.blocks) throw new GraphError('BAD_USER_INPUT', LIVE_BLOCKS_MESSAGE);
      const followers = namesChains(node, document) ? otherFollowers : [];
      // A query of other chains outlives the default one, whose fields then fail.
      const endsWithDefault = followers.length === 0;
      if (endsWithDefault && this.#followerError) throw this.#followerError;
      return { stream: liveStream([follower, ...followers], endsWithDefault ? this.#liveEnds : new Set()), follower };
    }
    operation.caller = caller;
    operation.trust = this.#createTrustRecord(prepared);
    const request = { document, operation: node, variableValues, context: this.#createContext(operation) };
    const { stream, context } = await this.#executor.subscribe(request);
    return { stream, follower: (context as Partial<FollowedStream>).follower ?? follower };
  }

  /** Reports that a subscription has started; its events are reported as they execute. */
  reportSubscribed({ operation: definition, documentId }: PreparedOperation, operation: Operation): void {
    operation.documentId = documentId;
    const { requestId, origin } = operation;
    this.#report({ requestId, origin, definition, startedAt: origin?.receivedAt ?? performance.now(), operation });
  }

  /**
   * Logs, reports and formats the failure of a request that has not executed. `started`: a subscription that has failed
   * to start; it is reported if its start has a cost.
   */
  reject(
    error: unknown,
    { requestId, origin }: Pick<RequestOptions, 'requestId' | 'origin'>,
    prepared?: PreparedOperation,
    started?: Operation,
  ) {
    const formatted = this.formatFailure(error, requestId);
    const definition = prepared?.operation;
    const operation = started?.budget?.spent ? started : undefined;
    this.#report({ requestId, origin, definition, startedAt: origin.receivedAt, operation }, formatted);
    return formatted;
  }

  /** Logs and formats the failure of a request. */
  formatFailure(error: unknown, requestId: string): GraphQLFormattedError[] {
    const errors: readonly GraphQLError[] = error instanceof RequestRejectedError ? error.errors : [asGraphQLError(error)];
    logFailures(this.#options.log, errors, requestId);
    return formatRequestErrors(errors, requestId);
  }

  #report(observed: ObservedOperation, errors: readonly GraphQLFormattedError[] = [], responseBytes = 0): void {
    const durationMs = performance.now() - observed.startedAt;
    const codes = errors.map(({ extensions }) => String(extensions?.code));
    for (const observer of this.#options.observers ?? []) observer.end({ observed, durationMs, codes, responseBytes });
  }

  async #executeAndCache(prepared: PreparedOperation, operation: Operation, root: unknown): Promise<SerializedResult> {
    const { document, operation: node, variableValues } = prepared;
    // A new server version can change the schema, so HTTP caches may store it only until the next head.
    if (rootFieldNodes(node, document).some(({ name }) => SCHEMA_FIELDS.has(name.value))) operation.dependencies.addHead();
    const context = this.#createContext(operation);
    const request = { document, operation: node, variableValues, context, root, budget: operation.budget };
    const result = await this.#executor.execute(request);
    const { schema, evidence = {} } = this.#options;
    const blocks = operation.chains && (await this.#options.blocksOf?.(operation));
    if (blocks) operation.extensions.blocks = blocks;
    if (prepared.verify) operation.extensions.trust = trustReport(schema, prepared, evidence, operation.trust!);
    this.#responseCacheOf(prepared, operation)?.storeIfCacheable(prepared, operation, result);
    return result;
  }

  /** Undefined for a response to one caller, and for an event, whose operation retains no variables for the key. */
  #responseCacheOf({ caller }: PreparedOperation, { event }: Operation) {
    return caller || event ? undefined : this.#responseCache;
  }

  #createTrustRecord({ verify }: PreparedOperation): TrustRecord | undefined {
    if (!this.#options.verifiesLogs) return verify && new TrustRecord(verify);
    return new TrustRecord(new Set([...(verify ?? []), 'logs']));
  }

  #setLifetime(prepared: PreparedOperation, operation: Operation): void {
    // A response with a cost report describes one execution, so caches must not store it.
    const isPublic = !prepared.caller && operation.estimate === undefined;
    const isCacheable = prepared.operation.operation === 'query' && !operation.event && isPublic;
    operation.lifetime = isCacheable ? this.#options.lifetimeOf?.(operation) : undefined;
    // All data is final, so caches keep the response. A reorg can remove the head, so do not name the head.
    if (operation.lifetime === Number.POSITIVE_INFINITY && operation.block === undefined) delete operation.extensions.block;
  }

  #createContext(operation: Operation): object {
    return Object.assign(this.#options.contextOf(operation), { operation });
  }
}
