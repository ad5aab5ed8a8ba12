import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '../../../../src/lib/errors.ts';
import { ERRORS_BY_CODE } from '../../../../src/upstream/rpc/rpc-error-rules.ts';
import { errorFromRpcError, isAlreadyKnown } from '../../../../src/upstream/rpc/rpc-errors.ts';

const SEND = 'eth_sendRawTransaction';
const HASH = `0x${'ab'.repeat(32)}`;

test.each<[string, number, string, ErrorCode]>([
  ['geth', -32000, 'nonce too low: address 0x71562b71999873DB5b286dF957af199Ec94617F7, tx: 0 state: 1', 'NONCE_TOO_LOW'],
  ['geth', -32000, 'nonce too low: next nonce 5, tx nonce 3', 'NONCE_TOO_LOW'],
  ['geth', -32000, 'nonce too high: tx nonce 9, gapped nonce 3', 'NONCE_TOO_HIGH'],
  ['geth', -32000, 'transaction underpriced: gas tip cap 0, minimum needed 1', 'TX_UNDERPRICED'],
  ['geth', -32000, 'replacement transaction underpriced', 'TX_UNDERPRICED'],
  ['geth', -32000, 'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000', 'INSUFFICIENT_FUNDS'],
  ['geth', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', 'INTRINSIC_GAS'],
  ['geth', -32000, 'insufficient gas for floor data gas cost: gas 21000, minimum needed 21040', 'INTRINSIC_GAS'],
  ['geth', -32000, 'max fee per gas less than block base fee: address 0x71, maxFeePerGas: 1, baseFee: 875000000', 'FEE_TOO_LOW'],
  ['geth', -32000, 'max priority fee per gas higher than max fee per gas: address 0x71, maxFeePerGas: 1', 'TRANSACTION_REJECTED'],
  ['geth', -32000, 'exceeds block gas limit', 'TRANSACTION_REJECTED'],
  ['geth', -32000, 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)', 'TRANSACTION_REJECTED'],
  ['geth', -32000, 'invalid sender', 'TRANSACTION_REJECTED'],
  ['geth', -32602, 'invalid argument 0: hex string of odd length', 'TRANSACTION_REJECTED'],
  ['erigon', -32000, 'INTERNAL_ERROR: nonce too low', 'NONCE_TOO_LOW'],
  ['erigon', -32000, 'INTERNAL_ERROR: insufficient funds', 'INSUFFICIENT_FUNDS'],
  ['erigon', -32000, 'FEE_TOO_LOW: underpriced', 'TX_UNDERPRICED'],
  ['erigon', -32000, 'FEE_TOO_LOW: fee too low', 'TX_UNDERPRICED'],
  ['erigon', -32000, 'INTERNAL_ERROR: could not replace existing tx', 'TX_UNDERPRICED'],
  ['erigon', -32000, 'INTERNAL_ERROR: IntrinsicGas', 'INTRINSIC_GAS'],
  ['nethermind', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 3', 'NONCE_TOO_LOW'],
  ['nethermind', -32010, 'NonceGap, Future nonce. Expected nonce: 3', 'NONCE_TOO_HIGH'],
  ['nethermind', -32010, 'nonce too far in future', 'NONCE_TOO_HIGH'],
  ['nethermind', -32010, 'FeeTooLowToCompete', 'TX_UNDERPRICED'],
  ['nethermind', -32010, 'FeeTooLow', 'TX_UNDERPRICED'],
  ['nethermind', -32010, 'InsufficientFunds, Account balance: 0, cumulative cost: 21000', 'INSUFFICIENT_FUNDS'],
  ['nethermind', -32010, 'GasLimitExceeded', 'TRANSACTION_REJECTED'],
  ['besu', -32001, 'Nonce too low', 'NONCE_TOO_LOW'],
  ['besu', -32006, 'Nonce too high', 'NONCE_TOO_HIGH'],
  ['besu', -32004, 'Upfront cost exceeds account balance', 'INSUFFICIENT_FUNDS'],
  ['besu', -32003, 'Intrinsic gas exceeds gas limit', 'INTRINSIC_GAS'],
  ['besu', -32009, 'Gas price below configured minimum gas price', 'TX_UNDERPRICED'],
  ['besu', -32009, 'Gas price below current base fee', 'FEE_TOO_LOW'],
  ['besu', -32009, 'blob gas price below current blob base fee', 'FEE_TOO_LOW'],
  ['besu', -32000, 'Replacement transaction underpriced', 'TX_UNDERPRICED'],
  ['besu', -32002, 'Invalid signature', 'TRANSACTION_REJECTED'],
  ['besu', -32005, 'Transaction gas limit exceeds block gas limit', 'TRANSACTION_REJECTED'],
  ['besu', -32007, 'Sender account not authorized to send transactions', 'TRANSACTION_REJECTED'],
  ['besu', -32000, 'Wrong chainId', 'TRANSACTION_REJECTED'],
  ['reth', -32000, 'nonce too low: next nonce 5, tx nonce 3', 'NONCE_TOO_LOW'],
  ['reth', -32003, 'insufficient funds for gas * price + value: have 0 want 21000', 'INSUFFICIENT_FUNDS'],
  ['reth', -32003, 'max fee per gas less than block base fee', 'FEE_TOO_LOW'],
  ['reth', -32003, 'txpool is full', 'TRANSACTION_REJECTED'],
  ['anvil', -32003, 'nonce too low', 'NONCE_TOO_LOW'],
  ['anvil', -32003, 'Insufficient funds for gas * price + value', 'INSUFFICIENT_FUNDS'],
  ['anvil', -32003, 'intrinsic gas too low', 'INTRINSIC_GAS'],
  ['anvil', -32602, 'Failed to decode transaction', 'TRANSACTION_REJECTED'],
  ['a hosted node', 429, 'Your app has exceeded its compute units per second capacity.', 'UPSTREAM_RATE_LIMITED'],
  ['a hosted node', -32005, 'daily request count exceeded, request rate limited', 'UPSTREAM_RATE_LIMITED'],
  ['a node without the method', -32601, 'the method eth_sendRawTransaction does not exist', 'METHOD_NOT_SUPPORTED'],
  ['a failing node', -32603, 'Internal error', 'UPSTREAM_INTERNAL'],
  ['a slow node', -32002, 'request timed out', 'UPSTREAM_UNAVAILABLE'],
  ['a node by the error groups', 1, 'refused', 'NONCE_TOO_LOW'],
  ['a node by the error groups', 2, 'refused', 'NONCE_TOO_HIGH'],
  ['a node by the error groups', 800, 'refused', 'INTRINSIC_GAS'],
  ['a node by the error groups', 802, 'refused', 'TX_UNDERPRICED'],
  ['a node by the error groups', 806, 'refused', 'FEE_TOO_LOW'],
  ['a node by the error groups', 809, 'refused', 'INSUFFICIENT_FUNDS'],
  ['a node by the error groups', -38010, '', 'NONCE_TOO_LOW'],
  ['a node by the error groups', -38011, '', 'NONCE_TOO_HIGH'],
  ['a node by the error groups', -38012, '', 'FEE_TOO_LOW'],
  ['a node by the error groups', -38013, '', 'INTRINSIC_GAS'],
  ['a node by the error groups', -38014, '', 'INSUFFICIENT_FUNDS'],
  ['a node whose text contradicts its code', 1, 'insufficient funds', 'INSUFFICIENT_FUNDS'],
])('eth_sendRawTransaction error of %s, %i "%s", is %s', (_node, code, message, expected) => {
  expect(errorFromRpcError(SEND, { code, message }).code).toBe(expected);
});

test.each<[string, number, string, ErrorCode, boolean]>([
  ['geth', -32000, 'header not found', 'BLOCK_NOT_AVAILABLE', true],
  ['geth', -32000, 'header for hash not found', 'BLOCK_NOT_AVAILABLE', true],
  ['geth', -32000, 'unknown block', 'BLOCK_NOT_AVAILABLE', true],
  ['geth', -32602, 'block range extends beyond current head block', 'BLOCK_NOT_AVAILABLE', true],
  ['geth', -32000, `missing trie node ${HASH} (path ) state ${HASH} is not available`, 'HISTORY_PRUNED', false],
  ['geth', -32000, `historical state ${HASH} is not available`, 'HISTORY_PRUNED', false],
  ['geth', 4444, 'pruned history unavailable', 'HISTORY_PRUNED', false],
  ['geth', -32601, 'the method eth_protocolVersion does not exist/is not available', 'METHOD_NOT_SUPPORTED', false],
  ['geth', -32602, 'missing value for required argument 1', 'UPSTREAM_PROTOCOL_ERROR', false],
  ['geth', -32002, 'request timed out', 'UPSTREAM_UNAVAILABLE', true],
  ['geth', -32003, 'response too large', 'RESULT_TOO_LARGE', false],
  ['geth', -32700, 'parse error', 'UPSTREAM_PROTOCOL_ERROR', false],
  ['geth', -32000, 'required historical state unavailable (reexec=128)', 'HISTORY_PRUNED', false],
  ['nethermind', -32602, `Receipts for block 9 (${HASH}) are neither stored nor reproducible`, 'HISTORY_PRUNED', false],
  ['nethermind', 4444, 'Pruned history unavailable', 'HISTORY_PRUNED', false],
  [
    'erigon',
    -32000,
    'old data not available due to pruning: requested block 200, history is available from block 150',
    'HISTORY_PRUNED',
    false,
  ],
  ['reth', 4444, 'pruned history unavailable: requested 1, earliest available 2', 'HISTORY_PRUNED', false],
  ['reth', -32602, 'distance to target block exceeds maximum proof window', 'HISTORY_PRUNED', false],
  ['a node by the execution APIs', 4444, '', 'HISTORY_PRUNED', false],
  ['erigon', -32000, 'block not found: 99', 'BLOCK_NOT_AVAILABLE', true],
  ['nethermind', -32001, '99 could not be found', 'BLOCK_NOT_AVAILABLE', true],
  ['nethermind', -32002, `No state available for block 100 (${HASH})`, 'HISTORY_PRUNED', false],
  ['besu', -32000, 'Block not found', 'BLOCK_NOT_AVAILABLE', true],
  ['besu', -32000, 'World state unavailable', 'HISTORY_PRUNED', false],
  ['besu', -32604, 'Method not enabled', 'METHOD_NOT_SUPPORTED', false],
  ['besu', -32005, 'Requested range exceeds maximum RPC range limit', 'RESULT_TOO_LARGE', false],
  ['besu', -32603, 'Internal error', 'UPSTREAM_INTERNAL', true],
  ['reth', -32001, `block not found: hash ${HASH}`, 'BLOCK_NOT_AVAILABLE', true],
  ['reth', -32000, 'state at block #100 is pruned', 'HISTORY_PRUNED', false],
  ['reth', -32602, 'query exceeds max block range 100000', 'RESULT_TOO_LARGE', false],
  ['reth', -32602, 'query exceeds max results 20000, retry with the range 1-500', 'RESULT_TOO_LARGE', false],
  ['anvil', -32602, 'BlockOutOfRangeError: block height is 5 but requested was 10', 'BLOCK_NOT_AVAILABLE', true],
  ['anvil', -32001, 'Resource not found', 'BLOCK_NOT_AVAILABLE', true],
  ['hardhat', -32000, `Received invalid block tag ${HASH}. Latest block number is 1`, 'BLOCK_NOT_AVAILABLE', true],
  ['hardhat', -32602, 'blockHash cannot be found', 'BLOCK_NOT_AVAILABLE', true],
  ['ganache', -32700, 'header not found', 'BLOCK_NOT_AVAILABLE', true],
  ['ganache', -32700, 'Cannot wrap a "object" as a json-rpc type', 'UPSTREAM_PROTOCOL_ERROR', false],
  ['a hosted node', -32005, 'query returned more than 10000 results', 'RESULT_TOO_LARGE', false],
  [
    'a hosted node',
    -32602,
    'Log response size exceeded. You can make requests with up to a 2K block range',
    'RESULT_TOO_LARGE',
    false,
  ],
  ['a hosted node', -32614, 'eth_getLogs is limited to a 10,000 range', 'RESULT_TOO_LARGE', false],
  ['a hosted node', -32701, 'exceed maximum block range: 50000', 'RESULT_TOO_LARGE', false],
  ['a hosted node', 35, 'ranges over 10000 blocks are not supported on freetier', 'RESULT_TOO_LARGE', false],
  ['a hosted node', -32005, 'project ID request rate exceeded', 'UPSTREAM_RATE_LIMITED', true],
  ['a hosted node', 429, 'Your app has exceeded its compute units per second capacity.', 'UPSTREAM_RATE_LIMITED', true],
  ['an unknown node', -32099, 'something', 'UPSTREAM_ERROR', false],
  ['an unknown node', 1, 'nonce too low', 'UPSTREAM_ERROR', false],
])('eth_getLogs error of %s, %i "%s", is %s, retryable: %s', (_node, code, message, expected, retryable) => {
  const { extensions } = errorFromRpcError('eth_getLogs', { code, message });
  expect(extensions).toMatchObject({ code: expected, retryable, method: 'eth_getLogs', rpcCode: code });
});

describe('errors of eth_call', () => {
  test.each([
    ['geth', 3, 'execution reverted: insufficient allowance'],
    ['geth', -32000, 'execution reverted'],
    ['geth', -32000, 'invalid opcode: INVALID'],
    ['geth', -32000, 'out of gas'],
    ['geth', -32000, 'stack underflow (0 <=> 1)'],
    ['nethermind', -32015, 'VM execution error.'],
    ['besu', -32000, 'Execution reverted'],
    ['hardhat', -32603, "Error: VM Exception while processing transaction: reverted with reason string 'x'"],
    ['anvil', -32603, 'EVM error OutOfGas'],
    ['any', 3, ''],
    ['a contract with the text of a node error as its revert reason', 3, 'execution reverted: unsupported method'],
    ['the same contract with another code', -32000, 'execution reverted: monthly limit exceeded'],
    ['geth at its own timeout', -32000, 'execution aborted (timeout = 5s)'],
  ])('eth_call error of %s, %i "%s", is EXECUTION_REVERTED', (_node, code, message) => {
    expect(errorFromRpcError('eth_call', { code, message }).extensions).toMatchObject({
      code: 'EXECUTION_REVERTED',
      retryable: false,
    });
  });

  test('code 3 of eth_sendRawTransaction is TRANSACTION_REJECTED', () => {
    expect(errorFromRpcError(SEND, { code: 3, message: 'x' }).code).toBe('TRANSACTION_REJECTED');
  });
});

test.each([
  ['geth', 'already known', true],
  ['erigon', 'ALREADY_EXISTS: already known', true],
  ['erigon', 'ALREADY_EXISTS: existing tx with same hash', true],
  ['nethermind', 'AlreadyKnown', true],
  ['besu', 'Known transaction', true],
  ['reth', 'already known', true],
  ['anvil', 'transaction already imported', true],
  ['any', 'nonce too low', false],
  ['any', 'unknown transaction type', false],
  ['any', undefined, false],
  ['any', 42, false],
])('isAlreadyKnown for the text of %s, "%s", returns %s', (_node, message, known) => {
  expect(isAlreadyKnown({ code: -32000, message })).toBe(known);
});

test('isAlreadyKnown accepts code 1000 with any text', () => {
  expect(isAlreadyKnown({ code: 1000, message: 'refused' })).toBe(true);
  expect(isAlreadyKnown({ code: 1, message: 'refused' })).toBe(false);
});

const secret = 'https://node.example/v2/hunter2';
const codes = [undefined, 3, -32003, ...Object.keys(ERRORS_BY_CODE).map(Number)];
const texts = [
  '',
  'nonce too low',
  'underpriced',
  'insufficient funds',
  'header not found',
  'too many results',
  'pruned',
  'base fee',
];

test.each([SEND, 'eth_getLogs'])('the text of a node error is never part of an error of %s', (method) => {
  const errors = codes.flatMap((code) =>
    texts.map((text) => errorFromRpcError(method, { code, message: `${text} at ${secret}` })),
  );
  const visible = errors.map(({ message, extensions, stack }) => JSON.stringify([message, extensions, stack]));
  expect(visible.filter((text) => text.includes('hunter2') || text.includes('node.example'))).toEqual([]);
});

test.each<[string, unknown, unknown]>([
  ['an empty object', undefined, undefined],
  ['a number in quotes', '-32601', 'x'],
  ['a fraction', -32601.5, 'x'],
  ['a number beyond the safe integers', 1e300, 'x'],
  ['a message that is an object', null, { text: 'x' }],
])('an error object with %s has no rpcCode', (_case, code, message) => {
  expect(errorFromRpcError('eth_call', { code, message }).extensions).toEqual({
    code: 'UPSTREAM_ERROR',
    retryable: false,
    source: 'node',
    method: 'eth_call',
  });
});

test('only the first 500 characters of an error text are searched', () => {
  expect(errorFromRpcError('eth_call', { code: 1, message: `${'x'.repeat(1_000_000)} header not found` }).code).toBe(
    'UPSTREAM_ERROR',
  );
});
