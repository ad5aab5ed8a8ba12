/** JSON text in pieces, in order; some of them are still to come. */
export type Pieces = (string | Slot)[];

/** The place of what comes late, or of what may still turn out to be null. */
export interface Slot {
  pieces: Pieces;
}

/** When all that was begun has been written; undefined when it is already. */
export type Late = Promise<unknown> | undefined;

/**
 * The text of pieces that have all come. They are joined once, at the end: strings that are added are a tree in memory, which a
 * garbage collector has to carry about.
 */
export function textOf(pieces: Pieces): string {
  const isWhole = pieces.every((piece) => typeof piece === 'string');
  return (isWhole ? pieces : pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece.pieces)))).join('');
}
