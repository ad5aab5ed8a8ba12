/** `default` follows GraphQL over HTTP; with `eip1767` a response with errors never has status 200. */
export type ErrorStatus = 'default' | 'eip1767';

/** The settings that select the HTTP status of a response with errors. */
export interface ErrorStatusOptions {
  readonly errorStatus: ErrorStatus;
  /** Whether an executed operation with errors has status 400, as in the GraphQL servers of execution clients. */
  readonly isDropIn?: boolean | undefined;
}

/** Statuses that routers and clients act on, so that drop-in mode retains them: credentials, size, rate and load. */
const RETAINED_STATUSES: ReadonlySet<number> = new Set([401, 413, 429, 503]);

/** Returns the HTTP status of a response with errors. `status`: that of its error codes; `isExecuted`: whether it has the key `data`. */
export function errorResponseStatus({ errorStatus, isDropIn }: ErrorStatusOptions, status: number, isExecuted: boolean): number {
  if (isDropIn && isExecuted) return RETAINED_STATUSES.has(status) ? status : 400;
  return isDropIn || errorStatus === 'eip1767' ? Math.max(status, 400) : status;
}
