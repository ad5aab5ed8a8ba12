import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import {
  BLOCK_SELECTION,
  expectedBlock,
  expectedTransaction,
  hex,
  TRANSACTION_SELECTION,
} from '../../support/graph/expected-values.ts';

/** Pages of the embedded chain's history, and its blocks by time, equal what the node returns. */
let setup: DevnetSetup;
let rawBlocks: any[];

beforeAll(async () => {
  setup = await startSharedDevnetSetup();
  const { lastBlock } = setup.devnet.description.landmarks;
  rawBlocks = await Promise.all(Array.from({ length: lastBlock + 1 }, (_, n) => setup.rpc('eth_getBlockByNumber', hex(n), true)));
});

afterAll(() => setup?.stop());

async function execute(query: string): Promise<any> {
  const { data, errors } = await setup.graph.execute(query);
  expect(errors).toBeUndefined();
  return data;
}

test('pages of blocks have the values of the node, forwards and backwards', async () => {
  const expected = rawBlocks.slice(0, -1).map((raw, n) => {
    const hashes = raw.transactions.map(({ hash }: { hash: string }) => hash);
    return expectedBlock({ ...raw, transactions: hashes }, rawBlocks[n + 1].baseFeePerGas);
  });
  const args = `from: 0, to: ${expected.length - 1}`;
  const forwards: any[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { page } = await execute(
      `{ page: blocksConnection(${args}, first: 9${after && `, after: "${after}"`}) { edges { node { ${BLOCK_SELECTION} } } pageInfo { hasNextPage endCursor } } }`,
    );
    forwards.push(...page.edges.map(({ node }: any) => node));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  }
  expect(forwards).toEqual(expected);
  const { last } = await execute(`{ last: blocksConnection(${args}, last: 4) { nodes { ${BLOCK_SELECTION} } } }`);
  expect(last.nodes).toEqual(expected.slice(-4));
});

test('pages of transactions have the values of the node, and so does a sender', async () => {
  const receipts = await Promise.all(rawBlocks.map(({ number }) => setup.rpc('eth_getBlockReceipts', number)));
  const expected = rawBlocks.flatMap(({ transactions, baseFeePerGas }, n) =>
    transactions.map((one: any, i: number) => expectedTransaction(one, receipts[n][i], baseFeePerGas)),
  );
  const sender = expected[0].from.address;
  const pagesOf = async (filter: string): Promise<any[]> => {
    const all: any[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { page } = await execute(
        `{ page: transactionsConnection(to: ${rawBlocks.length - 1}, first: 100${filter}${after && `, after: "${after}"`}) { nodes { ${TRANSACTION_SELECTION} } pageInfo { hasNextPage endCursor } } }`,
      );
      all.push(...page.nodes);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    }
    return all;
  };
  expect(await pagesOf('')).toEqual(expected);
  expect(await pagesOf(`, filter: { from: "${sender}" }`)).toEqual(expected.filter(({ from }) => from.address === sender));
});

test('each block is found by its time', async () => {
  const found = await execute(
    `{ ${rawBlocks.map(({ timestamp }, n) => `b${n}: block(timestamp: "${timestamp}") { number timestamp }`).join(' ')} }`,
  );
  for (const [n, { timestamp }] of rawBlocks.entries()) {
    const last = rawBlocks.findLast((raw) => Number(raw.timestamp) <= Number(timestamp));
    expect(found[`b${n}`].timestamp).toBe(timestamp);
    expect(Number(found[`b${n}`].number)).toBeGreaterThanOrEqual(Number(last.number));
  }
});
