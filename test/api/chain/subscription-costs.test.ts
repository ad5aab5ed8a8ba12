import { expect, test } from '@jest/globals';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Everything in the new block and in its 40 ancestors: about as much as one operation may cost. */
const EXPENSIVE_SELECTION = `block { ${Array.from(
  { length: 40 },
  (_, i) => `p${i}: parent { transactions { value } receipts { status logs { data } } parent { receipts { gasUsed } } }`,
).join(' ')} }`;

test('one WebSocket may have 100 cheap subscriptions, and expensive ones up to four times the limit of an operation', async () => {
  const chain = new SimChain({ seed: 1 });
  chain.mine(3);
  const graph = await startLiveGraph(chain);
  const [cheap, expensive] = [await RawSocket.connect(graph.url), await RawSocket.connect(graph.url)];
  for (let i = 0; i < 100; i++)
    cheap.subscribe(`${i}`, `subscription { newHeads { n${i}: number block { transactions { hash value } } } }`);
  await waitUntil(async () => (await graph.metric('subscriptions')) === 100, '100 cheap subscriptions are open');
  const cheapCost = await graph.metric('subscription_cost');
  expect(cheapCost).toBeLessThan(20_000);
  for (let i = 0; i < 10; i++) expensive.subscribe(`${i}`, `subscription { newHeads { n${i}: number ${EXPENSIVE_SELECTION} } }`);
  const { payload } = await expensive.waitForEnd('9');
  expect(payload).toMatchObject([
    { extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', setting: 'MAX_SUBSCRIPTION_COST', limit: 20_000 } },
  ]);
  const accepted = (await graph.metric('subscriptions')) - 100;
  const each = ((await graph.metric('subscription_cost')) - cheapCost) / accepted;
  expect(payload[0].extensions.actual).toBe((accepted + 1) * each);
  expect(each).toBeLessThanOrEqual(5_000);
  for (const socket of [cheap, expensive]) socket.close();
  await waitUntil(async () => (await graph.metric('subscription_cost')) === 0, 'the cost returns to zero');
});
