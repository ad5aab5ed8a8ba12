/** Who sent a request: an application with a key or a token, or a local client of a server without keys. */
export interface Caller {
  /** The name of the application, which owns its webhook events; undefined for a local client, which may read the events of every application. */
  readonly app: string | undefined;
  /** When the identity expires, in milliseconds since 1970; undefined if it does not. */
  readonly expiresAt?: number | undefined;
}
