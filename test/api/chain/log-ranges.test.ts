import { expect, test } from '@jest/globals';
import { TRANSFER_TOPIC } from '../../../src/ethereum/tokens.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  startFollowedGraph,
  startStubbedGraph,
} from '../../support/graph/stubbed-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';

const startSimulated = () => startFollowedGraph({ chain: new SimChain({ seed: 7, blocks: 40, bloom: 'real' }) });

/** Changes the logs that the node returns, of a block or of a range. */
function rewriteLogs(
  { node }: Awaited<ReturnType<typeof startSimulated>>,
  change: (logs: any[], isOfBlock: boolean) => any[],
): void {
  node.rewrite = (body: any, request: any) => {
    const rewrite = (answer: any) => {
      const { method, params } = [request].flat().find(({ id }) => id === answer.id);
      return method === 'eth_getLogs' ? { ...answer, result: change(answer.result, Boolean(params[0].blockHash)) } : answer;
    };
    return Array.isArray(body) ? body.map(rewrite) : rewrite(body);
  };
}

test.each([
  ['up to the final block', 'fromBlock: 1, toBlockTag: FINALIZED', { fromBlock: 1, toBlock: 'f' }],
  ['from the final block', 'fromBlockTag: FINALIZED', { fromBlock: 'f' }],
  ['from the safe block', 'fromBlockTag: SAFE, toBlock: 1000', { fromBlock: 's', toBlock: 1000 }],
  ['up to the safe block', 'fromBlock: 1, toBlockTag: SAFE', { fromBlock: 1, toBlock: 's' }],
  ['of the first block', 'fromBlockTag: EARLIEST, toBlockTag: EARLIEST', { fromBlock: 0, toBlock: 0 }],
])('a range %s has the logs of its heights and no others', async (_case, filter, heights) => {
  const graph = await startSimulated();
  const { f, s } = await dataOf(graph.execute('{ f: block(tag: FINALIZED) { number } s: block(tag: SAFE) { number } }'));
  const heightOf = (value: string | number) => Number(value === 'f' ? f.number : value === 's' ? s.number : value);
  const byHeight = Object.entries(heights).map(([name, value]) => `${name}: ${heightOf(value)}`);
  const query = `{ byTag: logs(filter: { ${filter} }) { blockNumber index } byHeight: logs(filter: { ${byHeight} }) { blockNumber index } }`;
  const { byTag, byHeight: expected } = await dataOf(graph.execute(query));
  expect(byTag).toEqual(expected);
});

test('logs are in the order of the chain on a node that numbers them in each transaction and omits the last block', async () => {
  const graph = await startSimulated();
  const renumber = (logs: readonly any[]): any[] =>
    logs.map((log) => {
      const inBlock = logs.filter(({ blockHash }) => blockHash === log.blockHash);
      // The first transaction of a block has its first two logs.
      const isFirst = log === inBlock[0] || log === inBlock[1];
      return { ...log, ...(isFirst ? pick(inBlock[0]!) : { logIndex: '0x0' }), ...(isFirst && { logIndex: log.logIndex! }) };
    });
  const pick = ({ transactionHash, transactionIndex }: Record<string, string>) => ({ transactionHash, transactionIndex });
  let omitted: string | undefined;
  rewriteLogs(graph, (logs, isOfBlock) => renumber(logs).filter(({ blockNumber }) => isOfBlock || blockNumber !== omitted));
  const query = '{ logs(filter: { fromBlock: 1, toBlock: 40 }) { blockNumber transactionIndex index data } }';
  const { logs: whole } = await dataOf(graph.execute(query));
  omitted = whole.at(-1)!.blockNumber;
  expect((await dataOf(graph.execute(query))).logs).toEqual(whole);
});

test('logs up to the pending block are those of mined blocks, then pending ones, whose index starts at 0 again', async () => {
  const pending = logFixture({ blockHash: null, blockNumber: null, transactionIndex: '0x0', logIndex: '0x0' });
  const methods = {
    eth_getBlockByNumber: block(),
    eth_getBlockByHash: block(),
    eth_getLogs: [logFixture({ logIndex: '0x5' }), pending],
  };
  const graph = await startStubbedGraph(methods);
  const { logs } = await dataOf(graph.execute('{ logs(filter: { fromBlock: 1, toPending: true }) { index blockNumber } }'));
  expect(logs).toEqual([
    { index: '0x5', blockNumber: '0x10' },
    { index: '0x0', blockNumber: null },
  ]);
});

test('pending logs stay behind the logs of a mined block that are read again', async () => {
  const graph = await startSimulated();
  const pending = logFixture({ blockHash: null, blockNumber: null, transactionIndex: '0x0', logIndex: '0x0' });
  let omitted: string | undefined;
  rewriteLogs(graph, (logs, isOfBlock) =>
    isOfBlock ? logs : [...logs.filter(({ blockNumber }) => blockNumber !== omitted), pending],
  );
  const query = '{ logs(filter: { fromBlock: 1, toPending: true }) { blockNumber index } }';
  const { logs: whole } = await dataOf(graph.execute(query));
  expect(whole.at(-1)!.blockNumber).toBeNull();
  omitted = whole.at(-2)!.blockNumber!;
  expect((await dataOf(graph.execute(query))).logs).toEqual(whole);
});

test('the sum of a page of transfers is at most 2^256 - 1', async () => {
  const max = `0x${'f'.repeat(64)}`;
  const logs = [0, 1].map((i) => logFixture({ topics: [TRANSFER_TOPIC, hashOf(1), hashOf(2)], data: max, logIndex: `0x${i}` }));
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block(), eth_getBlockByHash: block(), eth_getLogs: logs });
  const query = `{ token(address: "${addressOf(0xc)}") { transfers(fromBlock: 16) { totalAmount nodes { amount } } } }`;
  const { transfers } = (await dataOf(graph.execute(query))).token;
  expect([transfers.totalAmount, transfers.nodes.map(field('amount'))]).toEqual([max, [max, max]]);
});

test('an operation may have more searches than the parts of one range that a node limits', async () => {
  const blockAt = (ref: string) => block({ number: ref === 'latest' ? '0x3e8' : ref, hash: hashOf(0xb00 + Number(ref) || 1) });
  const graph = await startStubbedGraph({ eth_getBlockByNumber: blockAt, eth_getLogs: [] });
  const search = (height: number) => `a${height}: logs(filter: { fromBlock: ${height}, toBlock: ${height + 1} }) { index }`;
  const { errors } = await graph.execute(`{ ${Array.from({ length: 140 }, (_none, i) => search(i)).join(' ')} }` as string);
  expect(errors).toBeUndefined();
});
