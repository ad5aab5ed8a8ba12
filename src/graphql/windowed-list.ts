/**
 * A list whose windows are loaded, written and released one after the other, so that memory follows a window instead of the list. A resolver
 * returns it in place of an array that would be large. The first window starts to load when the list is written.
 */
export class WindowedList<T> {
  /** Creates a list with the type of an array, which the resolver types demand and the executor does not. */
  static asArray<T>(windows: () => AsyncIterable<readonly T[]>): readonly T[] {
    return new WindowedList(windows) as unknown as readonly T[];
  }

  readonly windows: () => AsyncIterable<readonly T[]>;

  constructor(windows: () => AsyncIterable<readonly T[]>) {
    this.windows = windows;
  }
}
