import { expect, test } from '@jest/globals';
import { type FollowerOptions, startFollower } from '../../../../src/sync/head/follower.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { log as silentLog } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { startSimNode } from '../../../support/simulator/node.ts';
import { pollUntil } from '../../../support/subscriptions/feed-setup.ts';

/** Follows a simulated node over WebSockets alone. `lines`: the level and the number of failures of each lost connection. */
async function startFollowing(timing: FollowerOptions['timing']) {
  const chain = new SimChain({ seed: 5, blocks: 40 });
  const node = await startSimNode({ chain });
  const lines: [level: string, failures: number][] = [];
  const waits: number[] = [];
  const add = (level: string) => (fields: { failures?: number; waitMs?: number }) => {
    if (fields.failures === undefined) return;
    lines.push([level, fields.failures]);
    waits.push(fields.waitMs!);
  };
  const log = Object.assign(Object.create(silentLog), { warn: add('warn'), debug: add('debug') });
  const follower = startFollower({
    url: node.wsUrl,
    timeoutMs: 2_000,
    maxBatchSize: 100,
    log,
    timing: { minBackoffMs: 1, ...timing },
  });
  cleanups.push(
    () => node.stop(),
    () => follower.stop(),
  );
  /** Resolves when a connection has reported the head of the chain. */
  const connected = () => pollUntil(() => follower.connection !== undefined && follower.head?.hash === chain.head.hash);
  await connected();
  return {
    ...{ node, lines, waits, connected },
    async mine() {
      chain.mine();
      await connected();
    },
    /** Resets the connection; resolves once the follower has lost this many connections. */
    async disconnect(count: number) {
      node.disconnect('reset');
      await pollUntil(() => lines.length >= count);
    },
  };
}

test('a lost connection that has announced a head is no failure, further ones count and are logged for debugging', async () => {
  const { node, lines, waits, mine, disconnect, connected } = await startFollowing({ maxBackoffMs: 600_000 });
  await mine();
  await disconnect(1);
  await connected();
  node.upgradeRefusalStatus = 503;
  await disconnect(4);
  node.upgradeRefusalStatus = undefined;
  await connected();
  const failed = lines.splice(0);
  expect(failed.slice(0, 4)).toEqual([
    ['warn', 0],
    ['warn', 1],
    ['debug', 2],
    ['debug', 3],
  ]);
  expect(failed.map(([, failures]) => failures)).toEqual(failed.map((_line, i) => i));
  for (const [i, waitMs] of waits.entries()) expect(waitMs).toBeLessThanOrEqual(2 ** i);
  await mine();
  await disconnect(1);
  expect(lines[0]).toEqual(['warn', 0]);
});

test('a lost connection that lasted longer than the maximum backoff is no failure', async () => {
  const { lines, disconnect, connected } = await startFollowing({ maxBackoffMs: 0 });
  for (let i = 1; i <= 3; i++) {
    await connected();
    await disconnect(i);
  }
  expect(lines).toEqual(Array(3).fill(['warn', 0]));
});
