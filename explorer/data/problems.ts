/**
 * Why a page lacks data: an invalid input, a node or a wizard service that does not respond, a server that cannot be reached, a part that
 * the schema of the server lacks, or another error.
 */
export type ProblemKind = 'invalid' | 'node' | 'service' | 'server' | 'missing' | 'other';

interface CodedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

const KINDS: Readonly<Record<string, ProblemKind>> = {
  BAD_USER_INPUT: 'invalid',
  GRAPHQL_VALIDATION_FAILED: 'missing',
  TIMEOUT: 'node',
  STALE_UPSTREAM: 'node',
  BLOCK_NOT_AVAILABLE: 'node',
  SHUTTING_DOWN: 'server',
};

/** The upstream codes of a node that responds: another request has another result. */
const RESPONDING = new Set(['UPSTREAM_ERROR', 'UPSTREAM_PROTOCOL_ERROR', 'UPSTREAM_BAD_RESPONSE']);

/** The kind of an error of a response, by its code and its source. */
export function problemOf({ extensions }: CodedError): ProblemKind {
  const code = String(extensions?.code);
  const kind = KINDS[code] ?? (code.startsWith('UPSTREAM_') && !RESPONDING.has(code) ? 'node' : 'other');
  return kind === 'node' && extensions?.source === 'wizard' ? 'service' : kind;
}

/** An operation whose data the node did not return. */
export class NodeUnavailable extends Error {}

/** The kind of a failed request: without a response, the server is not reachable. */
export const failureKind = (failure: Error): ProblemKind => (failure instanceof NodeUnavailable ? 'node' : 'server');
