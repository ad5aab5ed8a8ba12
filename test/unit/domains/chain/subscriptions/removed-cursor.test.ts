import { expect, test } from '@jest/globals';
import { encodeLogCursor, MAX_LOG_INDEX } from '../../../../../src/domains/chain/log/cursor.ts';
import { createEventReads } from '../../../../../src/snapshot/event-reads.ts';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import { startFeed } from '../../../../support/subscriptions/feed-setup.ts';
import { createStreams, subscribingOperation } from '../../../../support/subscriptions/live-streams.ts';

test.each([
  ['eth_getLogs', false],
  ['eth_getBlockReceipts', true],
] as const)(
  'a cursor of a removed block expires if the node has its header and not its logs: %s',
  async (method, hasBlockReceipts) => {
    const chain = new SimChain({ seed: 5, bloom: 'real', maxOrphans: 10_000, blocks: 100 });
    const { removed } = chain.reorg(4, 5);
    chain.mine(20);
    // The server starts after the reorg.
    const { feed, node, follower, upstream } = await startFeed(chain, { hasBlockReceipts });
    const live = createStreams(feed, { node: upstream, follower, eventReads: createEventReads(feed) });
    node.intercept = (called, [first]) => {
      const of = (first as { blockHash?: unknown } | undefined)?.blockHash ?? first;
      if (!removed.some(({ hash }) => hash === of)) return undefined;
      if (called === 'eth_getLogs') return { error: { code: -32_000, message: 'unknown block' } };
      return called === method ? { result: null } : undefined;
    };
    const { height, hash } = removed[0]!;
    const after = encodeLogCursor({ height, hash, index: MAX_LOG_INDEX, removed: false });
    const client = subscribeToStream(live.logs(subscribingOperation(), { after }));
    expect(await client.waitForEnd()).toMatchObject({ code: 'CURSOR_EXPIRED' });
  },
);
