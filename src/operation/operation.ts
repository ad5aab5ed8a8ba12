import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { SourceEvent } from '../graphql/stream.ts';
import type { Cancellation } from '../lib/abort.ts';
import type { OperationBudget } from '../lib/operation-budget.ts';
import type { TraceContext } from '../lib/trace-context.ts';
import type { Head } from '../sync/head/follower.ts';
import type { ResponseDependencies } from './response-dependencies.ts';
import type { RequestedVerification, TrustRecord } from './trust.ts';

/** The sender of a request: an application with a key or a token, or a local client of a server without keys. */
export interface Caller {
  /**
   * The name of the application, which owns its webhook events; undefined for a local client, which may read the events
   * of all applications.
   */
  readonly app: string | undefined;
  /** Time at which the identity expires, in milliseconds since 1970; undefined if the identity does not expire. */
  readonly expiresAt?: number | undefined;
}

/** The transport of an operation: a single HTTP response, a WebSocket, or an event stream. */
export type Transport = 'http' | 'ws' | 'sse';

/** The origin of the request of an operation. */
export interface OperationOrigin {
  readonly transport: Transport;
  /** Time at which the request was received, by `performance.now()`. */
  readonly receivedAt: number;
  /** The trace of the client, if it sent a valid trace. */
  readonly trace: TraceContext | undefined;
  /** The application that sent the request; undefined for a client without an identity. */
  readonly app?: string | undefined;
  /** Key of the client in the rate limits; undefined if its requests are not limited. */
  readonly rateLimitKey?: string | undefined;
}

/** One execution of a GraphQL operation. */
export interface Operation {
  /** Identifies the request in responses, errors and the log. */
  readonly requestId: string;
  /** Aborts with a GraphError when the deadline passes and when the client disconnects. */
  readonly signal: Cancellation;
  /** Latest time at which the signal aborts, by `performance.now()`. */
  readonly deadline?: number;
  /** The request; undefined for an event of a subscription. */
  readonly origin?: OperationOrigin | undefined;
  /** The sender of the request, if the operation reads data of its caller. Set before execution. */
  caller?: Caller | undefined;
  /** The block requested by `x-graph-block`: a hash or a number, as 0x-hex. */
  readonly block?: string | undefined;
  /** The minimum height of the operation's block, requested by `x-graph-min-block`. */
  minBlock?: bigint | undefined;
  /**
   * The head that ended the wait for `minBlock`. Undefined without a wait: the operation then reads at the first head
   * that it sees.
   */
  head?: Head | undefined;
  /** The id of its trusted document. Set before execution. */
  documentId?: string | undefined;
  /** The checks of the operation's data, if the request asks for verification. Set before execution. */
  trust?: TrustRecord | undefined;
  /** The event over which a subscription is executed. */
  readonly event?: SourceEvent | undefined;
  /** `extensions` of the response. Domains add entries. */
  readonly extensions: Record<string, unknown>;
  /** The data on which the response depends. Domains record data that they read without the calls of the snapshot. */
  dependencies: ResponseDependencies;
  /**
   * Seconds for which HTTP caches may serve the response: Infinity if the response never changes, undefined if HTTP
   * caches must not store the response. Set after execution.
   */
  lifetime?: number | undefined;
  /** The resources that the operation uses, and their limits. Without a budget, nothing is counted or limited. */
  readonly budget?: OperationBudget;
  /** The estimated cost, if the client requests a cost report. */
  estimate?: number | undefined;
}

/** A GraphQL request as its transport parsed it. */
export interface GraphRequest {
  /** Empty if the request names a trusted document. */
  readonly query: string;
  /** The id of a trusted document. */
  readonly documentId?: string | undefined;
  /** An empty name counts as absent. */
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: unknown;
}

/** Options of a request that the transport derives from headers and from the kind of the transport. */
export interface RequestOptions {
  readonly requestId: string;
  readonly origin: OperationOrigin;
  /** The sender of the request; undefined for a client without an identity. */
  readonly caller?: Caller | undefined;
  /** The block that a query reads, as a hash or a number in 0x-hex. @default the head */
  readonly block?: string | undefined;
  /** The minimum height of the block that the operation reads, from the header `x-graph-min-block`. */
  readonly minBlock?: bigint | undefined;
  /** What to verify, from the header `x-graph-verify`. @default nothing */
  readonly verify?: RequestedVerification | undefined;
  /** Whether responses report `extensions.cost`. @default false */
  readonly showsCost?: boolean;
  /** Whether the request uses GET, which must not run a mutation. @default false */
  readonly isGet?: boolean;
}

/** What the weights of domains may read of an operation (`PricingContext.facts`). */
export interface OperationFacts {
  /** Height of the operation's pinned block, by default of the head; undefined while it is unknown. */
  readonly head?: number | undefined;
  /** Whether logs of ranges are read with the headers and receipts that prove them. @default false */
  readonly verifiesLogs?: boolean | undefined;
}

/** An operation that passed validation, the document limits and the cost check. */
export interface PreparedOperation {
  readonly document: DocumentNode;
  /** SHA-256 of the document's text, in hex. */
  readonly hash: string;
  readonly operation: OperationDefinitionNode;
  /** The variables as the client sent them, undeclared ones included. */
  readonly variables?: GraphRequest['variables'];
  /** The declared variables, coerced to their types. */
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** The sender of the request, if the operation reads data of its caller; undefined for public data. */
  readonly caller?: Caller | undefined;
  /** The minimum height of the block that the operation reads. */
  readonly minBlock?: bigint | undefined;
  /** What the request asks to verify; undefined if it asks for nothing. */
  readonly verify?: RequestedVerification | undefined;
  /** The estimated cost, if the client requests the cost report. */
  readonly estimate?: number | undefined;
  /** The id of the document in the manifest of trusted documents, if it is trusted. */
  readonly documentId?: string | undefined;
}

/** An operation that an observer watches, before its execution. */
export interface ObservedOperation {
  readonly requestId: string;
  /** Undefined for an event of a subscription. */
  readonly origin: OperationOrigin | undefined;
  /** The operation as the client wrote it; undefined for a request that is rejected before its operation is known. */
  readonly definition: Pick<OperationDefinitionNode, 'name' | 'operation'> | undefined;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** The execution with its budget; undefined for a request that is rejected before its execution. */
  readonly operation: Operation | undefined;
}

/** The result of an operation: a response, the start of a subscription, one event of a subscription, or a rejection. */
export interface OperationRecord {
  /** The object that `start` received, if the operation was executed. */
  readonly observed: ObservedOperation;
  readonly durationMs: number;
  /** Codes of the errors of the response. */
  readonly codes: readonly string[];
  /** Size of the data of the response; 0 without data. */
  readonly responseBytes: number;
}

/** Watches operations of all transports, for metrics, the access log and traces. */
export interface OperationObserver {
  /** Called before an operation or an event executes. Its upstream requests continue the trace `operation.budget.trace`. */
  start?(operation: ObservedOperation): void;
  /** Called once for each operation and each event, with its result. */
  end(record: OperationRecord): void;
}
