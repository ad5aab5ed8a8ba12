import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../lib/errors.ts';

/** The response of a domain's own route: JSON, or an error in the format of GraphQL errors. */
export type DomainResponse =
  | { readonly status: 200; readonly body: unknown }
  | { readonly status: number; readonly code: ErrorCode; readonly message: string; readonly retryAfterMs?: number | undefined };

/** An HTTP route of a domain besides the graph. */
export interface DomainRoute {
  readonly method: 'POST';
  readonly path: string;
  /** Maximum size of a body; the server responds 413 to a larger body. */
  readonly maxBodyBytes: number;
  /** Receives the raw bytes of the body. `isConnected`: whether the client can still receive the response. */
  readonly handle: (body: Buffer, headers: IncomingHttpHeaders, isConnected: () => boolean) => Promise<DomainResponse>;
}
