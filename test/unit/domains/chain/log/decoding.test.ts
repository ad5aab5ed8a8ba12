import { expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { abiDecoder } from '../../../../../src/domains/chain/log/criteria.ts';
import { parseAbi } from '../../../../../src/ethereum/abi/parse.ts';
import { createAbiRegistry } from '../../../../../src/ethereum/abi/registry.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../../src/lib/operation-budget.ts';
import type { Operation } from '../../../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';

const TOKEN = `0x${'c'.repeat(40)}`;
const abi = new Interface([
  'function transfer(address to, uint256 value)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
]);
const ids = Array.from({ length: 3_000 }, (_none, i) => i);
const long = abi.encodeFunctionData('safeBatchTransferFrom', [TOKEN, TOKEN, ids, ids, '0x']);
const short = abi.encodeFunctionData('transfer', [TOKEN, 1]);

const operationWith = (budget?: OperationBudget): Operation => ({
  requestId: 'test',
  signal: AbortSignal.timeout(60_000),
  extensions: {},
  dependencies: new ResponseDependencies(),
  ...(budget && { budget }),
});
const call = (input: string) => ({ hash: '0x', to: TOKEN, input });

/** A budget whose turns are used up at once. */
class UsedUpBudget extends OperationBudget {
  override shouldYieldAfter(): boolean {
    return true;
  }
}

test('a response with decoded data is not final, because the operator may change the ABIs', () => {
  const operation = operationWith();
  const decoder = abiDecoder(createAbiRegistry(), operation);
  expect(operation.dependencies.isHeadRead).toBe(false);
  expect(decoder.decodedCall(call(short))).toMatchObject({ name: 'transfer' });
  expect(operation.dependencies.isHeadRead).toBe(true);
});

test('a response with a read by a complete signature can be final, one with a read by name cannot', () => {
  const operation = operationWith();
  const decoder = abiDecoder(createAbiRegistry(), operation);
  const complete = decoder.encodedCall(TOKEN, 'decimals()(uint8)', []);
  if (complete instanceof Promise) throw new Error('A short call is encoded synchronously.');
  expect(decoder.outputs(complete.called, `0x${'7'.padStart(64, '0')}`)).toMatchObject([{ value: '7' }]);
  expect(operation.dependencies.isHeadRead).toBe(false);
  expect(decoder.encodedCall(TOKEN, 'decimals', [])).toMatchObject({ data: complete.data });
  expect(operation.dependencies.isHeadRead).toBe(true);
});

test('many arguments are encoded in a later turn if the operation has used up its turn', async () => {
  const decoder = abiDecoder(createAbiRegistry(), operationWith(new UsedUpBudget(NO_BUDGET_LIMITS)));
  const later = decoder.encodedCall(TOKEN, 'f(uint256[])()', [ids.map(String)]);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toMatchObject({ called: { outputs: { signature: 'f(uint256[])' } } });
});

test('revertReason describes a custom error by the ABI of the target', () => {
  const errors = new Interface(['error Paused(uint256 until)', 'error Other()']);
  const paused = parseAbi([{ type: 'error', name: 'Paused', inputs: [{ name: 'until', type: 'uint256' }] }]);
  const { revertReason } = abiDecoder(createAbiRegistry([{ address: TOKEN, ...paused }]), operationWith());
  expect(revertReason(errors.encodeErrorResult('Paused', [7]), TOKEN)).toBe('Paused(until: 7)');
  expect(revertReason(errors.encodeErrorResult('Paused', [7]), null)).toBeNull();
  expect(revertReason(errors.encodeErrorResult('Other'), TOKEN)).toBeNull();
  expect(revertReason('0x', TOKEN)).toBeNull();
});

test('a long input is decoded in a later turn if the operation has used up its turn, a short one at once', async () => {
  const decoder = abiDecoder(createAbiRegistry(), operationWith(new UsedUpBudget(NO_BUDGET_LIMITS)));
  expect(decoder.decodedCall(call(short))).toMatchObject({ name: 'transfer' });
  const later = decoder.decodedCall(call(long));
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toMatchObject({ name: 'safeBatchTransferFrom', arguments: { length: 5 } });
  const free = abiDecoder(createAbiRegistry(), operationWith(new OperationBudget()));
  expect(free.decodedCall(call(long))).toMatchObject({ name: 'safeBatchTransferFrom' });
});
