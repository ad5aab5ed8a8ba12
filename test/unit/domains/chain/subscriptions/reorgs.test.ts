import { expect, test } from '@jest/globals';
import { reorgs, trackReplacements } from '../../../../../src/domains/chain/subscriptions/heads.ts';
import { GraphError } from '../../../../../src/lib/errors.ts';
import { createEventHub } from '../../../../../src/lib/event-hub.ts';
import { readHead } from '../../../../../src/sync/chain/rpc-header.ts';
import type { ChainChange, Head } from '../../../../../src/sync/head/follower.ts';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { log } from '../../../../support/silent-log.ts';
import { block, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

/** Heads for reorgs that remove blocks without replacing them, which a real node reports only after minutes. */
const createHub = () => createEventHub<ChainChange>({ log });

/** A block by its height and its branch. */
const head = (height: number, branch: number): Head =>
  readHead(
    block({
      number: `0x${height.toString(16)}`,
      hash: hashOf(0x1000 * branch + height),
      parentHash: hashOf(0x1000 * branch + height - 1),
    }),
  )!;
const change = (removed: readonly Head[], added: readonly Head[]): ChainChange => ({ removed, added, hasGap: false });
const [A1, A2, B1, B2, C3] = [head(1, 0xa), head(2, 0xa), head(1, 0xb), head(2, 0xb), head(3, 0xc)] as const;

test('a block replaces the last removed block of its height, but not itself', () => {
  const { subscribe, emit } = createHub();
  const replacements = trackReplacements({ subscribeHeads: subscribe });
  const replacing = () => [A1, A2, B1, B2, C3].map(({ hash }) => replacements.has(hash));
  emit(change([], [A1, A2]));
  emit(change([A2], []));
  emit(change([], [A2]));
  expect(replacing()).toEqual([false, false, false, false, false]);
  emit(change([A2, A1], []));
  emit(change([], [B1]));
  expect(replacing()).toEqual([false, false, true, false, false]);
  emit(change([], [B2, C3]));
  expect(replacing()).toEqual([false, false, true, true, false]);
  // After a reorg back to the first branch, the original blocks replace the others.
  emit(change([C3, B2, B1], [A1, A2]));
  expect(replacing()).toEqual([true, true, true, true, false]);
});

test('replacements are tracked again after a gap, and the oldest are evicted', async () => {
  const { subscribe, emit, end } = createHub();
  const replacements = trackReplacements({ subscribeHeads: subscribe });
  end(new GraphError('GAP_TOO_LARGE', 'A gap.'));
  await Promise.resolve();
  emit(change([A1], [B1]));
  expect(replacements.has(B1.hash)).toBe(true);
  for (let height = 2; height < 1_000; height++) emit(change([head(height, 0xa)], [head(height, 0xb)]));
  expect([B1, head(999, 0xb), head(600, 0xb)].map(({ hash }) => replacements.has(hash))).toEqual([false, true, true]);
});

test('a reorg without added blocks is read at the common ancestor', () => {
  const { subscribe, emit } = createHub();
  const feed = { subscribeHeads: subscribe };
  const client = subscribeToStream(reorgs(feed, trackReplacements(feed)));
  emit(change([A2, A1], []));
  expect(client.events).toHaveLength(1);
  expect(client.events[0]).toMatchObject({
    block: A1.parentHash,
    root: { reorgs: { depth: 2, commonAncestor: { blockHash: A1.parentHash, blockNumber: '0x0' }, added: [] } },
  });
});
