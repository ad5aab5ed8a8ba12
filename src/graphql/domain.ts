import type { CallMeter } from '../upstream/call-meter.ts';
import type { FieldWeights } from './pipeline/cost/field-cost.ts';
import type { SourceEvent } from './stream.ts';

/** One run of one GraphQL document for one client. */
export interface Operation {
  /** Names the request in answers, errors and the log. */
  readonly requestId: string;
  /** Aborted with a GraphError when the deadline has passed, and when the client is gone. */
  readonly signal: AbortSignal;
  /** The block that the request wants to be answered from: a hash or a number, as 0x-hex. */
  readonly block?: string | undefined;
  /** The event that a subscription is executed over. */
  readonly event?: SourceEvent | undefined;
  /** What the answer tells beside its data, by name; domains put it here. */
  readonly extensions: Record<string, unknown>;
  /** Set by whatever reads something that may be another at the same head: prices, what is pending, what does not exist yet. */
  isVolatile: boolean;
  /** Counts the upstream calls, and ends the operation when they cost more than MAX_COST; nothing is counted without one. */
  readonly meter?: CallMeter;
  /** The estimated cost, where the request asks for its cost. */
  estimate?: number | undefined;
}

/** One subject of the graph with all that belongs to it: its SDL, its resolvers and its way to the upstream. */
export interface Domain<Name extends string, Settings, View, Loaders> {
  /** Also the name under which an operation's context carries the loaders. */
  readonly name: Name;
  /** Folder of SDL files, from the package root. */
  readonly schema: string;
  // Each domain's resolvers are typed against its own SDL and context; only that they are resolvers matters here.
  readonly resolvers: object;
  /** What its fields cost upstream, for the limit on operations. */
  readonly weights: FieldWeights;
  /** Once a process: gives what makes the loaders of each operation from that operation's view of the upstream. */
  readonly create: (settings: Settings) => (view: View) => Loaders;
}

/** What the graph is made of, whatever a domain reads from. */
export type AnyDomain = Pick<Domain<string, never, never, unknown>, 'name' | 'schema' | 'resolvers'>;
