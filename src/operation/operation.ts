import type { Quantity } from '../ethereum/hex.ts';
import type { SourceEvent } from '../graphql/stream.ts';
import type { Cancellation } from '../lib/abort.ts';
import type { OperationBudget } from '../lib/operation-budget.ts';
import type { TraceContext } from '../lib/trace-context.ts';
import type { Head } from '../sync/head/follower.ts';
import { ResponseDependencies } from './response-dependencies.ts';
import type { TrustRecord } from './trust.ts';

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

/** What a request says of the block at which it reads one chain. */
export interface BlockRequest {
  /** The block, as a hash or a number in 0x-hex. @default the head */
  readonly block?: string | undefined;
  /** The minimum height of the block. */
  readonly minBlock?: bigint | undefined;
}

/** The blocks at which a request reads chains that it names, by chain id. */
export type BlocksOfChains = ReadonlyMap<Quantity, BlockRequest>;

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
  /** The requested blocks of other chains than the default one. Set before execution. */
  blocks?: BlocksOfChains | undefined;
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
  /** The parts of this operation that read other chains than the default one, by chain id. */
  chains?: Map<Quantity, Operation>;
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

/**
 * The part of an operation that reads another chain: at the block that the request names for this chain, or at the block of the event, with the caller, the
 * deadline and the budget of the operation.
 */
export function operationOnChain(operation: Operation, chainId: Quantity): Operation {
  const { block, minBlock, head, event, chains, blocks, ...shared } = operation;
  // A live query is executed at the head of the default chain.
  const requested = event && !event.isLive ? { block, event } : blocks?.get(chainId);
  const own: Operation = { ...shared, ...requested, extensions: {}, dependencies: new ResponseDependencies() };
  operation.chains ??= new Map();
  operation.chains.set(chainId, own);
  // The facts that decide how long a response is valid are those of the default chain.
  operation.dependencies.addVolatile();
  return own;
}

/** The block that an operation has read, of the default chain or of the chain of its event; undefined if it has read none. */
export const readBlockOf = ({ extensions, chains }: Operation) =>
  [extensions, ...[...(chains?.values() ?? [])].map((one) => one.extensions)].find(({ block }) => block)?.block as
    | { readonly hash?: string }
    | undefined;
