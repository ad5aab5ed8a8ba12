import { expect, test } from '@jest/globals';
import { Kind, type OperationDefinitionNode, type OperationTypeNode, parse } from 'graphql';
import { pino } from 'pino';
import { createObservability, OperationMetrics } from '../../../src/observability/index.ts';
import { observedName } from '../../../src/observability/tracing.ts';
import type { OperationOrigin } from '../../../src/operation/operation.ts';
import type { OperationRecord } from '../../../src/operation/operation-observer.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { createRegistry } from '../../../src/server/ops.ts';

const HTTP: OperationOrigin = { transport: 'http', receivedAt: 0, trace: undefined };

const definitionOf = (text: string): OperationDefinitionNode => {
  const [definition] = parse(text).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`${text} is no operation`);
  return definition;
};

const recordOf = (text: string, durationMs = 1, origin: OperationOrigin | undefined = HTTP): OperationRecord => ({
  observed: {
    requestId: 'test',
    origin,
    definition: definitionOf(text),
    startedAt: 0,
    operation: {
      requestId: 'test',
      signal: new AbortController().signal,
      extensions: {},
      dependencies: new ResponseDependencies(),
    },
  },
  durationMs,
  codes: [],
  responseBytes: 0,
});

/** The lines of a scrape that start with `grimoire_<name>`. */
async function scrape(metrics: OperationMetrics, name: string): Promise<string[]> {
  const text = await createRegistry(metrics.metrics).metrics();
  return text.split('\n').filter((line) => line.startsWith(`grimoire_${name}`));
}

test('operations are counted under at most 200 names, and later names under "other"', async () => {
  const metrics = new OperationMetrics();
  for (let i = 0; i < 500; i++) metrics.end(recordOf(`query Q${i} { a }`));
  metrics.end(recordOf('query Q7 { a }'));
  const lines = await scrape(metrics, 'operations_total');
  expect(lines).toHaveLength(201);
  expect(lines).toContain('grimoire_operations_total{name="Q7",type="query",code="ok"} 2');
  expect(lines).toContain('grimoire_operations_total{name="other",type="query",code="ok"} 300');
});

test.each<[string, string, OperationTypeNode | 'unknown', string]>([
  ['an operation without a name', '{ a }', 'query' as OperationTypeNode, 'anonymous'],
  ['a name of 64 characters', `mutation ${'m'.repeat(64)} { a }`, 'mutation' as OperationTypeNode, 'm'.repeat(64)],
  ['a name of 65 characters', `query ${'q'.repeat(65)} { a }`, 'query' as OperationTypeNode, 'other'],
])('the label of %s is its name within the limit', async (_case, text, type, name) => {
  const metrics = new OperationMetrics();
  metrics.end(recordOf(text));
  expect(await scrape(metrics, 'operations_total')).toEqual([
    `grimoire_operations_total{name="${name}",type="${type}",code="ok"} 1`,
  ]);
});

test('a request that is rejected before its operation is known is counted, and has no duration', async () => {
  const metrics = new OperationMetrics();
  const { observed, ...record } = recordOf('{ a }');
  metrics.end({
    ...record,
    observed: { ...observed, definition: undefined, operation: undefined },
    codes: ['GRAPHQL_PARSE_FAILED', 'BAD_REQUEST'],
  });
  expect(await scrape(metrics, 'operation')).toEqual([
    'grimoire_operations_total{name="unknown",type="unknown",code="GRAPHQL_PARSE_FAILED"} 1',
  ]);
});

test('the buckets of a duration histogram are cumulative and end with +Inf', async () => {
  const metrics = new OperationMetrics();
  for (const durationMs of [1, 1.5, 40, 60_000]) metrics.end(recordOf('{ a }', durationMs));
  const lines = await scrape(metrics, 'operation_duration_seconds');
  const counts = lines.filter((line) => line.includes('_bucket')).map((line) => /le="([^"]+)".*\} (\d+)/.exec(line)!.slice(1));
  expect(counts).toEqual([
    ['0.001', '1'],
    ['0.0025', '2'],
    ['0.005', '2'],
    ['0.01', '2'],
    ['0.025', '2'],
    ['0.05', '3'],
    ['0.1', '3'],
    ['0.25', '3'],
    ['0.5', '3'],
    ['1', '3'],
    ['2.5', '3'],
    ['5', '3'],
    ['10', '3'],
    ['+Inf', '4'],
  ]);
  expect(lines).toContain('grimoire_operation_duration_seconds_sum{transport="http",type="query"} 60.0425');
  expect(lines).toContain('grimoire_operation_duration_seconds_count{transport="http",type="query"} 4');
});

test('events of subscriptions have a counter and a histogram of their own', async () => {
  const metrics = new OperationMetrics();
  const record = recordOf('subscription S { a }', 2);
  metrics.end({ ...record, observed: { ...record.observed, origin: undefined }, codes: ['STALE_UPSTREAM'] });
  expect(await scrape(metrics, 'subscription_events_total')).toEqual([
    'grimoire_subscription_events_total{code="STALE_UPSTREAM"} 1',
  ]);
  expect(await scrape(metrics, 'subscription_event_duration_seconds_count')).toEqual([
    'grimoire_subscription_event_duration_seconds_count 1',
  ]);
  expect(await scrape(metrics, 'operation')).toEqual([]);
});

test('a line of the access log names each error code once, and has no codes without an error', () => {
  const lines: { codes?: string[] }[] = [];
  const { operationObservers } = createObservability(pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) }));
  for (const codes of [[], ['TIMEOUT', 'TIMEOUT']] as const) operationObservers.at(-1)!.end({ ...recordOf('{ a }'), codes });
  expect(lines.map(({ codes }) => codes)).toEqual([undefined, ['TIMEOUT']]);
});

test('the name of an operation in log lines and spans has at most 64 characters', () => {
  const named = (value: string) => observedName({ name: { kind: Kind.NAME, value } });
  expect(named('Wizards')).toBe('Wizards');
  expect(named('q'.repeat(200_000))).toBe('q'.repeat(64));
  expect(observedName({})).toBeUndefined();
  expect(observedName(undefined)).toBeUndefined();
});
