import { RevertError, revertPayloadOf } from '../../ethereum/revert-error.ts';
import type { Cancellation } from '../../lib/abort.ts';
import { type ErrorCode, GraphError, toGraphError } from '../../lib/errors.ts';
import { parseRetryAfter } from '../../lib/retry.ts';
import type { JsonResponse } from '../http-exchange.ts';
import { LogRangeError, parseLogRangeHint } from './log-range-limit.ts';
import { type NodeRpcError, rpcErrorIn } from './rpc-call.ts';
import {
  CALL_ERROR_CODES,
  ERRORS_BY_CODE,
  EXECUTION_TIMEOUT,
  EXECUTION_TIMEOUT_MESSAGE,
  executesCall,
  messageOf,
  QUOTA,
  rulesFor,
  TRANSACTION_ERRORS_BY_CODE,
} from './rpc-error-rules.ts';

/** Errors of an unavailable node. They do not show whether the node has a block or supports a method. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_CIRCUIT_OPEN',
  'UPSTREAM_RATE_LIMITED',
  'UPSTREAM_QUOTA_EXCEEDED',
  'UPSTREAM_AUTH',
]);

export const isUnavailable = ({ code }: GraphError): boolean => UNAVAILABLE_CODES.has(code);

/** Maximum number of characters of an error text that the rules search. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * Whether an error is about a used-up quota. An error about a used-up quota is not retryable, although providers send
 * it with the status of a rate limit.
 */
const isQuota = (rpcError: NodeRpcError | undefined): boolean =>
  typeof rpcError?.message === 'string' && QUOTA[0].test(rpcError.message.slice(0, MAX_MESSAGE_LENGTH));

/** Texts for a sent transaction that the node already has. */
const ALREADY_KNOWN =
  /already known|already imported|\bknown transaction|same hash|alreadyknown|already in (?:the )?(?:mem)?pool|transaction already exists/i;

const ALREADY_KNOWN_CODE = 1000;

/** Start of the text for a revert; Hardhat and Ganache begin it with the exception. */
const REVERT = /^(?:execution reverted|(?:error: )?vm exception while processing transaction: revert)/i;

/** Whether an error of `eth_sendRawTransaction` means that the node already has the transaction. */
export const isAlreadyKnown = ({ code, message }: NodeRpcError): boolean =>
  code === ALREADY_KNOWN_CODE || (typeof message === 'string' && ALREADY_KNOWN.test(message));

/**
 * Maps the error of a node to a GraphError. The text of the node selects the code and is never part of the message, because it can contain
 * the key of the endpoint. Nodes disagree on error codes, so a rule for the text has precedence over the code. `retryAfterMs` is the wait
 * from the HTTP header, if there is one.
 */
export function errorFromRpcError(method: string, { code, message, data }: NodeRpcError, retryAfterMs?: number): GraphError {
  const rpcCode = typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined;
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : '';
  const detail = {
    source: 'node',
    method,
    ...(rpcCode !== undefined && { rpcCode }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  } as const;
  const isTransaction = method === 'eth_sendRawTransaction';
  const isLogSearch = method === 'eth_getLogs';
  const isCall = executesCall(method);
  const toError = (errorCode: ErrorCode, ownMessage = messageOf(errorCode), hint = parseLogRangeHint): GraphError => {
    if (errorCode === 'EXECUTION_REVERTED') return new RevertError(ownMessage, detail, revertPayloadOf(data));
    if (errorCode === 'RESULT_TOO_LARGE' && isLogSearch) return new LogRangeError(hint(text), ownMessage, detail);
    return new GraphError(errorCode, ownMessage, detail);
  };
  // The rest of the text is the revert reason, which the contract chooses, so no rule may match it.
  if (!isTransaction && (rpcCode === 3 || REVERT.test(text))) return toError('EXECUTION_REVERTED');
  if (isCall && EXECUTION_TIMEOUT.test(text)) {
    return new GraphError('EXECUTION_REVERTED', EXECUTION_TIMEOUT_MESSAGE, detail);
  }
  const rule = rpcCode === -32601 ? undefined : rulesFor(method).find(([pattern]) => pattern.test(text));
  if (rule) return toError(rule[1], rule[2]);
  if (rpcCode === undefined) return toError(isTransaction ? 'TRANSACTION_REJECTED' : 'UPSTREAM_ERROR');
  if (rpcCode === -32003) {
    return isTransaction || (isCall && !/too large|size/i.test(text))
      ? toError('TRANSACTION_REJECTED')
      : toError('RESULT_TOO_LARGE', 'The response exceeds the size limit of the node.', () => ({ limitsBlocks: false }));
  }
  const rejection = isTransaction || (isCall && rpcCode < 0) ? TRANSACTION_ERRORS_BY_CODE[rpcCode] : undefined;
  if (rejection) return toError(rejection);
  const known = ERRORS_BY_CODE[rpcCode];
  if (known && !(isTransaction && CALL_ERROR_CODES.has(known[0]))) return toError(...known);
  if (isTransaction) return toError('TRANSACTION_REJECTED');
  return toError('UPSTREAM_ERROR', `The node returned an error (JSON-RPC code ${rpcCode}).`);
}

/** Error by HTTP status, for a response without the entry of the call. */
const ERRORS_BY_STATUS: Readonly<Record<number, readonly [ErrorCode, message?: string]>> = {
  401: ['UPSTREAM_AUTH', 'The node does not accept the credentials of this server (HTTP 401).'],
  402: ['UPSTREAM_QUOTA_EXCEEDED'],
  403: ['UPSTREAM_AUTH', 'The node does not accept the credentials of this server (HTTP 403).'],
  413: ['RESULT_TOO_LARGE', 'The request exceeds the size limit of the node. Pass fewer values in its lists.'],
  429: ['UPSTREAM_RATE_LIMITED'],
};

/** Whether a status is more precise than the errors in the body. With 403, nodes also reject single methods. */
export const isRejectedStatus = (status: number): boolean => status === 401 || status === 402 || status === 429;

export const redirectMessage = (status: number): string => `The node responded with a redirect (HTTP ${status}).`;

/** Maps an HTTP response without the entry of the call to a GraphError. */
export function errorFromResponse(method: string, { status, isHtml, retryAfter, body }: JsonResponse): GraphError {
  const retryAfterMs = parseRetryAfter(retryAfter);
  const detail = { method, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const known = ERRORS_BY_STATUS[status];
  if (known) {
    // All entries of a batch response with an error status have equal errors, so the first entry is enough.
    const [code, message = messageOf(code)] = isQuota(rpcErrorIn([body].flat()[0]))
      ? (['UPSTREAM_QUOTA_EXCEEDED'] as const)
      : known;
    return new GraphError(code, message, detail);
  }
  const rpcError = rpcErrorIn(body);
  if (rpcError) return errorFromRpcError(method, rpcError, retryAfterMs);
  if (status >= 400) return new GraphError('UPSTREAM_UNAVAILABLE', `The node responded with HTTP status ${status}.`, detail);
  if (status >= 300) return new GraphError('UPSTREAM_BAD_RESPONSE', redirectMessage(status), detail);
  const message = isHtml ? 'The node sent HTML in place of JSON.' : 'The node sent a response that is not JSON-RPC.';
  return new GraphError('UPSTREAM_BAD_RESPONSE', message, detail);
}

/** The error of a call without a response in time. */
export const timeoutError = (method: string): GraphError =>
  new GraphError('UPSTREAM_TIMEOUT', 'The node did not respond in time.', { method });

/** The reason of an aborted signal as a GraphError. */
export const toAbortError = ({ reason }: Cancellation): GraphError =>
  toGraphError(reason, 'UPSTREAM_UNAVAILABLE', 'The request to the node was aborted.');
