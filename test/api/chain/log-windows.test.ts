import { beforeEach, expect, test } from '@jest/globals';
import { type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { block, hashOf, logFixture, receiptFixture, transactionFixture } from '../../support/upstream/rpc-fixtures.ts';

/** What is nested below logs is read in windows. The node has 60 blocks with two transactions and two logs each; the cache is off. */
const HEAD = 60;
const hex = (n: number): string => `0x${n.toString(16)}`;
const heightOf = (ref: string): number => (ref === 'latest' ? HEAD : Number(BigInt(ref)) % 0x1000);
const positionsIn = (height: number) =>
  [0, 1].map((i) => ({
    blockHash: hashOf(0xb000 + height),
    blockNumber: hex(height),
    transactionIndex: hex(i),
    hash: hashOf(0x10_000 + height * 2 + i),
  }));

const blockAt = (ref: string, full: boolean) => {
  const height = heightOf(ref);
  const transactions = positionsIn(height);
  return block({
    number: hex(height),
    hash: hashOf(0xb000 + height),
    parentHash: hashOf(0xb000 + height - 1),
    transactions: full ? transactions.map(transactionFixture) : transactions.map(({ hash }) => hash),
  });
};

const receiptsAt = (ref: string) =>
  positionsIn(heightOf(ref)).map(({ hash, ...position }) => receiptFixture({ ...position, transactionHash: hash }));

const logsOf = ({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) =>
  Array.from({ length: heightOf(toBlock) - heightOf(fromBlock) + 1 }, (_, i) => heightOf(fromBlock) + i).flatMap((height) =>
    positionsIn(height).map(({ hash, ...position }, i) => logFixture({ ...position, transactionHash: hash, logIndex: hex(i) })),
  );

let graph: StubbedGraph;
/** Hash of a block that the node does not have. */
let missingBlock: string | undefined;

beforeEach(async () => {
  missingBlock = undefined;
  graph = await startStubbedGraph(
    {
      eth_getLogs: logsOf,
      eth_getBlockByNumber: blockAt,
      eth_getBlockByHash: (hash: string, full: boolean) => (hash === missingBlock ? null : blockAt(hash, full)),
      eth_getBlockReceipts: receiptsAt,
      eth_getTransactionByHash: (hash: string) => {
        const position = positionsIn(Math.floor((Number(BigInt(hash)) - 0x10_000) / 2)).find((entry) => entry.hash === hash);
        return transactionFixture(position);
      },
    },
    { maxCost: 100_000 },
  );
});

const logs = (from: number, to: number) => `logs(filter: { fromBlock: ${from}, toBlock: ${to} })`;
const FULL_BLOCK = 'block { number transactions { nonce status } }';
const heightsOf = (found: { block: { number: string } }[]) => found.map((log) => Number(log.block.number));
const heights = (from: number, to: number) => Array.from({ length: (to - from + 1) * 2 }, (_, i) => from + Math.floor(i / 2));

test('full blocks with receipts below logs of 20 blocks cost 2/1+40, and of 50 blocks 4/1+100', async () => {
  const short = await graph.execute(`{ ${logs(1, 20)} { index ${FULL_BLOCK} } }`);
  expect(heightsOf(short.data.logs)).toEqual(heights(1, 20));
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 41 });
  const long = await graph.execute(`{ ${logs(1, 50)} { index ${FULL_BLOCK} } }`);
  expect(heightsOf(long.data.logs)).toEqual(heights(1, 50));
  expect(long.data.logs[99]).toMatchObject({ index: '0x1', block: { transactions: [{ nonce: '0x1', status: '0x1' }, {}] } });
  expect(graph.node.takeCounts()).toMatchObject({ http: 4, calls: 101 });
});

test('lists of logs that overlap read each block once', async () => {
  const { data } = await graph.execute(`{ a: ${logs(1, 50)} { ${FULL_BLOCK} } b: ${logs(11, 60)} { ${FULL_BLOCK} } }`);
  expect(heightsOf(data.a)).toEqual(heights(1, 50));
  expect(heightsOf(data.b)).toEqual(heights(11, 60));
  expect(graph.node.takeCounts().calls).toBe(2 + 120);
});

test('headers and transactions below the logs of 30 blocks cost 2/1+30+60', async () => {
  const { data } = await graph.execute(`{ ${logs(1, 30)} { block { number timestamp } transaction { nonce } } }`);
  expect(heightsOf(data.logs)).toEqual(heights(1, 30));
  expect(graph.node.takeCounts()).toMatchObject({ http: 2, calls: 91 });
});

test('an error below a log of a later window has the index of the log', async () => {
  missingBlock = hashOf(0xb000 + 30);
  const { data, errors } = await graph.execute(`{ ${logs(1, 50)} { ${FULL_BLOCK} } }`);
  expect(data.logs[58]).toEqual({ block: null });
  expect(data.logs[60].block.number).toBe('0x1f');
  expect(errors ?? []).toEqual([]);
});
