import { describe, expect, test } from '@jest/globals';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { startLiveStreams, subscribingOperation } from '../../../../support/subscriptions/live-streams.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

/** Header streams over a real follower and feed, with a simulated node. */
const hashes = (blocks: readonly { hash: string }[]) => blocks.map(({ hash }) => hash);

describe('newHeads', () => {
  test('newHeads delivers the headers of each change as one batch, read at their blocks', async () => {
    const { live, move, chain } = await startLiveStreams(1);
    const client = subscribeToStream(live.newHeads(subscribingOperation(), {}));
    await move(0, 1);
    const { added } = await move(3, 5);
    await client.waitForEvents(6);
    expect(client.batches.map((batch) => batch.length)).toEqual([1, 5]);
    for (const [i, { root, block, cursor }] of client.batches[1]!.entries()) {
      const { hash, header } = added[i]!;
      expect([block, cursor]).toEqual([hash, hash]);
      expect(root.newHeads).toMatchObject(header);
    }
    expect(client.events.at(-1)!.cursor).toBe(chain.head.hash);
  });

  test('newHeads sets replaces for a replaced height, even when the removed block was not delivered', async () => {
    const { live, move } = await startLiveStreams(2);
    await move(2, 3);
    const client = subscribeToStream(live.newHeads(subscribingOperation(), {}));
    await move(2, 3);
    await move(0, 1);
    await client.waitForEvents(4);
    expect(client.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, true, false, false]);
  });

  test('newHeads resumes after the head, after an older block, and after a removed block from the common ancestor', async () => {
    const { live, move, chain } = await startLiveStreams(4);
    const older = chain.main.at(35)!;
    const { removed, added } = await move(4, 6);
    const clients = [chain.head, older, removed[0]!, removed.at(-1)!].map(({ hash }) =>
      subscribeToStream(live.newHeads(subscribingOperation(), { after: hash })),
    );
    const newest = await move(0, 1);
    const expected = [[], [chain.main.at(36)!, ...added], added, added];
    for (const [i, client] of clients.entries()) {
      const cursors = hashes([...expected[i]!, ...newest.added]);
      expect((await client.waitForEvents(cursors.length)).map(({ cursor }) => cursor)).toEqual(cursors);
      expect(client.batches).toHaveLength(i === 0 ? 1 : 2);
    }
    expect(clients[2]!.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, true, true, true, false, false, false]);
  });

  test('newHeads ends with CURSOR_EXPIRED and advice when resumed after an unknown block', async () => {
    const { live } = await startLiveStreams(5);
    const client = subscribeToStream(live.newHeads(subscribingOperation(), { after: hashOf(0xdead) }));
    expect(await client.waitForEnd()).toMatchObject({
      code: 'CURSOR_EXPIRED',
      message: expect.stringMatching(/subscribe without `after`/),
    });
  });

  test('newHeads ends with UPSTREAM_UNAVAILABLE when resumed before a head is known', async () => {
    const { live, node } = await startLiveStreams(6, { ready: false });
    node.upgradeRefusalStatus = 503;
    const client = subscribeToStream(live.newHeads(subscribingOperation(), { after: hashOf(1) }));
    expect(await client.waitForEnd()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', extensions: { retryable: true } });
  });

  test('newHeads ends with GAP_TOO_LARGE at a gap and reports replaces again afterwards', async () => {
    const { live, move, chain, node } = await startLiveStreams(7);
    const client = subscribeToStream(live.newHeads(subscribingOperation(), {}));
    node.disconnect('reset');
    node.upgradeRefusalStatus = 503;
    chain.mine(1_100);
    node.upgradeRefusalStatus = undefined;
    expect(await client.waitForEnd()).toMatchObject({ code: 'GAP_TOO_LARGE' });
    const again = subscribeToStream(live.newHeads(subscribingOperation(), {}));
    await move(1, 2);
    await again.waitForEvents(2);
    expect(again.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, false]);
  });

  test('newHeads ends with SHUTTING_DOWN when the feed stops, as reorgs and logs do', async () => {
    const { live, feed } = await startLiveStreams(8);
    const clients = [
      subscribeToStream(live.newHeads(subscribingOperation(), {})),
      subscribeToStream(live.reorgs()),
      subscribeToStream(live.logs(subscribingOperation(), {})),
    ];
    await feed.stop();
    for (const client of clients) expect(await client.waitForEnd()).toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('reorgs', () => {
  test('reorgs reports dropped blocks newest first and added blocks oldest first, and nothing for growth', async () => {
    const { live, move, chain } = await startLiveStreams(10);
    const client = subscribeToStream(live.reorgs());
    await move(0, 2);
    const fork = chain.main.at(chain.head.height - 3)!;
    const { removed, added } = await move(3, 4);
    await client.waitForEvents(1);
    const [{ root, block, cursor }] = client.events as [(typeof client.events)[0]];
    expect([block, cursor]).toEqual([chain.head.hash, undefined]);
    expect(root.reorgs).toMatchObject({
      depth: 3,
      commonAncestor: { blockHash: fork.hash, blockNumber: fork.header.number },
    });
    expect(hashes(root.reorgs.dropped)).toEqual(hashes(removed));
    expect(hashes(root.reorgs.added)).toEqual(hashes(added));
    expect(root.reorgs.added.map(({ replaces }) => replaces)).toEqual([true, true, true, false]);
    expect(root.reorgs.dropped.map(({ replaces }) => replaces)).toEqual([false, false, false]);
  });
});
