import { beforeAll, describe, expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import { type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { encodeBlockBody, encodeBlockHeader, encodeTypedReceipt } from '../../support/upstream/encodings.ts';
import { forkBlocks } from '../../support/upstream/replay/fork-blocks.ts';
import { otherChainBlocks, SHORT_HEADER_HEIGHT } from '../../support/upstream/replay/other-chain-blocks.ts';
import { replayedResponses } from '../../support/upstream/replay/replaying-node.ts';

/** The encodings of blocks, transactions and receipts of each fork, and of other chains. */

const CHAINS = [
  ['the forks of Ethereum', forkBlocks(), undefined],
  ['other chains', otherChainBlocks(), SHORT_HEADER_HEIGHT],
] as const;

describe.each(CHAINS)('encodings of %s', (_name, chain, shortHeader) => {
  let graph: StubbedGraph;

  beforeAll(async () => {
    graph = await startStubbedGraph(replayedResponses(chain));
  });

  const heights = [...chain.keys()];

  test.each(heights)('the transactions and receipts of block %i have the encodings that its roots commit to', async (height) => {
    const data = await dataOf(
      graph.execute('query ($n: Long) { block(number: $n) { transactions { raw rawReceipt } } }', {
        n: height,
      }),
    );
    const { raw, receipts } = chain[height]!;
    expect(data.block.transactions).toEqual(
      raw.map((encoded, i) => ({ raw: encoded, rawReceipt: encodeTypedReceipt(receipts[i]) })),
    );
  });

  test.each(heights.filter((height) => height !== shortHeader))(
    'block %i and its header have the encodings of its hash',
    async (height) => {
      const data = await dataOf(graph.execute('query ($n: Long) { block(number: $n) { raw rawHeader } }', { n: height }));
      const { block, raw, ommers } = chain[height]!;
      expect(data.block).toEqual({ raw: encodeBlockBody(block, raw, ommers), rawHeader: encodeBlockHeader(block) });
    },
  );

  if (shortHeader !== undefined) {
    test('a header that is hashed in another way has no encoding', async () => {
      const query = 'query ($n: Long) { block(number: $n) { rawHeader } }';
      const { data, errors } = await graph.execute(query, { n: shortHeader });
      expect(data.block).toBeNull();
      expect(errors).toMatchObject([{ path: ['block', 'rawHeader'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    });
  }
});
