import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createGate } from '../../support/gate.ts';
import { startFollowedGraph } from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';

/** The final block of the node is 16 below its head. */
test('an operation reads the final block itself when the operation that has asked for it first ends', async () => {
  const graph = await startFollowedGraph({ chain: new SimChain({ seed: 7, blocks: 40 }) });
  const asked = createGate();
  graph.node.rewrite = async (body, request) => {
    if (JSON.stringify(request).includes('"finalized"')) {
      asked.open();
      await delay(1_000);
    }
    return body;
  };
  const query = '{ block(number: 5) { number finalized } }';
  const first = graph.execute(query, undefined, undefined, 300);
  await asked.opened;
  expect(await graph.execute(query)).toMatchObject({ data: { block: { number: '0x5', finalized: true } } });
  expect(await first).toMatchObject({ errors: [{ extensions: { code: 'TIMEOUT' } }] });
});

test('a block becomes final also for a client that names the block of its operations', async () => {
  const chain = new SimChain({ seed: 7, blocks: 40 });
  const graph = await startFollowedGraph({ chain });
  const pin = chain.main.at(30)!.hash;
  const query = '{ block(number: 26) { finalized } final: block(tag: FINALIZED) { number } }';
  const before = await graph.execute(query, undefined, pin);
  expect(before.data).toEqual({ block: { finalized: false }, final: { number: `0x${(chain.head.height - 16).toString(16)}` } });
  for (let i = 0; i < 5; i++) chain.mine();
  const after = await graph.execute(query, undefined, pin);
  expect(after.data).toEqual({ block: { finalized: true }, final: { number: `0x${(chain.head.height - 16).toString(16)}` } });
});
