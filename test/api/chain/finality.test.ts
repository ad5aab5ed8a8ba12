import { expect, test } from '@jest/globals';
import { createGate } from '../../support/gate.ts';
import { startFollowedGraph } from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';

/** The final block of the node is 16 below its head. */
test('an operation reads the final block itself when the operation that has asked for it first ends', async () => {
  const graph = await startFollowedGraph({ chain: new SimChain({ seed: 7, blocks: 40 }) });
  const [asked, released] = [createGate(), createGate()];
  let isAsked = false;
  graph.node.rewrite = async (body, request) => {
    if (JSON.stringify(request).includes('"finalized"')) {
      isAsked = true;
      asked.open();
      await released.opened;
    }
    return body;
  };
  const query = '{ block(number: 5) { number finalized } }';
  const start = () => graph.execute(query, undefined, undefined, 500);
  let first: ReturnType<typeof start>;
  // On a busy machine an operation can end before it has asked.
  do {
    first = start();
    await Promise.race([asked.opened, first]);
  } while (!isAsked);
  const second = graph.execute(query);
  expect(await first).toMatchObject({ errors: [{ extensions: { code: 'TIMEOUT' } }] });
  released.open();
  expect(await second).toMatchObject({ data: { block: { number: '0x5', finalized: true } } });
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
