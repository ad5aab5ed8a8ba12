/** An expected failure of the embedded network. The message names the remedy. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError';
  /** The server reports the failure with this code. */
  readonly code: 'BAD_USER_INPUT' | 'UPSTREAM_UNAVAILABLE';

  constructor(code: DevnetError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
