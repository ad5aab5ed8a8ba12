/** JSON text in pieces, in order; some of them are still to come. */
export type JsonChunks = (string | Placeholder)[];

/** The place of what comes late, or of what may still turn out to be null. */
export interface Placeholder {
  chunks: JsonChunks;
}

/** When all that was begun has been written; undefined when it is already. */
export type PendingWrite = Promise<unknown> | undefined;

/**
 * The text of pieces that have all come. They are joined once, at the end: strings that are added are a tree in memory, which a
 * garbage collector has to carry about.
 */
export function joinChunks(pieces: JsonChunks): string {
  const isWhole = pieces.every((piece) => typeof piece === 'string');
  return (isWhole ? pieces : pieces.map((piece) => (typeof piece === 'string' ? piece : joinChunks(piece.chunks)))).join('');
}
