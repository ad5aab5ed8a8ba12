import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { ExecutionResult } from 'graphql';
import { EXAMPLE_GROUPS } from '../../../playground/examples/example.ts';
import { summaryOf } from '../../../playground/runs/event-summary.ts';
import { withCursorVariable } from '../../../playground/runs/resumable.ts';
import { MAX_SHOWN_EVENTS, startedRun, withResult } from '../../../playground/runs/run.ts';
import { sharedOperation } from '../../../playground/shared-operation.ts';
import { examples } from '../../support/clients/playground-page.ts';

test('each group of the playground has examples, and each example belongs to a group', () => {
  expect(new Set(examples.map(({ group }) => group))).toEqual(new Set(EXAMPLE_GROUPS));
});

test('the examples have different titles and operation names', () => {
  expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length);
  expect(new Set(examples.map(({ operationName }) => operationName)).size).toBe(examples.length);
});

const costOf = (calls: number) => ({ estimate: 1, actual: 2, requests: 1, calls, computeUnits: 20 });

test('a run of a subscription has its last 200 events, the number of all, and the sum of their costs', () => {
  let run = startedRun(true);
  for (let number = 1; number <= MAX_SHOWN_EVENTS + 50; number++) {
    run = withResult(run, { data: { number }, extensions: { cost: costOf(3), block: { number: `0x${number.toString(16)}` } } });
  }
  expect(run.events).toHaveLength(200);
  expect(run.events.map(({ position }) => position).slice(0, 2)).toEqual([250, 249]);
  expect(run).toMatchObject({ eventCount: 250, block: 250, cost: { calls: 750, requests: 250, computeUnits: 5000 } });
});

test('a run of a query in drop-in mode has the hash of its block, no cost and no events', () => {
  const run = withResult(startedRun(false), { data: {} }, '0xb1');
  expect(run).toMatchObject({ events: [], eventCount: 0, block: '0xb1', cost: null });
});

const expired = {
  errors: [{ message: 'no longer cached', extensions: { code: 'CURSOR_EXPIRED' } }],
} as unknown as ExecutionResult;

test.each([
  ['an event is complete', { data: { number: 1 } }, 'none'],
  ['an event without data does not state that it is complete', { data: null }, null],
  ['an expired cursor means missing events', expired, 'certain'],
])('after a lossless interruption %s', (_case, result, gap) => {
  const interruption = { reason: '', attempt: 1, gap: 'none', isConnected: true } as const;
  expect(withResult({ ...startedRun(true), interruption }, result).events[0]!.gap).toBe(gap);
});

const parameters = new URLSearchParams({ query: '{ block { number } } # a&b', variables: '{"n": 1}' });

test.each([
  ['the fragment', { hash: `#${parameters}`, search: '' }],
  ['the parameters', { hash: '', search: `?${parameters}` }],
])('the operation of a URL is read from %s', (_place, location) => {
  expect(sharedOperation(location)).toEqual({ query: '{ block { number } } # a&b', variables: '{"n": 1}' });
});

test('a URL without a query has no operation', () => {
  expect(sharedOperation({ hash: '#section', search: '?variables=%7B%7D' })).toBeUndefined();
});

test('the line of an event has its values in the order of the selection, its cursor last, decoded arguments by name, whole times and integers, and counts the items of a list', () => {
  const log = (data: string) => ({
    data: {
      logs: {
        cursor: data,
        removed: false,
        data,
        block: { topics: ['0x1', data] },
        time: '2026-11-26T10:12:45.722Z',
        power: '-1978459711795865600000',
        url: `https://shop.example/hooks?${'a'.repeat(30)}`,
        decoded: { arguments: [{ name: 'to', value: '1' }] },
      },
    },
  });
  expect(summaryOf(log('0x1234567890abcdef123456'), log('0x2')).map(({ name, value }) => `${name} ${value}`)).toEqual([
    'removed false',
    'data 0x123456…123456',
    'block.topics 2 items',
    'time 2026-11-26T10:12:45.722Z',
    'power -1978459711795865600000',
    `url https://shop.example/hooks?${'a'.repeat(13)}…`,
    'to 1',
    'cursor 0x123456…123456',
  ]);
});

test('the line of a result of a live query has the values of all its fields', () => {
  const result = (number: string) => ({ data: { block: { number }, account: { balance: '0x1' } } });
  expect(summaryOf(result('0x2'), result('0x1'))).toEqual([
    { name: 'block.number', value: '0x2', isChanged: true },
    { name: 'account.balance', value: '0x1', isChanged: false },
  ]);
});

test.each([
  ['{ newHeads { hash } }', 'newHeads(after: $after)'],
  [
    '($from: Long) { logs(fromBlock: $from) { ...Log cursor } } fragment Log on Log { data }',
    'logs(fromBlock: $from, after: $after)',
  ],
  ['($after: ID) { webhookEvents(after: $after) { id } }', 'webhookEvents(after: $after)'],
  ['{ newHeads { number } }', undefined],
  ['{ logs(after: "a") { cursor } }', undefined],
  ['{ duelUpdates { id } }', undefined],
])('the subscription %s is sent with the argument %s', (text, expected) => {
  expect(withCursorVariable(`subscription ${text}`)?.match(/\w+\(.*after: .*?\)/)?.[0]).toBe(expected);
});

test('the playground has the colours of the explorer', () => {
  const withImports = (url: URL): string =>
    readFileSync(url, 'utf8').replace(/^@import "(.*)";$/gm, (_line, path) => withImports(new URL(path, url)));
  const colours = (site: string) =>
    withImports(new URL(`../../../${site}/styles/theme.css`, import.meta.url)).match(/--[\w-]+: light-dark.*/g)!;
  expect(colours('explorer')).toEqual(expect.arrayContaining(colours('playground')));
});
