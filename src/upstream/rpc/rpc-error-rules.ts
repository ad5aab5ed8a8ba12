import type { ErrorCode } from '../../lib/errors.ts';

/** Messages of the errors of a node, by code. */
const MESSAGES = {
  NONCE_TOO_LOW: 'The nonce has already been used.',
  NONCE_TOO_HIGH: 'The nonce is ahead of the next nonce of the account.',
  FEE_TOO_LOW: 'The fee is below the base fee of the block.',
  TX_UNDERPRICED: 'The offered fee is too low to enter the pool or to replace the transaction with the same nonce.',
  INSUFFICIENT_FUNDS: 'The account cannot pay for the value and the gas.',
  INTRINSIC_GAS: 'The gas limit is below the intrinsic gas of the transaction.',
  TRANSACTION_REJECTED: 'The node rejected the transaction.',
  METHOD_NOT_SUPPORTED: 'The node does not support this method.',
  // The message omits the pruned resource, which `snapshot/history/pruned-blocks.ts` adds.
  HISTORY_PRUNED: 'The node has pruned the history of that block.',
  BLOCK_NOT_AVAILABLE: 'The node does not have that block.',
  EXECUTION_REVERTED: 'The execution of the contract failed.',
  RESULT_TOO_LARGE: 'The node limits the size of a log query. Request fewer blocks or a narrower filter.',
  UPSTREAM_RATE_LIMITED: 'The node limits the request rate.',
  UPSTREAM_QUOTA_EXCEEDED: 'The node has no quota left for this server.',
  UPSTREAM_AUTH: 'The node does not accept the credentials of this server.',
  UPSTREAM_ERROR: 'The node returned an error.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Returns the message of an error of a node. */
export const messageOf = (code: ErrorCode): string => MESSAGES[code as keyof typeof MESSAGES];

/** Maps error texts of nodes to an error code, with a message if it differs from the usual message of the code. */
type ErrorRule = readonly [pattern: RegExp, code: ErrorCode, message?: string];

/** Texts for rejected transactions. Source: geth, Erigon, Nethermind, Besu, Reth and anvil. */
const TRANSACTION_REJECTIONS: readonly ErrorRule[] = [
  [/nonce(?: is)? too low|nonce has already been used|oldnonce|invalid nonce.*below/i, 'NONCE_TOO_LOW'],
  [/nonce(?: is)? ?too ?(?:high|far|distant)|nonce ?gap|gapped-nonce|notcurrentnonce/i, 'NONCE_TOO_HIGH'],
  [/(?:fee|gas price).*(?:less|lower|below).*(?:base ?fee)|fee cap less than|max fee per gas less|basefee/i, 'FEE_TOO_LOW'],
  [
    /underpriced|replacement.*fee|replacementnotallowed|feetoolow|fee too low|could not replace|gas price (?:too low|below)/i,
    'TX_UNDERPRICED',
  ],
  [/insufficient (?:funds|balance)|insufficientfunds|upfront cost|enough funds|lack of funds/i, 'INSUFFICIENT_FUNDS'],
  [/intrinsic ?gas|floor data gas/i, 'INTRINSIC_GAS'],
  [/invalid signature|exceeds block gas limit/i, 'TRANSACTION_REJECTED'],
];

/** Texts for an unsupported method, and of Hardhat for a tracer, with any error code. */
const UNSUPPORTED_METHOD: ErrorRule = [
  /\bmethod \S* ?(?:does not exist|is not available|not (?:found|supported|enabled))|unsupported method|unknown method|only supports the default tracer/i,
  'METHOD_NOT_SUPPORTED',
];

/** Texts for a block that the node does not have, or no longer has. Source: geth, Nethermind, Reth, Erigon, Besu, Hardhat and anvil. */
const MISSING_BLOCK: readonly ErrorRule[] = [
  [
    /prun|neither stored nor reproducible|old data not available|missing trie node|state .*(?:not available|unavailable)|no state available|maximum proof window/i,
    'HISTORY_PRUNED',
  ],
  [
    /block ?out ?of ?range|header (?:for hash )?not found|invalid block tag|block ?hash cannot be found|unknown block|block (?:0x[0-9a-f]+ )?(?:is )?not found|resource not found|beyond (?:current )?head|unknown header|not canonical/i,
    'BLOCK_NOT_AVAILABLE',
  ],
];

/** Texts for a transaction that the node cannot find, which a trace needs. */
const MISSING_TRANSACTION: ErrorRule = [
  /transaction (?:0x[0-9a-f]+ )?not found|transaction indexing/i,
  'BLOCK_NOT_AVAILABLE',
  'The node does not have that transaction.',
];

/** Text of geth for a call that exceeded the time limit of the node, which is not a result of the call. */
export const EXECUTION_TIMEOUT = /execution aborted \(timeout/i;

export const EXECUTION_TIMEOUT_MESSAGE = 'The execution exceeded the time limit of the node.';

const PRECOMPILE_MESSAGE =
  'The node cannot move these precompiled contracts. Move only precompiled contracts, each to another address without an override.';
/** Texts of geth for state overrides that contradict each other. */
const OVERRIDE_REJECTION: ErrorRule = [/is not a precompile|already (?:been )?overridden/i, 'BAD_USER_INPUT', PRECOMPILE_MESSAGE];

/** Texts for a failed contract call, with any error code. */
const EXECUTION_FAILURE: ErrorRule = [
  /revert|execution aborted|invalid opcode|out of gas|gas uint64 overflow|gas required exceeds|stack (?:under|over)flow|invalid jump|return data out of bounds|vm execution error|evm error/i,
  'EXECUTION_REVERTED',
];

/** Texts for too many requests, which can name the range of time that the provider counts. */
const RATE_LIMIT: ErrorRule = [/rate limit|too many requests|requests? (?:per|over)\b|request limit/i, 'UPSTREAM_RATE_LIMITED'];

/** Texts for a log query with too many results. */
const LOG_RANGE_LIMIT: ErrorRule = [
  /more than [\d,]+ (?:results|logs)|(?:range|span)s? over \d|too many (?:results|logs|blocks)|(?:range|span).*(?:too|limit|exceed|large|wide|greater)|(?:limit|exceed|up to).*(?:range|\d blocks)|response size|response (?:is )?too large|max results|logs matched|requested blocks|smaller than size|blocks distance|query (?:timeout|timed out|duration)/i,
  'RESULT_TOO_LARGE',
];

/** Text of geth for a search of the pending block. */
const PENDING_LOGS: ErrorRule = [
  /pending logs are not supported/i,
  'METHOD_NOT_SUPPORTED',
  'The node does not search the logs of the pending block.',
];

/** Texts for the used-up quota of an account at the node provider. */
export const QUOTA: ErrorRule = [
  /monthly .*(?:capacity|quota|limit)|capacity limit exceeded|quota exceeded|out of (?:credits|compute units)/i,
  'UPSTREAM_QUOTA_EXCEEDED',
];

/** Error by JSON-RPC error code, for texts that match no rule. */
export const ERRORS_BY_CODE: Readonly<Record<number, readonly [ErrorCode, message?: string]>> = {
  [-32015]: ['EXECUTION_REVERTED'],
  [-32700]: ['UPSTREAM_PROTOCOL_ERROR', 'The node could not read the request.'],
  [-32600]: ['UPSTREAM_PROTOCOL_ERROR', 'The node rejected the request as invalid.'],
  [-32601]: ['METHOD_NOT_SUPPORTED'],
  [-32602]: ['UPSTREAM_PROTOCOL_ERROR', 'The node did not accept the parameters.'],
  [-32603]: ['UPSTREAM_INTERNAL', 'The node reported an internal error.'],
  [-32001]: ['BLOCK_NOT_AVAILABLE', 'The node does not have the requested resource.'],
  [-32002]: ['UPSTREAM_UNAVAILABLE', 'The node is temporarily unavailable.'],
  [-32004]: ['METHOD_NOT_SUPPORTED'],
  [-32604]: ['METHOD_NOT_SUPPORTED'],
  [-32005]: ['UPSTREAM_RATE_LIMITED'],
  [-32006]: ['UPSTREAM_PROTOCOL_ERROR', 'The node does not support this version of JSON-RPC.'],
  429: ['UPSTREAM_RATE_LIMITED'],
  4444: ['HISTORY_PRUNED'],
  [-32016]: ['EXECUTION_REVERTED', EXECUTION_TIMEOUT_MESSAGE],
  [-38020]: ['BAD_USER_INPUT', 'The heights of the simulated blocks do not ascend. Pass each above the previous height.'],
  [-38021]: ['BAD_USER_INPUT', 'The times of the simulated blocks do not ascend. Pass each after the previous time.'],
  [-38022]: ['BAD_USER_INPUT', PRECOMPILE_MESSAGE],
  [-38023]: ['BAD_USER_INPUT', PRECOMPILE_MESSAGE],
  [-38024]: ['BAD_USER_INPUT', 'The sender of a call has code. Pass an account without code, or omit `validation`.'],
  [-38015]: ['BAD_USER_INPUT', 'The calls need more gas than one block has. Pass calls with less gas.'],
  [-38025]: ['BAD_USER_INPUT', 'The initialisation code of a contract is too large. Pass less code.'],
  [-38026]: ['RESULT_TOO_LARGE', 'The node limits the size of a simulation. Pass fewer or smaller calls.'],
};

/** Error by JSON-RPC error code of `eth_sendRawTransaction`. Source: the error groups of the execution APIs. */
export const TRANSACTION_ERRORS_BY_CODE: Readonly<Record<number, ErrorCode>> = {
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

/** Errors of calls that mean TRANSACTION_REJECTED for `eth_sendRawTransaction`. */
export const CALL_ERROR_CODES: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_PROTOCOL_ERROR', 'EXECUTION_REVERTED']);

/** Whether a method executes a message call. */
export const executesCall = (method: string): boolean =>
  /^(?:eth_call|eth_estimateGas|eth_createAccessList|eth_simulateV1|debug_traceCall)$/.test(method);

/** Returns the rules of a method. Texts about a range apply to `eth_getLogs` only, texts about a missing block to methods with a block parameter. */
export function rulesFor(method: string): readonly ErrorRule[] {
  const callRules = executesCall(method) ? [OVERRIDE_REJECTION, EXECUTION_FAILURE] : [];
  const rules = [QUOTA, UNSUPPORTED_METHOD, ...callRules, RATE_LIMIT];
  if (method === 'eth_sendRawTransaction') return [...rules, ...TRANSACTION_REJECTIONS];
  if (method === 'eth_getLogs') return [...rules, PENDING_LOGS, LOG_RANGE_LIMIT, ...MISSING_BLOCK];
  if (executesCall(method)) return [...rules, ...TRANSACTION_REJECTIONS, ...MISSING_BLOCK];
  if (/^(?:debug_trace|trace_)/.test(method)) return [...rules, MISSING_TRANSACTION, ...MISSING_BLOCK];
  return /^eth_(?:get|feeHistory)/.test(method) ? [...rules, ...MISSING_BLOCK] : rules;
}
