import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { executeOverHttp, startGraph } from '../../support/graph/running-graph.ts';
import { reservePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { readDevnet } from './split-graph.ts';

const CONFIGURATION = readFileSync(new URL('../../../deploy/nginx/nginx.conf', import.meta.url), 'utf8');
const testWithNginx = spawnSync('nginx', ['-v']).status === 0 ? test : test.skip;

testWithNginx('behind nginx, no query fails while one of two processes stops, and an event stream receives events', async () => {
  const second = await startGraph({ DEVNET_BLOCK_TIME: '0.5' });
  const first = await startGraph({ DEVNET_URL: (await readDevnet(second)).nodeService.origin });
  const { port, release } = await reservePort();
  await release();
  const folder = mkdtempSync(join(tmpdir(), 'grimoire-nginx-'));
  const path = join(folder, 'nginx.conf');
  const ports = { 4001: new URL(first.url).port, 4002: new URL(second.url).port, 4000: port };
  writeFileSync(
    path,
    CONFIGURATION.replace(/(?<=127\.0\.0\.1:)\d+/g, (from) => String(ports[Number(from) as 4000])),
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', path, '-g', 'daemon off;'], { stdio: ['ignore', 'inherit', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  const statusOf = () => executeOverHttp(url, '{ block { number } }').then(({ status }) => status);
  try {
    await waitUntil(() => statusOf().then(Boolean, () => false), 'nginx responds');
    const stream = await connectEventStream(url, { query: 'subscription { newHeads { number } }' });
    await stream.waitForEvents(1);
    stream.close();
    first.process.kill('SIGTERM');
    const statuses = new Set<number>();
    while (first.process.exitCode === null) statuses.add(await statusOf());
    statuses.add(await statusOf());
    expect([...statuses]).toEqual([200]);
  } finally {
    const exited = once(nginx, 'exit');
    nginx.kill();
    await Promise.all([exited, first.stop(), second.stop()]);
    rmSync(folder, { recursive: true });
  }
});
