import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { RevertError } from '../../../../src/ethereum/revert-error.ts';
import type { ErrorCode } from '../../../../src/lib/errors.ts';
import { errorFromRpcError } from '../../../../src/upstream/rpc/rpc-errors.ts';

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
