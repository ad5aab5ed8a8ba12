import { type ErrorCode, type ErrorDetail, GraphError } from '../../errors.ts';
import type { JsonResponse } from '../http-request.ts';

/** The error object of a JSON-RPC answer, as far as it can be trusted to be there. */
export interface NodeRpcError {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Characters of a node's text that are looked at. */
const MAX_MESSAGE_LENGTH = 500;

type ErrorRule = readonly [when: RegExp, code: ErrorCode, message: string, detail?: ErrorDetail];

/** What nodes say about a transaction that they will not take. Source: geth, Erigon, Nethermind, Besu, Reth and anvil. */
const TRANSACTION_REJECTIONS: readonly ErrorRule[] = [
  [
    /nonce(?: is)? too low|nonce has already been used|oldnonce|invalid nonce.*below/i,
    'NONCE_TOO_LOW',
    'The nonce was used before.',
  ],
  [/nonce(?: is)? too (?:high|far)|noncegap|nonce gap/i, 'NONCE_TOO_HIGH', 'The nonce is too far ahead of the account.'],
  [
    /(?:fee|gas price).*(?:less|lower|below).*(?:base ?fee)|fee cap less than|max fee per gas less|basefee/i,
    'FEE_TOO_LOW',
    'The fee is below the base fee of the block.',
  ],
  [
    /underpriced|replacement.*fee|feetoolow|fee too low|could not replace|gas price (?:too low|below)/i,
    'TX_UNDERPRICED',
    'The offered fee is too low to enter the pool or to replace the transaction with the same nonce.',
  ],
  [
    /insufficient (?:funds|balance)|insufficientfunds|upfront cost exceeds/i,
    'INSUFFICIENT_FUNDS',
    'The account cannot pay for the value and the gas.',
  ],
  [/intrinsic ?gas|floor data gas/i, 'INTRINSIC_GAS', 'The gas limit is below what the transaction costs before it runs.'],
  [/invalid signature|exceeds block gas limit/i, 'TRANSACTION_REJECTED', 'The node rejected the transaction.'],
];

/** What nodes say about a method that they do not have, under whatever number. */
const UNSUPPORTED_METHOD: ErrorRule = [
  /\bmethod \S* ?(?:does not exist|is not available|not (?:found|supported|enabled))|unsupported method|unknown method/i,
  'METHOD_NOT_SUPPORTED',
  'The node does not have this method.',
];

/** What nodes say about a block that they do not have. */
const MISSING_BLOCK: readonly ErrorRule[] = [
  [/prun\w* history|history .*pruned/i, 'BLOCK_NOT_AVAILABLE', 'The node no longer keeps that block.', { retryable: false }],
  [
    /prun|missing trie node|state .*(?:not available|unavailable)|no state available|old data not available/i,
    'BLOCK_NOT_AVAILABLE',
    'The node no longer keeps the state of that block.',
    { retryable: false },
  ],
  [
    /block ?out ?of ?range|header (?:for hash )?not found|invalid block tag|block ?hash cannot be found|unknown block|block (?:is )?not found|resource not found|beyond current head|unknown header|not canonical/i,
    'BLOCK_NOT_AVAILABLE',
    'The node does not have that block.',
  ],
];

/** What nodes say when the code of a contract fails, under whatever number. */
const EXECUTION_FAILURE: ErrorRule = [
  /revert|execution aborted|invalid opcode|out of gas|stack (?:under|over)flow|invalid jump|vm execution error|evm error/i,
  'EXECUTION_REVERTED',
  'The contract did not carry this out.',
];

/** What nodes say when a range of blocks has too many logs. */
const LOG_RANGE_LIMIT: readonly ErrorRule[] = [
  [
    /more than \d+ (?:results|logs)|ranges? over \d|too many (?:results|logs)|(?:block )?range.*(?:too|limit|exceed|large|wide)|(?:limit|exceed).*range|response size/i,
    'RESULT_TOO_LARGE',
    'The node will not answer so much at once; ask for fewer blocks or a narrower filter.',
  ],
];

/** What nodes say when the account of this server with them is used up. */
const QUOTA: ErrorRule = [
  /monthly .*(?:capacity|quota|limit)|capacity limit exceeded|quota exceeded|out of (?:credits|compute units)/i,
  'UPSTREAM_QUOTA_EXCEEDED',
  'The account of this server with the node is used up.',
];

/** An account that is used up is not there again soon, and nodes say so under the status of a rate limit too. */
const isQuota = (told: NodeRpcError | undefined): boolean =>
  typeof told?.message === 'string' && QUOTA[0].test(told.message.slice(0, MAX_MESSAGE_LENGTH));

/** What a number means where the text says nothing plain. */
const ERRORS_BY_CODE: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  [-32015]: ['EXECUTION_REVERTED', EXECUTION_FAILURE[2]],
  [-32700]: ['UPSTREAM_PROTOCOL_ERROR', 'The node could not read the request.'],
  [-32600]: ['UPSTREAM_PROTOCOL_ERROR', 'The node called the request invalid.'],
  [-32601]: ['METHOD_NOT_SUPPORTED', 'The node does not have this method.'],
  [-32602]: ['UPSTREAM_PROTOCOL_ERROR', 'The node did not accept the parameters.'],
  [-32603]: ['UPSTREAM_INTERNAL', 'The node failed inside.'],
  [-32001]: ['BLOCK_NOT_AVAILABLE', 'The node does not have what was asked for.'],
  [-32002]: ['UPSTREAM_UNAVAILABLE', 'The node is not able to answer at present.'],
  [-32004]: ['METHOD_NOT_SUPPORTED', 'The node does not have this method.'],
  [-32604]: ['METHOD_NOT_SUPPORTED', 'The node does not have this method.'],
  [-32005]: ['UPSTREAM_RATE_LIMITED', 'The node limits how often it may be asked.'],
  [-32006]: ['UPSTREAM_PROTOCOL_ERROR', 'The node does not speak this version of JSON-RPC.'],
  429: ['UPSTREAM_RATE_LIMITED', 'The node limits how often it may be asked.'],
  4444: ['BLOCK_NOT_AVAILABLE', 'The node no longer keeps that block.'],
};

/** What a number means of a transaction that was sent. Source: the error groups of the execution APIs. */
const TRANSACTION_ERRORS_BY_CODE: Readonly<Record<number, ErrorCode>> = {
  1: 'NONCE_TOO_LOW',
  [-38010]: 'NONCE_TOO_LOW',
  2: 'NONCE_TOO_HIGH',
  [-38011]: 'NONCE_TOO_HIGH',
  800: 'INTRINSIC_GAS',
  [-38013]: 'INTRINSIC_GAS',
  802: 'TX_UNDERPRICED',
  806: 'FEE_TOO_LOW',
  [-38012]: 'FEE_TOO_LOW',
  809: 'INSUFFICIENT_FUNDS',
  [-38014]: 'INSUFFICIENT_FUNDS',
};

/** What a number means of a call is, of a transaction that was sent, that the node will not have it. */
const CALL_ERROR_CODES: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED']);

/** A node's error text when the node already had the transaction that it was sent. */
const ALREADY_KNOWN =
  /already known|already imported|\bknown transaction|same hash|alreadyknown|already in (?:the )?(?:mem)?pool|transaction already exists/i;

const ALREADY_KNOWN_CODE = 1000;

/** Whether a refusal says that the node has this very transaction already. */
export const isAlreadyKnown = ({ code, message }: NodeRpcError): boolean =>
  code === ALREADY_KNOWN_CODE || (typeof message === 'string' && ALREADY_KNOWN.test(message));

/** Which texts mean something plain, for a method: "range" is about logs, and a block is missing only where one was named. */
function rulesFor(method: string): readonly ErrorRule[] {
  if (method === 'eth_sendRawTransaction') return [QUOTA, UNSUPPORTED_METHOD, ...TRANSACTION_REJECTIONS];
  if (method === 'eth_getLogs') return [QUOTA, UNSUPPORTED_METHOD, ...LOG_RANGE_LIMIT, ...MISSING_BLOCK];
  if (method === 'eth_call') return [QUOTA, UNSUPPORTED_METHOD, EXECUTION_FAILURE, ...MISSING_BLOCK];
  return /^eth_(?:get|estimateGas|feeHistory)/.test(method)
    ? [QUOTA, UNSUPPORTED_METHOD, ...MISSING_BLOCK]
    : [QUOTA, UNSUPPORTED_METHOD];
}

/**
 * Our own error for a node's. The node's text decides between codes and is never passed on: it may hold the endpoint's key.
 * Numbers mean different things at different nodes, so what a text says plainly goes before what its number may mean. `retryAfterMs` is the
 * wait that came with the answer, where one did.
 */
export function errorFromRpcError(method: string, { code, message }: NodeRpcError, retryAfterMs?: number): GraphError {
  const rpcCode = typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined;
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : '';
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const detail = { source: 'node', method, ...(rpcCode !== undefined && { rpcCode }), ...wait } as const;
  const sending = method === 'eth_sendRawTransaction';
  // A contract may have said anything in there.
  if (!sending && (rpcCode === 3 || /^execution reverted/i.test(text))) {
    return new GraphError('EXECUTION_REVERTED', EXECUTION_FAILURE[2], detail);
  }
  for (const [when, to, own, more] of rulesFor(method)) {
    if (rpcCode !== -32601 && when.test(text)) return new GraphError(to, own, { ...more, ...detail });
  }
  if (rpcCode === -32003) {
    return sending
      ? new GraphError('TRANSACTION_REJECTED', 'The node rejected the transaction.', detail)
      : new GraphError('RESULT_TOO_LARGE', 'The answer is larger than the node allows.', detail);
  }
  const refusal =
    sending && rpcCode !== undefined
      ? TRANSACTION_REJECTIONS.find(([, to]) => to === TRANSACTION_ERRORS_BY_CODE[rpcCode])
      : undefined;
  if (refusal) return new GraphError(refusal[1], refusal[2], detail);
  const known = rpcCode === undefined ? undefined : ERRORS_BY_CODE[rpcCode];
  if (known && !(sending && CALL_ERROR_CODES.has(known[0]))) {
    const gone = rpcCode === 4444 ? { retryable: false } : {};
    return new GraphError(known[0], known[1], { ...gone, ...detail });
  }
  if (sending) return new GraphError('TRANSACTION_REJECTED', 'The node rejected the transaction.', detail);
  return new GraphError('UPSTREAM_ERROR', 'The node answered with an error.', detail);
}

/** What an HTTP status means where the body is no answer to the call. */
const ERRORS_BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ['UPSTREAM_AUTH', 'The node does not accept the credentials of this server.'],
  402: ['UPSTREAM_QUOTA_EXCEEDED', 'The account of this server with the node is used up.'],
  403: ['UPSTREAM_AUTH', 'The node does not accept the credentials of this server.'],
  429: ['UPSTREAM_RATE_LIMITED', 'The node limits how often it may be asked.'],
};

/** The error object in something that a node sent, if there is one. */
export const rpcErrorIn = (entry: unknown): NodeRpcError | undefined =>
  typeof entry === 'object' && entry !== null && 'error' in entry && typeof entry.error === 'object' && entry.error !== null
    ? entry.error
    : undefined;

/** Our error for an answer without the entry that was asked for. */
export function errorFromResponse(method: string, { status, retryAfter, body }: JsonResponse): GraphError {
  const retryAfterMs = parseRetryAfter(retryAfter);
  const detail = { method, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = ERRORS_BY_STATUS[status];
  if (known) {
    // A list under such a status is refused for one reason, which each of its entries tells.
    const [, code, message] = isQuota(rpcErrorIn([body].flat()[0])) ? QUOTA : [undefined, ...known];
    return new GraphError(code, message, detail);
  }
  const wire = rpcErrorIn(body);
  if (wire) return errorFromRpcError(method, wire, retryAfterMs);
  if (status >= 400) return new GraphError('UPSTREAM_UNAVAILABLE', `The node answered with HTTP status ${status}.`, detail);
  return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node answered with something that is not JSON-RPC.', detail);
}

/** Milliseconds of a Retry-After, which is seconds or a date. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
