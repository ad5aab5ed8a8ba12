import { describe, expect, test } from '@jest/globals';
import { createChainSubscriptions } from '../../../../../src/domains/chain/subscriptions/index.ts';
import type { SnapshotSources } from '../../../../../src/snapshot/index.ts';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { hashOf } from '../../../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import { startFeed } from '../../../../support/subscriptions/feed-setup.ts';
import { startLiveStreams } from '../../../../support/subscriptions/live-streams.ts';

/** Streams of headers over the real follower and feed, before a simulated node. */
const hashes = (blocks: readonly { hash: string }[]) => blocks.map(({ hash }) => hash);

describe('newHeads', () => {
  test('tells each block that comes with its header, read at that block, as one batch a change', async () => {
    const { live, move, chain } = await startLiveStreams(1);
    const client = subscribeToStream(live.newHeads(null));
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

  test('says whether another block of the height was of the chain before, and not whether it was told', async () => {
    const { live, move } = await startLiveStreams(2);
    await move(2, 3);
    const client = subscribeToStream(live.newHeads(null));
    await move(2, 3);
    await move(0, 1);
    await client.waitForEvents(4);
    expect(client.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, true, false, false]);
  });

  test('goes on behind the head with nothing, behind an older block with what came since, behind an abandoned one from the fork on', async () => {
    const { live, move, chain } = await startLiveStreams(4);
    const older = chain.main.at(35)!;
    const { removed, added } = await move(4, 6);
    const clients = [chain.head, older, removed[0]!, removed.at(-1)!].map(({ hash }) => subscribeToStream(live.newHeads(hash)));
    const next = await move(0, 1);
    const expected = [[], [chain.main.at(36)!, ...added], added, added];
    for (const [i, client] of clients.entries()) {
      const told = hashes([...expected[i]!, ...next.added]);
      expect((await client.waitForEvents(told.length)).map(({ cursor }) => cursor)).toEqual(told);
      expect(client.batches).toHaveLength(i === 0 ? 1 : 2);
    }
    expect(clients[2]!.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, true, true, true, false, false, false]);
  });

  test('ends with CURSOR_EXPIRED behind a block that is not remembered, and says what to do', async () => {
    const { live } = await startLiveStreams(5);
    const client = subscribeToStream(live.newHeads(hashOf(0xdead)));
    expect(await client.waitForEnd()).toMatchObject({
      code: 'CURSOR_EXPIRED',
      message: expect.stringMatching(/subscribe without `after`/),
    });
  });

  test('cannot say what was missed before a head is known', async () => {
    const chain = new SimChain({ seed: 6 });
    const { feed, node } = await startFeed(chain, { ready: false });
    node.upgradeRefusalStatus = 503;
    const client = subscribeToStream(
      createChainSubscriptions({ feed, snapshotSources: {} as SnapshotSources }).newHeads(hashOf(1)),
    );
    expect(await client.waitForEnd()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', extensions: { retryable: true } });
  });

  test('ends at a gap, and what replaces what is still known afterwards', async () => {
    const { live, move, chain, node } = await startLiveStreams(7);
    const client = subscribeToStream(live.newHeads(null));
    node.disconnect('reset');
    node.upgradeRefusalStatus = 503;
    chain.mine(1_100);
    node.upgradeRefusalStatus = undefined;
    expect(await client.waitForEnd()).toMatchObject({ code: 'GAP_TOO_LARGE' });
    const again = subscribeToStream(live.newHeads(null));
    await move(1, 2);
    await again.waitForEvents(2);
    expect(again.events.map(({ root }) => root.newHeads.replaces)).toEqual([true, false]);
  });

  test('and all else ends when the server does', async () => {
    const { live, feed } = await startLiveStreams(8);
    const clients = [
      subscribeToStream(live.newHeads(null)),
      subscribeToStream(live.reorgs()),
      subscribeToStream(live.logs({}, null)),
    ];
    await feed.stop();
    for (const client of clients) expect(await client.waitForEnd()).toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('reorgs', () => {
  test('are told with all that went, newest first, and all that came, oldest first; growth is none', async () => {
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
