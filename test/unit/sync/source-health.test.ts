import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import type { Follower } from '../../../src/sync/head/follower.ts';
import { checkSyncReadiness, HEAD_UNREADY_MS } from '../../../src/sync/head/head-status.ts';
import { SOURCE_UNREADY_MS, SourceHealth, sourceFailedError } from '../../../src/sync/source-health.ts';

const refused = new GraphError('UPSTREAM_ERROR', 'The node refused.', { method: 'eth_getLogs', rpcCode: -32000 });
const slow = new GraphError('UPSTREAM_TIMEOUT', 'The node took too long.');

let health: SourceHealth;

beforeEach(() => {
  jest.useFakeTimers();
  health = new SourceHealth();
});

afterEach(() => void jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTime(ms);
const follower = (unknownMs?: number) => ({ status: { unknownMs } as Follower['status'] });

test('source health reports a source from its first failure to its next success, with the last error', () => {
  expect(health.report('logs', refused)).toBe(0);
  pass(70);
  expect(health.report('logs', slow)).toBe(70);
  expect(health.failing).toEqual([{ source: 'logs', failingMs: 70, error: slow }]);
  expect([health.failingMs('logs'), health.failingMs('duelUpdates')]).toEqual([70, 0]);
  health.clear('logs');
  expect(health.failing).toEqual([]);
  pass(10);
  expect(health.report('logs', refused)).toBe(0);
});

test('source health reports the oldest failing item of a source', () => {
  health.report('logs', refused, 'block 1');
  pass(50);
  health.report('logs', slow, 'block 2');
  pass(50);
  expect(health.failing).toEqual([{ source: 'logs', failingMs: 100, error: refused }]);
  health.clear('logs', 'block 1');
  expect(health.failingMs('logs')).toBe(50);
});

test('subscription error of a failed source has the upstream error code and is retryable', () => {
  expect(sourceFailedError('logs', refused)).toMatchObject({
    code: 'UPSTREAM_ERROR',
    message: 'The events of this subscription cannot be read (logs). The node refused.',
    extensions: { code: 'UPSTREAM_ERROR', retryable: true, source: 'node', method: 'eth_getLogs', rpcCode: -32000 },
  });
});

test('readiness fails once the head has been unknown for more than 15 seconds', () => {
  expect(() => checkSyncReadiness(follower(), health)).not.toThrow();
  expect(() => checkSyncReadiness(follower(HEAD_UNREADY_MS), health)).not.toThrow();
  expect(() => checkSyncReadiness(follower(HEAD_UNREADY_MS + 1), health)).toThrow(
    'No head of the chain has been confirmed for 15 s.',
  );
});

test('readiness fails and reports the source once it has failed for more than 30 seconds', () => {
  health.report('logs', refused);
  pass(SOURCE_UNREADY_MS);
  expect(() => checkSyncReadiness(follower(), health)).not.toThrow();
  pass(1_000);
  expect(() => checkSyncReadiness(follower(), health)).toThrow('The subscription source logs has failed for 31 s.');
  health.clear('logs');
  expect(() => checkSyncReadiness(follower(), health)).not.toThrow();
});

test('a failure of a read that is not repeated counts for its time', () => {
  expect(health.report('pending', refused, 'read', 100)).toBe(0);
  pass(60);
  expect(health.report('pending', slow, 'read', 100)).toBe(60);
  pass(99);
  expect(health.failingMs('pending')).toBe(159);
  pass(1);
  expect(health.failing).toEqual([]);
  expect(health.report('pending', refused, 'read', 100)).toBe(0);
});
