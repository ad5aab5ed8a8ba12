import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { expectedLog, LOG_SELECTION } from '../../support/graph/expected-values.ts';

/** Upstream requests of pages of logs through the built server, and their values. More counts: test/graph/chain/log-pages.test.ts. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0' });
});

afterAll(() => setup?.stop());

beforeEach(() => {
  setup.proxy.takeCounts();
});

test('a page of logs with full transactions and blocks costs 2/1+N+M, each transaction and block once', async () => {
  const { data, errors } = await setup.graph.execute(`{
    logsConnection(filter: { fromBlock: 2, toBlock: 4 }, first: 200) {
      nodes { transaction { hash value } } edges { node { block { timestamp transactionCount } } }
    }
  }`);
  expect(errors).toBeUndefined();
  const { nodes } = data.logsConnection;
  const transactions = new Set(nodes.map((log: { transaction: { hash: string } }) => log.transaction.hash)).size;
  const { http, methods } = setup.proxy.takeCounts();
  expect({ http, methods }).toEqual({
    http: 2,
    methods: { eth_getLogs: 1, eth_getTransactionByHash: transactions, eth_getBlockByHash: 3 },
  });
});

test('the transfers of a token in a block cost 1/1, without metadata of the token', async () => {
  const [{ address }] = setup.devnet.description.contracts as unknown as [{ address: string }];
  const { data, errors } = await setup.graph.execute(
    `{ token(address: "${address}") { transfers(fromBlock: 20, toBlock: 20, first: 500) {
      totalAmount nodes { from { address } to { address } amount log { index transactionHash block { number hash } } }
    } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.token.transfers.nodes.length).toBeGreaterThan(10);
  const { http, methods } = setup.proxy.takeCounts();
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getLogs: 1 } });
});

test('the transfers of two tokens with the balances of their senders cost 2/2+N', async () => {
  const [first, second] = setup.devnet.description.contracts.map(({ address }) => address);
  const { data, errors } = await setup.graph.execute(
    `{ tokens(addresses: ["${first}", "${second}"]) { transfers(fromBlock: 20, toBlock: 20, first: 500) { nodes { from { balance address } } } } }`,
  );
  expect(errors).toBeUndefined();
  const senders = new Set(data.tokens.flatMap((token: any) => token.transfers.nodes.map(({ from }: any) => from.address)));
  const { http, methods } = setup.proxy.takeCounts();
  expect({ http, methods }).toEqual({ http: 2, methods: { eth_getLogs: 2, eth_getBalance: senders.size } });
});

test('the pages of the whole history have the logs of eth_getLogs, forwards and backwards', async () => {
  const expected = await setup.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: '0x1e' });
  for (const [size, cursor, end, more] of [
    ['first', 'after', 'endCursor', 'hasNextPage'],
    ['last', 'before', 'startCursor', 'hasPreviousPage'],
  ] as const) {
    const pages: unknown[][] = [];
    for (let at: string | null = null, hasMore = true; hasMore; ) {
      const { data, errors }: { data: any; errors?: unknown } = await setup.graph.execute(
        `query ($at: String) {
          page: logsConnection(filter: { fromBlockTag: EARLIEST, toBlock: 30 }, ${size}: 90, ${cursor}: $at) {
            nodes { ${LOG_SELECTION} } pageInfo { ${end} ${more} }
          }
        }`,
        { at },
      );
      expect(errors).toBeUndefined();
      pages.push(data.page.nodes);
      at = data.page.pageInfo[end];
      hasMore = data.page.pageInfo[more];
    }
    expect(pages.length).toBeGreaterThan(1);
    expect((size === 'last' ? pages.reverse() : pages).flat()).toEqual(expected.map(expectedLog));
  }
});
