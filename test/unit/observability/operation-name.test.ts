import { expect, test } from '@jest/globals';
import { Kind } from 'graphql';
import { observedName } from '../../../src/observability/operation-metrics.ts';

test('the name of an operation in log lines and spans has at most 64 characters', () => {
  const named = (value: string) => observedName({ name: { kind: Kind.NAME, value } });
  expect(named('Wizards')).toBe('Wizards');
  expect(named('q'.repeat(200_000))).toBe('q'.repeat(64));
  expect(observedName({})).toBeUndefined();
  expect(observedName(undefined)).toBeUndefined();
});
