import type { CallMeter } from '../upstream/call-meter.ts';
import type { SourceEvent } from './stream.ts';

/** One execution of one GraphQL document for one client. */
export interface Operation {
  /** Identifies the request in responses, errors and the log. */
  readonly requestId: string;
  /** Aborts with a GraphError at the deadline, and when the client disconnects. */
  readonly signal: AbortSignal;
  /** The block that the request pins, a hash or a number as 0x-hex; undefined for the head. */
  readonly block?: string | undefined;
  /** The event that this execution of a subscription is for. */
  readonly event?: SourceEvent | undefined;
  /** `extensions` of the response, by name; domains add their entries. */
  readonly extensions: Record<string, unknown>;
  /** Set by reads whose result can differ at the same head (prices, pending transactions), so that the response is not cached. */
  isVolatile: boolean;
  /** Counts the upstream calls, and ends the operation when they cost more than MAX_COST; undefined counts nothing. */
  readonly meter?: CallMeter;
  /** The estimated cost, when the request asks for its cost. */
  estimate?: number | undefined;
}

/** The part of a domain that the schema is composed from. */
export interface AnyDomain {
  /** Also the key of the domain's loaders in the context of an operation. */
  readonly name: string;
  /** Folder of SDL files, relative to the package root. */
  readonly schema: string;
  /** Each domain's resolvers are typed against its own SDL and context. */
  readonly resolvers: object;
}
