import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { HeaderChecks } from '../../../../src/upstream/rpc/header-check-policy.ts';

const CONTRADICTION = { check: 'stateRoot', text: 'the state is another one' } as const;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The checks of one endpoint, with the lines of their log. */
function createChecks(mode: 'on' | 'report' = 'on') {
  const lines: object[] = [];
  const checks = new HeaderChecks(mode, { warn: (line: object) => void lines.push(line) });
  const endpoint = checks.ofEndpoint('http://one:8545');
  const pass = (count: number) => Array.from({ length: count }, () => endpoint.errorOf('m', {}, undefined));
  const fail = () => endpoint.errorOf('m', {}, CONTRADICTION);
  return { checks, endpoint, lines, pass, fail, countOf: (check: string) => checks.failures.with(check).count };
}

test('a contradicted result is refused with its method and its endpoint, and one without a contradiction is not', () => {
  const { endpoint, checks } = createChecks();
  expect(endpoint.errorOf('eth_getBlockByHash', {}, undefined)).toBeUndefined();
  const error = endpoint.errorOf('eth_getBlockByHash', {}, CONTRADICTION)!;
  expect(error).toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
    endpoint: 'http://one:8545',
    extensions: { method: 'eth_getBlockByHash' },
  });
  expect(error.message).toContain('eth_getBlockByHash contradicts a block header: the state is another one.');
  expect(checks.errorOf('m', {}, CONTRADICTION)?.endpoint).toBeUndefined();
});

test('HEADER_CHECKS=report refuses nothing, counts each result once, and logs one line a minute for each endpoint', () => {
  const { checks, endpoint, lines, fail, countOf } = createChecks('report');
  const result = {};
  for (let i = 0; i < 3; i++) expect(endpoint.errorOf('m', result, CONTRADICTION)).toBeUndefined();
  expect([checks.refuses, checks.checks, countOf('stateRoot'), countOf('hash'), lines.length]).toEqual([false, 3, 1, 0, 1]);
  jest.advanceTimersByTime(59_999);
  fail();
  expect(lines).toHaveLength(1);
  checks.ofEndpoint('http://two:8545').errorOf('m', {}, CONTRADICTION);
  jest.advanceTimersByTime(1);
  fail();
  const line = { method: 'm', contradiction: CONTRADICTION.text, HEADER_CHECKS: 'report' };
  expect(lines).toEqual(['one', 'two', 'one'].map((host) => ({ ...line, endpoint: `http://${host}:8545` })));
  expect([countOf('stateRoot'), endpoint.repeatedFailure]).toEqual([4, undefined]);
});

test.each([
  ['three failures within 1,000 checks make an endpoint the last one', 999, true],
  ['three failures within 1,001 checks do not', 1_000, false],
])('%s, until 1,000 checks later', (_case, distance, isLast) => {
  const { endpoint, pass, fail } = createChecks();
  // The window ends before this failure.
  fail();
  pass(1_000);
  fail();
  pass(distance - 2);
  fail();
  expect(endpoint.repeatedFailure).toBeUndefined();
  const error = fail();
  expect(endpoint.repeatedFailure).toBe(isLast ? error : undefined);
  pass(999);
  expect(endpoint.repeatedFailure !== undefined).toBe(isLast);
  pass(1);
  expect(endpoint.repeatedFailure).toBeUndefined();
});
