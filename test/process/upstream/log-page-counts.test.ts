import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { dataOf } from '../../support/graph/results.ts';

/** Upstream requests of pages of logs through the built server, and their values. More counts: test/api/chain/log-pages.test.ts. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0' });
});

beforeEach(() => {
  setup.proxy.takeCounts();
});

test('the transfers of a token in a block cost 1/1, without metadata of the token', async () => {
  const [{ address }] = setup.devnet.description.contracts as unknown as [{ address: string }];
  const data = await dataOf(
    setup.graph.execute(
      `{ token(address: "${address}") { transfers(fromBlock: 20, toBlock: 20, first: 500) {
      totalAmount nodes { from { address } to { address } amount log { index transactionHash block { number hash } } }
    } } }`,
    ),
  );
  expect(data.token.transfers.nodes.length).toBeGreaterThan(10);
  const { http, methods } = setup.proxy.takeCounts();
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getLogs: 1 } });
});

test('the transfers of two tokens with the balances of their senders cost 2/2+N', async () => {
  const [first, second] = setup.devnet.description.contracts.map(({ address }) => address);
  const data = await dataOf(
    setup.graph.execute(
      `{ tokens(addresses: ["${first}", "${second}"]) { transfers(fromBlock: 20, toBlock: 20, first: 500) { nodes { from { balance address } } } } }`,
    ),
  );
  const senders = new Set(data.tokens.flatMap((token) => token.transfers.nodes.map(({ from }) => from.address)));
  const { http, methods } = setup.proxy.takeCounts();
  expect({ http, methods }).toEqual({ http: 2, methods: { eth_getLogs: 2, eth_getBalance: senders.size } });
});
