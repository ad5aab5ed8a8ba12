import type { CallMeter } from '../upstream/call-meter.ts';
import type { FieldWeights } from './pipeline/cost/field-cost.ts';
import type { SourceEvent } from './stream.ts';

/** One execution of a GraphQL operation. */
export interface Operation {
  /** Identifies the request in responses, errors and the log. */
  readonly requestId: string;
  /** Aborts with a GraphError when the deadline passes and when the client disconnects. */
  readonly signal: AbortSignal;
  /** The block requested by `x-graph-block`: a hash or a number, as 0x-hex. */
  readonly block?: string | undefined;
  /** The event over which a subscription is executed. */
  readonly event?: SourceEvent | undefined;
  /** `extensions` of the response. Domains add entries. */
  readonly extensions: Record<string, unknown>;
  /** Set when the response may differ at the same head: it reads gas prices, pending transactions, or something that does not exist yet. */
  isVolatile: boolean;
  /** Counts upstream calls and fails the operation when they cost more than MAX_COST. Without it, calls are not counted. */
  readonly meter?: CallMeter;
  /** The estimated cost, where the client requests a cost report. */
  estimate?: number | undefined;
}

/** A plug-in of the graph: SDL, resolvers, cost weights, and the loaders of its upstream. */
export interface Domain<Name extends string, Settings, Snapshot, Loaders> {
  /** Also the property of an operation's context that holds the loaders. */
  readonly name: Name;
  /** Folder of SDL files, from the package root. */
  readonly schema: string;
  // Each domain types its resolvers against its own SDL and context.
  readonly resolvers: object;
  /** Cost weights of its fields, for the limit MAX_COST. */
  readonly weights: FieldWeights;
  /** Called once per process. Returns a function that creates the loaders of an operation from its snapshot. */
  readonly create: (settings: Settings) => (snapshot: Snapshot) => Loaders;
}

/** The part of a domain that determines the schema. */
export type AnyDomain = Pick<Domain<string, never, never, unknown>, 'name' | 'schema' | 'resolvers'>;
