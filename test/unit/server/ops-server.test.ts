import { expect, test } from '@jest/globals';
import { createGate } from '../../support/gate.ts';
import { startToyServer, waitUntil } from '../../support/graph/toy-server.ts';

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('without METRICS_PORT the server itself serves /metrics', async () => {
  const toy = await startToyServer();
  expect(toy.server.metricsUrl).toBe(toy.url);
  expect(await statusOf(`${toy.url}/metrics`)).toBe(200);
});

test('with METRICS_PORT a separate server serves /metrics and the health checks, and nothing else', async () => {
  const toy = await startToyServer({ metricsPort: 0 });
  const { metricsUrl } = toy.server;
  expect(metricsUrl).not.toBe(toy.url);
  const paths = ['/metrics', '/healthz', '/readyz', '/graphql', '/'];
  expect(await Promise.all(paths.map((path) => statusOf(metricsUrl + path)))).toEqual([200, 200, 200, 404, 404]);
  expect(await (await fetch(`${metricsUrl}/graphql`)).text()).toContain('This port serves /metrics, /healthz and /readyz.');
  expect(await Promise.all(paths.slice(0, 3).map((path) => statusOf(toy.url + path)))).toEqual([404, 200, 200]);
  expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toMatch(/^grimoire_connections \d/m);
});

test('the metrics server runs until the last operation of a draining server has ended', async () => {
  const toy = await startToyServer({ metricsPort: 0 });
  const { metricsUrl } = toy.server;
  const { opened, open: release } = createGate();
  toy.state.hold = opened;
  const held = fetch(`${toy.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ held }"}',
  });
  await waitUntil(() => toy.state.operations.length === 1, 'the operation runs');
  const stopped = toy.server.stop();
  const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text();
  expect(await metrics()).not.toMatch(/^grimoire_ready /m);
  await waitUntil(async () => (await statusOf(`${metricsUrl}/readyz`)) === 503, 'the readiness is withdrawn');
  expect(await metrics()).toMatch(/^grimoire_ready 0$/m);
  expect(await statusOf(`${metricsUrl}/healthz`)).toBe(200);
  release();
  expect(await (await held).json()).toEqual({ data: { held: 'let go' } });
  await stopped;
  await expect(fetch(`${metricsUrl}/metrics`)).rejects.toThrow();
});

test('a METRICS_PORT in use is an error that names the setting', async () => {
  const toy = await startToyServer();
  const { port } = new URL(toy.url);
  await expect(startToyServer({ metricsPort: Number(port) })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: `Cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Set METRICS_PORT to a free port.`,
  });
});
