/** JSON text in order, with placeholders for text that is not final yet. */
export type JsonChunks = (string | Placeholder)[];

/** Text that is written later, or that an error may still replace by null. */
export interface Placeholder {
  chunks: JsonChunks;
}

/** Resolves when a value and everything below it is written; undefined if that is already written. */
export type PendingWrite = Promise<unknown> | undefined;

/** Joins chunks once all are written. Repeated concatenation would build ropes, which are expensive to garbage-collect. */
export function joinChunks(chunks: JsonChunks): string {
  const isFlat = chunks.every((chunk) => typeof chunk === 'string');
  return (isFlat ? chunks : chunks.map((chunk) => (typeof chunk === 'string' ? chunk : joinChunks(chunk.chunks)))).join('');
}
