import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { BlockRequest, BlocksOfChains, Caller, OperationOrigin } from './operation.ts';
import type { RequestedVerification } from './trust.ts';

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
export interface RequestOptions extends BlockRequest {
  readonly requestId: string;
  readonly origin: OperationOrigin;
  /** The sender of the request; undefined for a client without an identity. */
  readonly caller?: Caller | undefined;
  /** The blocks of other chains than the default one. */
  readonly blocks?: BlocksOfChains | undefined;
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
  /** The blocks of other chains than the default one. */
  readonly blocks?: BlocksOfChains | undefined;
  /** What the request asks to verify; undefined if it asks for nothing. */
  readonly verify?: RequestedVerification | undefined;
  /** The estimated cost, if the client requests the cost report. */
  readonly estimate?: number | undefined;
  /** The id of the document in the manifest of trusted documents, if it is trusted. */
  readonly documentId?: string | undefined;
}
