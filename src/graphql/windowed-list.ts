/** Writes the next items of a list. Returns a promise if the items need further data; it resolves when they are written, or have failed. */
export type WriteItems<T> = (items: readonly T[]) => Promise<void> | undefined;

/**
 * A list that is loaded and written in parts, so that memory follows a part instead of the list. A resolver returns it in place of an array
 * that would be large.
 */
export class WindowedList<T> {
  /** Creates a list with the type of an array, which the resolver types demand and the executor does not. */
  static asArray<T>(writeTo: (write: WriteItems<T>) => Promise<void>): readonly T[] {
    return new WindowedList(writeTo) as unknown as readonly T[];
  }

  /** Loads the items and passes them to `write`, in order. Starts when the list is written; resolves when all of its items are. */
  readonly writeTo: (write: WriteItems<T>) => Promise<void>;

  constructor(writeTo: (write: WriteItems<T>) => Promise<void>) {
    this.writeTo = writeTo;
  }
}
