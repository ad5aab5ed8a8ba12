/**
 * Why a page lacks data: an invalid input, a node or a wizard service that does not respond, a server that cannot be reached or that
 * refuses requests because of their number, a part that the server or the chain lacks, history that the node has pruned, a cursor of a
 * block that a reorg has removed, or another error.
 */
export type ProblemKind = 'invalid' | 'node' | 'service' | 'server' | 'busy' | 'missing' | 'pruned' | 'expired' | 'other';

interface CodedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

const KINDS: Readonly<Record<string, ProblemKind>> = {
  BAD_USER_INPUT: 'invalid',
  GRAPHQL_VALIDATION_FAILED: 'missing',
  DOMAIN_NOT_CONFIGURED: 'missing',
  TIMEOUT: 'node',
  STALE_UPSTREAM: 'node',
  BLOCK_NOT_AVAILABLE: 'node',
  SHUTTING_DOWN: 'server',
  RATE_LIMITED: 'busy',
  OVERLOADED: 'busy',
  HISTORY_PRUNED: 'pruned',
  CURSOR_EXPIRED: 'expired',
};

/** The upstream codes of a node that responds: another request has another result. */
const RESPONDING = new Set(['UPSTREAM_ERROR', 'UPSTREAM_PROTOCOL_ERROR', 'UPSTREAM_BAD_RESPONSE']);

/** The kind of an error of a response, by its code and its source. */
export function problemOf({ extensions }: CodedError): ProblemKind {
  const code = String(extensions?.code);
  const kind = KINDS[code] ?? (code.startsWith('UPSTREAM_') && !RESPONDING.has(code) ? 'node' : 'other');
  return kind === 'node' && extensions?.source === 'wizard' ? 'service' : kind;
}

/** The lowest height that the node has, by the error for an older block; null where no error states it. */
export function earliestBlock(errors: readonly CodedError[]): number | null {
  const heights = errors.flatMap(({ extensions }) => (extensions?.earliest === undefined ? [] : Number(extensions.earliest)));
  return heights.length > 0 ? Math.max(...heights) : null;
}

interface PathError extends CodedError {
  readonly path?: readonly (string | number)[] | undefined;
}

/** Whether an error of a response is the reason for which the value at a path is missing: `token.transfers`. */
export const isMissing = (errors: readonly PathError[], path: string): boolean =>
  errors.some((error) => {
    const place = `${(error.path ?? []).join('.')}.`;
    return place.startsWith(`${path}.`) || `${path}.`.startsWith(place);
  });

/** An operation whose data the node did not return. */
export class NodeUnavailable extends Error {}

/** An operation that the server has not executed because of its number of requests. */
export class ServerBusy extends Error {}

/** Why a page cannot be updated. */
export type OutageKind = 'node' | 'server' | 'busy';

/** The kind of a failed request: without a response, the server is not reachable. */
export const failureKind = (failure: Error): OutageKind =>
  failure instanceof NodeUnavailable ? 'node' : failure instanceof ServerBusy ? 'busy' : 'server';
