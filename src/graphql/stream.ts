import type { GraphError } from '../errors.ts';

/** One event of a subscription, before its operation is executed over it. */
export interface SourceEvent<Root = unknown> {
  /** What the root field reads: an object with the value under the field's name. */
  readonly root: Root;
  /** Hash of the block that the fields below are read at; the head at that moment when left out. */
  readonly block?: string | undefined;
  /** Behind this a subscriber can go on later, by the argument `after`. */
  readonly cursor?: string | undefined;
  /** Whether the event takes back an earlier one, as a removed log does. Undefined where the stream has no such events. */
  readonly removed?: boolean | undefined;
  /** Hashes of blocks that a reorg has removed and that the event is about; the fields below read what was read of them before. */
  readonly abandoned?: readonly string[] | undefined;
}

/** Events that belong together, as those of one change of the chain do: a subscriber gets all of them or, joining later, none. */
export type SourceEventBatch<Root = unknown> = readonly SourceEvent<Root>[];

export interface SourceStreamListener<Root = unknown> {
  next(batch: SourceEventBatch<Root>): void;
  /** The last that is told: with an error, or without one when everything has been said. */
  end(error?: GraphError): void;
}

/**
 * What a subscription's root field gives. Equal operations share one: it is opened for the first of them and stopped after the last.
 */
export interface SourceStream<Root = unknown> {
  /**
   * Starts to tell, never inside this call; gives what stops it, which is called once, also after `end`. After `end` nothing more is told. By now the
   * operation in which the stream was made is over, with its signal and its loaders.
   */
  subscribe(listener: SourceStreamListener<Root>): () => void;
  /**
   * What one subscriber gets before the batches that come from now on: what was missed behind a cursor, or the present state. Called
   * while the stream is open; where the stream stands is taken in the call itself, so that nothing is missing between the two and
   * nothing comes twice. Its iterator rejects with what ends that subscriber alone, such as CURSOR_EXPIRED.
   */
  readonly backlog?: ((signal: AbortSignal) => AsyncIterable<SourceEventBatch<Root>>) | undefined;
}

/** The argument by which a subscriber goes on behind a cursor. It decides the backlog alone, so operations that differ in it share a stream. */
export const RESUME_ARGUMENT = 'after';
