import { expect, test } from '@jest/globals';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { type FollowedChain, PinnedBlock } from '../../../src/snapshot/pinned-block.ts';
import type { OperationCalls } from '../../../src/upstream/rpc/operation-calls.ts';
import { headAt } from '../../support/graph/manual-head.ts';
import { UNSYNCED_FOLLOWER } from '../../support/graph/unsynced-follower.ts';

/** The head of an operation that has waited for its minimum block. */
const waited = headAt(22);
const noCalls = {} as OperationCalls;

const operationWith = (changes: Partial<Operation>): Operation => ({
  requestId: 'test',
  signal: new AbortController().signal,
  extensions: {},
  dependencies: new ResponseDependencies(),
  ...changes,
});

const chainAt = (height: number): FollowedChain => ({
  head: headAt(height),
  oldest: headAt(1),
  hashAt: (number) => (Number(number) <= height ? headAt(Number(number)).hash : undefined),
  headerOf: (hash) => [1, height].map((known) => headAt(known)).find((head) => head.hash === hash),
});

test('an operation that has waited is pinned to the head that ended the wait', () => {
  const operation = operationWith({ minBlock: 22n, head: waited });
  const pin = new PinnedBlock(operation, noCalls, chainAt(25), undefined);
  expect(pin.knownHead).toBe(waited);
  expect(operation.extensions.block).toEqual({ number: waited.number, hash: waited.hash, parentHash: waited.parentHash });
});

test('an operation that has waited stays at its head when the head becomes unknown before the first read', () => {
  const pin = new PinnedBlock(operationWith({ minBlock: 22n, head: waited }), noCalls, UNSYNCED_FOLLOWER, undefined);
  expect(pin.knownHead).toBe(waited);
  expect(() => pin.assertHeadCanonical()).not.toThrow();
});

test('an operation that has waited is BLOCK_NOT_AVAILABLE when a reorg to a lower height removes its head before the first read', () => {
  const pin = new PinnedBlock(operationWith({ minBlock: 22n, head: waited }), noCalls, chainAt(20), undefined);
  expect(pin.knownHead).toBe(waited);
  expect(() => pin.assertHeadCanonical()).toThrow(expect.objectContaining({ code: 'BLOCK_NOT_AVAILABLE' }));
});
