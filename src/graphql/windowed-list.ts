/**
 * A list whose windows are loaded, written and released one after the other, so that memory follows a window instead of the list. A resolver
 * returns it in place of an array that would be large. The first window starts to load when the list is written.
 */
export class WindowedList<T> {
  readonly windows: () => AsyncIterable<readonly T[]>;

  constructor(windows: () => AsyncIterable<readonly T[]>) {
    this.windows = windows;
  }
}
