/**
 * A value that is valid for a time, such as a limit that an upstream has stated. After this time the default is valid
 * again, so that the next request shows whether the limit still applies.
 */
export class ExpiringValue<T> {
  readonly #default: T;
  #value: T;
  #validUntil = 0;

  constructor(defaultValue: T) {
    this.#default = defaultValue;
    this.#value = defaultValue;
  }

  /** The value that was set, or the default once that value has expired. */
  get current(): T {
    return this.#validUntil > 0 && performance.now() < this.#validUntil ? this.#value : this.#default;
  }

  /** Sets the value for `ms` milliseconds. */
  set(value: T, ms: number): void {
    this.#value = value;
    this.#validUntil = ms > 0 ? performance.now() + ms : 0;
  }
}
