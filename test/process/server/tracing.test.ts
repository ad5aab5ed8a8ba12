import { beforeAll, expect, test } from '@jest/globals';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

let target: SimNode;
let node: NodeProxy;
let graph: GraphProcess;

beforeAll(async () => {
  const chain = new SimChain({ seed: 1, blocks: 3 });
  target = await startSimNode({ chain });
  node = await startProxy(target.url);
  const sdk = new URL('../../support/otel-to-stderr.mjs', import.meta.url);
  graph = await startGraph({ RPC_URL: node.url, NODE_OPTIONS: `--import=${sdk.href}` });
});

interface SpanLine {
  readonly span: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

const spans = (): SpanLine[] =>
  graph
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"span":'))
    .map((line) => JSON.parse(line));

test('the built program sends its spans to an SDK that --import registers before it', async () => {
  await graph.execute('query Traced { block(number: 1) { transactions { value } } }');
  await waitUntil(() => spans().some(({ span }) => span === 'query Traced'), 'the operation has a span');
  const server = spans().find(({ span }) => span === 'query Traced')!;
  const request = spans().find(({ parentSpanId }) => parentSpanId === server.spanId);
  expect(request).toMatchObject({ span: 'eth_getBlockByHash', traceId: server.traceId });
});
