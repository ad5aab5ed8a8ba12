import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { context, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { bodyOf } from '../../support/graph/results.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { promqlUse } from '../../support/promql.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { type Scrape, scrapeMetrics } from '../../support/scrape.ts';
import { assertNoSecret, CLIENT_HEADERS, NODE_KEY, WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../support/simulator/node.ts';
import {
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../support/upstream/scripted-wizard-service.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Metrics, traces and the access log of the whole server over a simulated node and a wizard service, both with secrets in their URLs. */
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN_ID = 'b7ad6b7169203331';
const TRACE_HEADERS = { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01`, tracestate: 'vendor=1' };

const root = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const exporter = new InMemorySpanExporter();
const chain = new SimChain({ seed: 1 });
let target: SimNode;
let node: NodeProxy;
let service: ScriptedWizardService;
let graph: RunningGraph;
let scrape: Scrape;
/** The headers of the last GET to the wizard service. */
let wizardHeaders: Record<string, unknown> = {};

beforeAll(async () => {
  chain.mine(5);
  target = await startSimNode({ chain });
  node = await startProxy(target.url);
  node.intercept = missingMethods;
  service = await startScriptedWizardService();
  service.wizards = [1, 2].map((n) => wizardFixture(n));
  service.script = (_path, response) => {
    wizardHeaders = response.req.headers;
    return undefined;
  };
  graph = await startServer();
  await runTraffic();
  scrape = await scrapeMetrics(graph.url);
});

afterAll(() => {
  trace.disable();
  context.disable();
});

/** Methods that the simulated node lacks. */
const missingMethods: NodeProxy['intercept'] = ({ method }) =>
  ['eth_gasPrice', 'net_version'].includes(method) ? { result: method === 'net_version' ? '1' : '0x1' } : undefined;

const manifest = join(createTemporaryFolder(), 'documents.json');
writeFileSync(manifest, JSON.stringify({ known: 'query Known { block { number } }' }));

const startServer = (settings: Record<string, string> = {}): Promise<RunningGraph> =>
  serveGraph({
    RPC_URL: node.url,
    RPC_WS_URL: target.wsUrl,
    // Nothing listens there: the metrics of the webhooks need no database.
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    TRUSTED_DOCUMENTS_FILE: manifest,
    ...service.settings,
    ...settings,
  });

const post = async (query: string, { url = graph.url, headers = {}, variables = {} } = {}) =>
  bodyOf(await postJson(`${url}/graphql`, { query, variables }, { ...CLIENT_HEADERS, ...headers }));

const BLOCK_AND_WIZARDS = 'query Page { block { number transactionCount } wizards { nodes { id } } wizard(id: "1") { power } }';

/** Operations that succeed and that fail on every path: the client's fault, the node's, and the wizard service's. */
async function runTraffic(url = graph.url): Promise<void> {
  expect((await post(BLOCK_AND_WIZARDS, { url })).errors).toBeUndefined();
  await postJson(`${url}/graphql`, { documentId: 'known' }, CLIENT_HEADERS);
  await post('{ nothing }', { url });
  await post('', { url });
  const client = createSubscriptionClient(url);
  const subscription = client.subscribe('subscription Heads { newHeads { number } }');
  await waitUntil(async () => {
    chain.mine();
    return subscription.events.length > 0;
  }, 'an event has arrived');
  client.close();
  node.intercept = () => ({ error: { code: -32000, message: `no access to ${node.url}: ${NODE_KEY}` } });
  await post('query Gas { gasPrice }', { url });
  node.intercept = missingMethods;
  const { script } = service;
  service.script = () => ({ status: 500, body: Object.values(WIZARD_CREDENTIALS) });
  await post('query Wizard { wizard(id: "2") { power } }', { url });
  service.script = script;
}

/** The value of one series in a scrape. */
const seriesValue = (series: string): number | undefined => {
  const line = scrape.text.split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

test.each([
  'operations_total{name="Page",type="query",code="ok"}',
  'operations_total{name="unknown",type="unknown",code="GRAPHQL_VALIDATION_FAILED"}',
  'requests_rejected_total{code="BAD_REQUEST"}',
  'operations_total{name="Heads",type="subscription",code="ok"}',
  'operations_total{name="Gas",type="query",code="UPSTREAM_ERROR"}',
  'operations_total{name="Wizard",type="query",code="UPSTREAM_UNAVAILABLE"}',
  'operation_duration_seconds_count{transport="ws",type="subscription"}',
])('the scrape counts each operation once: %s', (series) => {
  expect(seriesValue(`grimoire_${series}`)).toBe(1);
});

test.each([
  'subscription_events_total{code="ok"}',
  'subscription_event_duration_seconds_count',
  'upstream_requests_total{upstream="node",route="POST",outcome="ok"}',
  'upstream_requests_total{upstream="wizard",route="GET /wizards",outcome="ok"}',
  'upstream_requests_total{upstream="wizard",route="GET /wizards/{id}",outcome="ok"}',
  'upstream_requests_total{upstream="wizard",route="GET /wizards/{id}",outcome="UPSTREAM_UNAVAILABLE"}',
  'upstream_request_duration_seconds_bucket{le="+Inf",upstream="node",route="POST"}',
  'node_calls_total{method="eth_chainId",outcome="ok"}',
  'node_calls_total{method="eth_gasPrice",outcome="UPSTREAM_ERROR"}',
])('the scrape has the series %s', (series) => {
  expect(seriesValue(`grimoire_${series}`)).toBeGreaterThan(0);
});

test('the scrape has the metrics of the process', () => {
  expect([...scrape.names]).toEqual(
    expect.arrayContaining([
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds_count',
    ]),
  );
});

test('docs/observability.md lists every metric of the server with its type and labels', () => {
  const rows = readText('docs/observability.md').matchAll(/^\| `(grimoire_\w+)` \| (\w+) \|([^|]*)\|/gm);
  const documented = [...rows].map(([, name, type, labels = '']) => [name, type, labels.replaceAll('`', '').trim()].join(' '));
  const types = scrape.text.matchAll(/^# TYPE (grimoire_\S+) (\w+)$/gm);
  const served = [...types].map(([, name, type]) => {
    const labels = scrape.labelsOf(type === 'histogram' ? `${name}_count` : name!);
    return [name, type, [...labels].join(', ')].join(' ');
  });
  expect(documented.sort()).toEqual(served.sort());
});

describe('dashboards and alerts', () => {
  const dashboard = JSON.parse(readText('deploy/grafana/dashboard.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
  const alerts = [...readText('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)\n(?: +#.*\n)? +expr: (.+)/g)].map(
    ([, name, expression]) => [name!, expression!] as const,
  );

  test('the dashboard has panels and the rule file has alerts', () => {
    expect(panels.length).toBeGreaterThan(25);
    expect(alerts.length).toBe(readText('deploy/prometheus/alerts.yml').match(/- alert:/g)!.length);
  });

  test.each([...panels, ...alerts])('%s uses metrics and labels of the server', (_title, expression) => {
    const { metrics, labels } = promqlUse(expression);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !scrape.names.has(name))).toEqual([]);
    const served = new Set(metrics.flatMap((name) => [...scrape.labelsOf(name)]));
    expect(labels.filter((label) => !served.has(label))).toEqual([]);
  });
});

test('an alert for single events includes those with which a series appears, which increase() does not count', () => {
  const rules = readText('deploy/prometheus/alerts.yml');
  for (const [, name] of rules.matchAll(/increase\((\w+)/g))
    if (scrape.labelsOf(name!).size > 0) expect(rules).toMatch(new RegExp(`increase\\(${name}.*unless ${name}.* offset`));
});

describe('the access log', () => {
  /** The lines of the access log, parsed. */
  const lines = (): any[] =>
    graph
      .output()
      .split('\n')
      .filter((line) => /"msg":"(?:operation|event)"\}$/.test(line))
      .map((line) => JSON.parse(line));

  test('the access log has one line for an operation with its upstream requests, block and size', () => {
    expect(lines().filter(({ name }) => name === 'Page')).toEqual([
      {
        level: 20,
        time: expect.any(String),
        requestId: expect.any(String),
        name: 'Page',
        type: 'query',
        transport: 'http',
        durationMs: expect.any(Number),
        upstreamRequests: 3,
        upstreamCalls: 3,
        responseBytes: expect.any(Number),
        block: 5,
        msg: 'operation',
      },
    ]);
  });

  test('the access log has codes of errors and the trace, and neither documents, variables nor headers', async () => {
    const query = 'query Traced($id: ID!) { wizard(id: $id) { power owner { address } } nothing: gasPrice }';
    const { data } = await post(query, { headers: TRACE_HEADERS, variables: { id: 'secret-variable' } });
    expect(data.wizard).toBeNull();
    const [line] = lines().filter(({ name }) => name === 'Traced');
    expect(line).toMatchObject({ traceId: TRACE_ID, type: 'query' });
    expect(JSON.stringify(line)).not.toMatch(/secret-variable|power|vendor|127\.0\.0\.1/);
    expect(lines().find(({ name }) => name === 'Gas').codes).toEqual(['UPSTREAM_ERROR']);
  });

  test('the access log has one line for an event of a subscription', () => {
    const [event] = lines().filter(({ msg }) => msg === 'event');
    expect(event).toMatchObject({ name: 'Heads', type: 'subscription', requestId: expect.any(String) });
    expect(event.transport).toBeUndefined();
  });

  test('the access log is empty at the default log level', async () => {
    const quiet = await startServer({ LOG_LEVEL: 'info' });
    await post('query Quiet { chainID }', { url: quiet.url });
    await quiet.stop();
    expect(quiet.output()).not.toContain('Quiet');
  });
});

test('without an SDK the trace of the client is passed on unchanged to the node and the wizard service', async () => {
  await post('query A { gasPrice wizard(id: "2") { power } }', { headers: TRACE_HEADERS });
  expect(node.headersOf('eth_gasPrice')).toMatchObject(TRACE_HEADERS);
  expect(wizardHeaders).toMatchObject(TRACE_HEADERS);
});

describe('with an OpenTelemetry SDK', () => {
  let traced: RunningGraph;

  beforeAll(async () => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    traced = await startServer();
  });

  const spansOf = (traceId: string): ReadableSpan[] =>
    exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);

  test('an operation has a server span, and its upstream requests have client spans below it, whose ids they pass on', async () => {
    exporter.reset();
    await post('query Spans { gasPrice network { networkID } wizard(id: "2") { power } }', {
      url: traced.url,
      headers: TRACE_HEADERS,
    });
    const spans = spansOf(TRACE_ID);
    const [server] = spans.filter(({ kind }) => kind === SpanKind.SERVER);
    expect(server).toMatchObject({
      name: 'query Spans',
      attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Spans', 'grimoire.transport': 'http' },
      parentSpanContext: { spanId: CLIENT_SPAN_ID, isRemote: true },
      status: { code: 0 },
    });
    const clients = spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(clients.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      clients.map(() => server!.spanContext().spanId),
    );
    const batch = clients.find(({ attributes }) => attributes['grimoire.upstream'] === 'node')!;
    expect(batch.attributes).toMatchObject({
      'rpc.system': 'jsonrpc',
      'rpc.method': expect.stringContaining('eth_gasPrice'),
      'rpc.batch.size': 2,
    });
    const get = clients.find(({ attributes }) => attributes['grimoire.upstream'] === 'wizard')!;
    expect([get.name, get.attributes['url.template']]).toEqual(['GET /wizards/{id}', 'GET /wizards/{id}']);
    const headersOf = (span: ReadableSpan) => ({
      traceparent: `00-${TRACE_ID}-${span.spanContext().spanId}-01`,
      tracestate: 'vendor=1',
    });
    expect(node.headersOf('eth_gasPrice')).toMatchObject(headersOf(batch));
    expect(wizardHeaders).toMatchObject(headersOf(get));
  });

  test('an operation without a trace starts one', async () => {
    exporter.reset();
    await post('{ gasPrice }', { url: traced.url });
    const [server] = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
    expect([server!.name, server!.parentSpanContext]).toEqual(['query', undefined]);
    expect(node.headersOf('eth_gasPrice')!.traceparent).toMatch(`00-${server!.spanContext().traceId}-`);
  });

  test('spans of failures have error types, events have separate spans, and no span holds a secret or a document', async () => {
    exporter.reset();
    await runTraffic(traced.url);
    await waitUntil(
      () => exporter.getFinishedSpans().some(({ name }) => name === 'subscription Heads event'),
      'an event has a span',
    );
    const errors = exporter
      .getFinishedSpans()
      .filter(({ status }) => status.code !== 0)
      .map(({ name, attributes }) => [name, attributes['error.type']]);
    expect(errors).toEqual(
      expect.arrayContaining([
        ['GraphQL operation', 'GRAPHQL_VALIDATION_FAILED'],
        ['query Gas', 'UPSTREAM_ERROR'],
        ['GET /wizards/{id}', 'UPSTREAM_UNAVAILABLE'],
        ['query Wizard', 'UPSTREAM_UNAVAILABLE'],
      ]),
    );
    const text = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    );
    assertNoSecret(text, 'the spans');
    expect(text).not.toContain('{ gasPrice }');
  });
});

test('no secret of the node, the wizard service or the client is in a scrape or in the log', async () => {
  assertNoSecret((await scrapeMetrics(graph.url)).text, 'the scrape');
  assertNoSecret(graph.output(), 'the log');
});
