import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { RevertError } from '../../../../src/ethereum/revert-error.ts';
import type { ErrorCode } from '../../../../src/lib/errors.ts';
import { LogRangeError, type LogRangeHint, parseLogRangeHint } from '../../../../src/upstream/rpc/log-range-limit.ts';
import { ERRORS_BY_CODE } from '../../../../src/upstream/rpc/rpc-error-rules.ts';
import { errorFromRpcError, isAlreadyKnown } from '../../../../src/upstream/rpc/rpc-errors.ts';

describe('rpc errors', () => {
  const SEND = 'eth_sendRawTransaction';
  const HASH = `0x${'ab'.repeat(32)}`;

  test.each<[string, number, string, ErrorCode]>([
    ['geth', -32000, 'nonce too low: address 0x71562b71999873DB5b286dF957af199Ec94617F7, tx: 0 state: 1', 'NONCE_TOO_LOW'],
    ['geth', -32000, 'nonce too low: next nonce 5, tx nonce 3', 'NONCE_TOO_LOW'],
    ['geth', -32000, 'nonce too high: tx nonce 9, gapped nonce 3', 'NONCE_TOO_HIGH'],
    ['geth', -32000, 'transaction underpriced: gas tip cap 0, minimum needed 1', 'TX_UNDERPRICED'],
    ['geth', -32000, 'replacement transaction underpriced', 'TX_UNDERPRICED'],
    ['geth', -32000, 'insufficient funds for gas * price + value: balance 0, tx cost 21000', 'INSUFFICIENT_FUNDS'],
    ['geth', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', 'INTRINSIC_GAS'],
    ['geth', -32000, 'insufficient gas for floor data gas cost: gas 21000, minimum needed 21040', 'INTRINSIC_GAS'],
    ['geth', -32000, 'max fee per gas less than block base fee: address 0x71, maxFeePerGas: 1', 'FEE_TOO_LOW'],
    ['geth', -32000, 'max priority fee per gas higher than max fee per gas: address 0x71', 'TRANSACTION_REJECTED'],
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
    ['nethermind', -32010, 'NonceTooFarInFuture', 'NONCE_TOO_HIGH'],
    ['nethermind', -32010, 'NotCurrentNonceForDelegation', 'NONCE_TOO_HIGH'],
    ['nethermind', -32010, 'ReplacementNotAllowed', 'TX_UNDERPRICED'],
    ['besu', -32000, 'Transaction nonce is too distant from current sender nonce', 'NONCE_TOO_HIGH'],
    ['geth', -32000, 'gapped-nonce tx from delegated accounts', 'NONCE_TOO_HIGH'],
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
    ['erigon', -32000, 'old data not available due to pruning: requested block 200', 'HISTORY_PRUNED', false],
    ['reth', 4444, 'pruned history unavailable: requested 1, earliest available 2', 'HISTORY_PRUNED', false],
    ['reth', -32602, 'distance to target block exceeds maximum proof window', 'HISTORY_PRUNED', false],
    ['a node by the execution APIs', 4444, '', 'HISTORY_PRUNED', false],
    ['erigon', -32000, 'block not found: 99', 'BLOCK_NOT_AVAILABLE', true],
    ['nethermind', -32001, '99 could not be found', 'BLOCK_NOT_AVAILABLE', true],
    ['nethermind', -32002, `No state available for block 100 (${HASH})`, 'HISTORY_PRUNED', false],
    ['besu', -32000, 'Block not found', 'BLOCK_NOT_AVAILABLE', true],
    ['besu', -32000, 'World state unavailable', 'HISTORY_PRUNED', false],
    ['besu', -32604, 'Method not enabled', 'METHOD_NOT_SUPPORTED', false],
    ['hardhat', -32602, 'Hardhat currently only supports the default tracer', 'METHOD_NOT_SUPPORTED', false],
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
    const error = errorFromRpcError('eth_call', { code: 1, message: `${'x'.repeat(1_000_000)} header not found` });
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', message: 'The node returned an error (JSON-RPC code 1).' });
  });
});

test.each(['eth_getBalance', 'eth_call', 'eth_getLogs', 'eth_sendRawTransaction'])(
  'a rate limit of %s is recognized by its text',
  (method) => {
    const errors = [
      { code: -32016, message: 'over rate limit' },
      { code: -32007, message: '15/second request limit reached - reduce calls per second' },
      { code: -32090, message: 'Too many requests, reason: call rate limit exhausted' },
    ];
    const limited = { code: 'UPSTREAM_RATE_LIMITED', extensions: { retryable: true } };
    expect(errors.map((error) => errorFromRpcError(method, error))).toMatchObject(errors.map(() => limited));
  },
);

describe('call errors', () => {
  test.each([
    [-32603, "Error: VM Exception while processing transaction: reverted with reason string 'quota exceeded'"],
    [-32603, "Error: VM Exception while processing transaction: reverted with reason string 'unsupported method'"],
    [-32000, 'VM Exception while processing transaction: revert out of credits'],
  ])('no rule matches the reason of a contract: %i, %s', (code, message) => {
    expect(errorFromRpcError('eth_call', { code, message }).code).toBe('EXECUTION_REVERTED');
  });

  const PAYLOAD = new Interface(['error Error(string)']).encodeErrorResult('Error', ['too late']);
  const HARDHAT_TEXT = "Error: VM Exception while processing transaction: reverted with reason string 'too late'";

  test('a call that exceeds the time limit of geth is an error and no result of the call', () => {
    const error = errorFromRpcError('eth_call', { code: -32000, message: 'execution aborted (timeout = 5s)' });
    expect(error).not.toBeInstanceOf(RevertError);
    expect(error.message).toBe('The execution exceeded the time limit of the node.');
  });

  test('-32003 of a call is a rejection, unless its text is about the size of the response', () => {
    const codeOf = (message: string) => errorFromRpcError('eth_call', { code: -32003, message }).code;
    expect([codeOf('Insufficient gas'), codeOf('response too large')]).toEqual(['TRANSACTION_REJECTED', 'RESULT_TOO_LARGE']);
  });

  test('the state that a trace needs is pruned', () => {
    const message = 'required historical state unavailable (reexec=128)';
    expect(errorFromRpcError('debug_traceTransaction', { code: -32000, message }).code).toBe('HISTORY_PRUNED');
  });

  describe('the payload of a revert', () => {
    test.each<[string, number, string, unknown]>([
      ['geth', 3, 'execution reverted: too late', PAYLOAD],
      ['Erigon', 3, 'execution reverted: too late', PAYLOAD],
      ['Besu', -32000, 'Execution reverted', PAYLOAD],
      ['Besu, with a reason', 3, 'Execution reverted (too late)', PAYLOAD],
      ['Nethermind', -32015, 'VM execution error.', `Reverted ${PAYLOAD}`],
      ['Nethermind, since 1.26', 3, 'execution reverted: too late', PAYLOAD],
      ['anvil', 3, 'execution reverted: too late', PAYLOAD],
      ['Hardhat', 3, HARDHAT_TEXT, { message: HARDHAT_TEXT, data: PAYLOAD }],
      ['old Hardhat', -32603, HARDHAT_TEXT, { message: HARDHAT_TEXT, txHash: '0x12', data: PAYLOAD }],
      ['Ganache', -32000, 'VM Exception while processing transaction: revert too late', PAYLOAD],
      ['Ganache, in an object', -32000, 'VM Exception while processing transaction: revert', { hash: null, result: PAYLOAD }],
      ['a node with upper-case hex', 3, 'execution reverted', `0x${PAYLOAD.slice(2).toUpperCase()}`],
    ])('the payload and the reason are read from the error of %s, %i "%s"', (_node, code, message, data) => {
      const error = errorFromRpcError('eth_call', { code, message, data });
      expect(error).toBeInstanceOf(RevertError);
      expect((error as RevertError).payload).toBe(PAYLOAD);
      expect(error.extensions).toMatchObject({ code: 'EXECUTION_REVERTED', data: PAYLOAD, reason: 'too late' });
    });

    test.each<[string, number, string, unknown]>([
      ['geth, with an invalid opcode', -32000, 'invalid opcode: INVALID', undefined],
      ['geth, out of gas', -32000, 'out of gas', undefined],
      ['geth, with too little gas for an estimate', -32000, 'gas required exceeds allowance (21000)', undefined],
      ['old geth', -32000, 'execution reverted', undefined],
      ['Nethermind, with an invalid opcode', -32015, 'VM execution error.', 'Bad instruction fe'],
      ['Reth', -32003, 'EVM error: InvalidFEOpcode', undefined],
      ['anvil', -32603, 'EVM error OutOfGas', undefined],
      ['a node with an odd number of digits', 3, 'execution reverted', '0x123'],
      ['a node with more than 1 MiB', 3, 'execution reverted', `0x${'00'.repeat(1_048_577)}`],
      ['a node with a list', 3, 'execution reverted', [PAYLOAD]],
      ['a node with a text', 3, 'execution reverted', 'https://node.example/v2/key'],
    ])('the error of %s, %i "%s", has no payload', (_node, code, message, data) => {
      const error = errorFromRpcError('eth_call', { code, message, data });
      expect(error).toBeInstanceOf(RevertError);
      expect((error as RevertError).payload).toBeUndefined();
      expect(error.extensions).not.toHaveProperty('data');
      expect(error.extensions).not.toHaveProperty('reason');
    });
  });

  test.each<[string, number, string, ErrorCode]>([
    ['geth', -32000, 'err: insufficient funds for gas * price + value: address 0x0 have 0 want 1', 'INSUFFICIENT_FUNDS'],
    ['geth', -32000, 'insufficient funds for transfer', 'INSUFFICIENT_FUNDS'],
    ['geth', -32000, 'err: intrinsic gas too low: have 1, want 21000 (supplied gas 1)', 'INTRINSIC_GAS'],
    ['geth', -32000, 'err: max fee per gas less than block base fee: address 0x0', 'FEE_TOO_LOW'],
    ['geth', -32000, 'missing trie node ab (path ) <nil>', 'HISTORY_PRUNED'],
    ['Besu', -32004, 'Upfront cost exceeds account balance', 'INSUFFICIENT_FUNDS'],
    ['Reth', -32003, 'insufficient funds for gas * price + value: have 0 want 1', 'INSUFFICIENT_FUNDS'],
    ['revm', -32000, 'lack of funds (0) for max fee (1)', 'INSUFFICIENT_FUNDS'],
    ['Hardhat', -32000, "Sender doesn't have enough funds to send tx.", 'INSUFFICIENT_FUNDS'],
    ['anvil', -32003, 'Insufficient funds for gas * price + value', 'INSUFFICIENT_FUNDS'],
    ['anvil', -32000, 'intrinsic gas too high -- CallGasCostMoreThanGasLimit', 'INTRINSIC_GAS'],
    ['a node by the error groups', -38013, 'refused', 'INTRINSIC_GAS'],
    ['a node by the error groups', -38014, 'refused', 'INSUFFICIENT_FUNDS'],
  ])('the call that %s rejects with %i "%s" is %s', (_node, code, message, expected) => {
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_simulateV1'])
      expect(errorFromRpcError(method, { code, message }).code).toBe(expected);
  });
});

describe('log range error', () => {
  const blocks = (maxBlocks?: number): LogRangeHint => ({ limitsBlocks: true, ...(maxBlocks && { maxBlocks }) });
  const results = (maxBlocks?: number, minResults?: number): LogRangeHint => ({
    limitsBlocks: false,
    ...(maxBlocks && { maxBlocks }),
    ...(minResults && { minResults }),
  });

  /** Texts as the services send them, and the limits that they state. */
  const REJECTIONS: readonly (readonly [service: string, code: number, text: string, hint: LogRangeHint])[] = [
    [
      'Alchemy',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x133333]',
      results(0x133334, 10_000),
    ],
    [
      'Alchemy without a range',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size',
      results(2_000),
    ],
    [
      'Alchemy (free)',
      -32600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.',
      blocks(10),
    ],
    [
      'Alchemy (timeout)',
      -32000,
      'Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]',
      results(0x1e9),
    ],
    [
      'Infura',
      -32005,
      'query returned more than 10000 results. Try with this block range [0x83D3F0, 0x83D5F3].',
      results(0x204, 10_000),
    ],
    ['Infura (range)', -32602, 'range 1000000 exceeds limit of 10000', blocks(10_000)],
    ['Infura (duration)', -32005, 'query timeout exceeded', results()],
    ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', blocks(10_000)],
    ['QuickNode (free)', -32614, 'eth_getLogs is limited to a 5 range', blocks(5)],
    ['BlastAPI', -32000, 'eth_getLogs is limited to a 10,000 blocks range', blocks(10_000)],
    ['BlastAPI (paid)', -32000, 'block range exceeds the range allowed for your plan (7000 > 5000).', blocks(5_000)],
    ['1RPC', -32602, 'eth_getLogs is limited to 0 - 10000 blocks range', blocks(10_000)],
    ['1RPC (size)', -32602, 'response size should not greater than 10000000 bytes', results()],
    ['BlockPI', -32602, 'eth_getLogs is limited to 1024 block range', blocks(1_024)],
    ['Ankr', -32600, 'block range is too wide', blocks()],
    ['Ankr (TAC)', -32000, 'maximum [from, to] blocks distance: 10000', blocks(10_000)],
    ['publicnode', -32701, 'exceed maximum block range: 50000', blocks(50_000)],
    ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier', blocks(10_000)],
    ['Cloudflare', -32047, 'Invalid eth_getLogs request. "fromBlock"-"toBlock" range too large. Max range: 800', blocks(800)],
    ['thirdweb', -32602, 'Maximum allowed number of requested blocks is 1000', blocks(1_000)],
    ['Coinbase', -32602, 'please limit the query to at most 1,000 blocks', blocks(1_000)],
    ['Chainstack', -32602, 'Block range limit exceeded. See more details at the documentation.', blocks()],
    ['Tenderly', -32602, 'range 9009594 is bigger than range limit 2000', blocks(2_000)],
    ['Merkle', -32602, 'eth_getLogs range is too large, max is 10k blocks', blocks(10_000)],
    ['Swell', -32602, 'block range greater than 10000 max', blocks(10_000)],
    ['Somnia', -32602, 'block range exceeds 1000', blocks(1_000)],
    ['Harmony', -32000, 'query must be smaller than size 1024', blocks(1_024)],
    ['Moonbeam', -32603, 'block range is too wide (maximum 1024)', blocks(1_024)],
    ['Aurora', -32602, 'You can make eth_getLogs requests with up to a 2000 block range.', blocks(2_000)],
    ['Avalanche', -32000, 'requested too many blocks from 3 to 5000003, maximum is set to 2048', blocks(2_048)],
    ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000', results(undefined, 10_000)],
    ['Optimism', -32020, 'backend response too large', results()],
    ['Base', -32012, 'requested range too large', blocks()],
    ['Tron', -32600, 'exceed max block range: 5000', blocks(5_000)],
    ['Morph', -32000, 'block range is larger than max block range, block range = 5120, max block range = 5000', blocks(5_000)],
    ['CDK Erigon', -32005, 'block range too large, max range: 1000', blocks(1_000)],
    ['Sei', -32000, 'block range too large (2000), maximum allowed is 1000 blocks', blocks(1_000)],
    ['geth', -32602, 'exceed max block range 10000', blocks(10_000)],
    ['Reth', -32602, 'query exceeds max block range 100000', blocks(100_000)],
    ['Reth (results)', -32602, 'query exceeds max results 20000, retry with the range 6000000-6000509', results(510, 20_000)],
    ['Besu', -32005, 'Requested range exceeds maximum RPC range limit', blocks()],
    ['Nethermind', -32005, 'Too many logs requested. Max logs per response is 20000.', results(undefined, 20_000)],
  ];

  test.each(REJECTIONS)('the rejection of a log search by %s (%i) is RESULT_TOO_LARGE with its hint: "%s"', (...rejection) => {
    const [_service, code, message, hint] = rejection;
    const error = errorFromRpcError('eth_getLogs', { code, message });
    expect(error).toBeInstanceOf(LogRangeError);
    expect((error as LogRangeError).hint).toEqual(hint);
    // The text of the node, which may contain a key, is not passed on.
    expect(error.extensions).toEqual({
      code: 'RESULT_TOO_LARGE',
      retryable: false,
      source: 'node',
      method: 'eth_getLogs',
      rpcCode: code,
    });
    expect(error.message).toBe('The node limits the size of a log query. Request fewer blocks or a narrower filter.');
  });

  test.each([
    [
      'a range that ends before its start',
      'query exceeds max results 20000, retry with the range 9-3',
      results(undefined, 20_000),
    ],
    ['a range beyond safe integers', `this block range should work: [0x0, 0x${'f'.repeat(32)}]`, blocks()],
    ['a maximum of 0 blocks', 'exceed maximum block range: 0', blocks()],
  ])('a log range hint without a usable number is ignored: %s', (_case, text, hint) => {
    expect(parseLogRangeHint(text)).toEqual(hint);
  });

  test.each([
    [-32602, 'block range extends beyond current head block', 'BLOCK_NOT_AVAILABLE'],
    [-32602, 'invalid block range params', 'UPSTREAM_PROTOCOL_ERROR'],
    [-32005, 'daily request count exceeded, request rate limited', 'UPSTREAM_RATE_LIMITED'],
    [-32005, 'Request rate limit exceeded: 50 requests over a 10 second range', 'UPSTREAM_RATE_LIMITED'],
    [-32002, 'request timed out', 'UPSTREAM_UNAVAILABLE'],
  ])('another error of a log search is not taken for a limit: %i %s', (code, message, expected) => {
    expect(errorFromRpcError('eth_getLogs', { code, message }).code).toBe(expected);
  });

  test('the dot before a k is a decimal point', () => {
    expect(parseLogRangeHint('block range exceeds 2.5k limit')).toEqual(blocks(2_500));
  });

  test('an error of another method has no hint', () => {
    expect(errorFromRpcError('eth_getBlockByNumber', { code: -32003, message: 'response too large' })).not.toBeInstanceOf(
      LogRangeError,
    );
  });
});
