import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { createTemporaryFolder, stopAfterTests, untilTestsEnd } from '../../support/cleanups.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** `deploy/nginx/nginx.conf` on free ports, before two processes of the program over one devnet. */
let graphs: GraphProcess[];
let url: string;

beforeAll(async () => {
  const chain = untilTestsEnd(await startGraph({ DEVNET_BLOCK_TIME: '1' }));
  const { nodeService } = (await (await fetch(`${chain.url}/devnet.json`)).json()) as DevnetDescription;
  const settings = { DEVNET_URL: nodeService.origin, TRUSTED_PROXIES: '127.0.0.1' };
  graphs = [untilTestsEnd(await startGraph(settings)), untilTestsEnd(await startGraph(settings))];
  const ports = [await findFreePort(), ...graphs.map((graph) => new URL(graph.url).port)];
  url = `http://127.0.0.1:${ports[0]}`;
  const folder = createTemporaryFolder();
  const path = join(folder, 'nginx.conf');
  const example = readFileSync('deploy/nginx/nginx.conf', 'utf8');
  writeFileSync(
    path,
    example.replace(/:400([012]);/g, (_text, index) => `:${ports[index]};`),
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', path, '-g', 'daemon off;'], { stdio: 'ignore' });
  await once(nginx, 'spawn');
  const closed = once(nginx, 'close');
  stopAfterTests(async () => {
    nginx.kill('SIGQUIT');
    await closed;
  });
  await waitUntil(async () => (await fetch(url).catch(() => undefined))?.status === 200, 'nginx serves the playground');
});

test('nginx serves the graph, its pages and its transports, and hides the pages for operators', async () => {
  for (const path of ['/', '/explore/']) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  for (const path of ['/metrics', '/readyz', '/healthz', '/devnet.json'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  const client = createSubscriptionClient(url);
  const [first, second] = await client.subscribe('subscription { newHeads { number } }').waitForEvents(2);
  expect(Number(second!.newHeads.number)).toBeGreaterThan(Number(first!.newHeads.number));
  client.close();
});

test('nginx passes requests to the other process when one has stopped', async () => {
  await graphs[0]!.stop();
  const requests = Array.from({ length: 20 }, () => postJson(`${url}/graphql`, { query: '{ block { number } }' }));
  const results = (await Promise.all((await Promise.all(requests)).map((response) => response.json()))) as any[];
  for (const { data } of results) expect(Number(data.block.number)).toBeGreaterThan(0);
});
