import { expect, test } from '@jest/globals';
import { EncodedBody } from '../../../../src/graphql/subscriptions/event-execution.ts';
import { SubscriptionGroups } from '../../../../src/graphql/subscriptions/groups.ts';
import { liveStream } from '../../../../src/operation/live-query.ts';
import { createGate } from '../../../support/gate.ts';
import { ManualHead } from '../../../support/graph/manual-head.ts';
import { SUBSCRIPTION_LIMITS, ThrottledSink } from '../../../support/subscriptions/throttled-sink.ts';
import { waitUntil } from '../../../support/wait-until.ts';

test('a live query sends no result of an older head after one of a newer head, also if a reorg removes its first head', async () => {
  const follower = new ManualHead();
  follower.moveTo(1);
  const groups = new SubscriptionGroups(0, SUBSCRIPTION_LIMITS);
  const [started, removed] = [createGate(), createGate()];
  const resultAt = (height: number, isBlockMissing = false) => ({
    body: new EncodedBody([Buffer.from(String(height))]),
    cursor: undefined,
    isBlockMissing,
    digest: String(height),
  });
  let executions = 0;
  const executeEvent = async () => {
    executions += 1;
    if (executions > 1) return resultAt(follower.head!.height);
    // The node responds slowly, and then it lacks the block.
    started.open();
    await removed.opened;
    return resultAt(1, true);
  };
  const sink = new ThrottledSink();
  const operation = { key: 'live', executeEvent, isLive: true, priceEvent: () => 1, retainDocument: () => () => {} };
  sink.subscriber = groups.join(operation, liveStream([follower], new Set()), sink, { client: undefined });
  await started.opened;
  for (const height of [2, 3]) {
    follower.moveTo(height);
    await new Promise(setImmediate);
  }
  removed.open();
  await waitUntil(() => sink.numbers.at(-1) === 3, 'the result of the head arrives');
  const { numbers } = sink;
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  groups.stop();
});
