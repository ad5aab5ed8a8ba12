import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { id, toQuantity } from 'ethers';
import { startAnvil } from '../../../devnet/src/anvil/process.ts';
import {
  type Devnet,
  type DevnetDescription,
  type DevnetLandmarks,
  type DevnetOptions,
  startDevnet,
} from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { log } from '../../support/silent-log.ts';

const anySeed = Math.floor(Math.random() * 2 ** 31);

const callMethod = <const Method extends string, const Params extends readonly unknown[]>(
  url: string,
  method: Method,
  ...params: Params
) => rpc(url, method, params);

/** Polls until a value is returned; jest's timeout is the limit. */
async function waitUntil<Value>(probe: () => Promise<Value | undefined | null | false>): Promise<Value> {
  for (;;) {
    const value = await probe();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const hasExited = (url: string) =>
  callMethod(url, 'eth_chainId').then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  );

async function withDevnet<Value>(options: Omit<DevnetOptions, 'log'>, use: (devnet: Devnet, http: string) => Promise<Value>) {
  const devnet = await startDevnet({ ...options, log });
  try {
    return await use(devnet, devnet.description.endpoints.http);
  } finally {
    await devnet.stop();
  }
}

describe('devnet world', () => {
  let devnet: Devnet;
  let http: string;
  let landmarks: DevnetLandmarks;
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 1, hasActivity: false, log });
    ({
      landmarks,
      endpoints: { http },
    } = devnet.description);
  });
  afterAll(() => devnet.stop());

  test.each([
    ['legacyTransaction', '0x0', '0x1'],
    ['accessListTransaction', '0x1', '0x1'],
    ['feeMarketTransaction', '0x2', '0x1'],
    ['revertedTransaction', '0x2', '0x0'],
    ['contractCreation', '0x2', '0x1'],
    ['tokenTransfer', '0x2', '0x1'],
    ['approval', '0x2', '0x1'],
  ] as const)('landmark %s has type %s and status %s', async (landmark, type, status) => {
    expect(await callMethod(http, 'eth_getTransactionByHash', landmarks[landmark])).toMatchObject({ type });
    expect(await callMethod(http, 'eth_getTransactionReceipt', landmarks[landmark])).toMatchObject({ type, status });
  });

  test('each contract of the devnet is at its creation address', async () => {
    for (const { address, transactionHash, blockNumber } of devnet.description.contracts) {
      expect(await callMethod(http, 'eth_getTransactionReceipt', transactionHash)).toMatchObject({
        contractAddress: address,
        blockNumber: toQuantity(blockNumber),
      });
    }
  });

  test('the crowded block has 240 ether and token transfers, and the empty block none', async () => {
    const crowded = await callMethod(http, 'eth_getBlockByNumber', toQuantity(landmarks.crowdedBlock), true);
    expect(crowded.transactions).toHaveLength(240);
    const ether = crowded.transactions.filter(({ input }) => input === '0x').length;
    const tokens = crowded.transactions.filter(({ input }) =>
      input.startsWith(id('transfer(address,uint256)').slice(0, 10)),
    ).length;
    expect(Math.min(ether, tokens)).toBeGreaterThan(50);
    expect(await callMethod(http, 'eth_getBlockByNumber', toQuantity(landmarks.emptyBlock), false)).toMatchObject({
      transactions: [],
    });
  });

  test('a devnet without activity mines each transaction immediately, with the current time', async () => {
    const [alice, bob] = devnet.description.accounts;
    const hash = await callMethod(http, 'eth_sendTransaction', { from: alice!.address, to: bob!.address, value: '0x1' });
    const { blockNumber } = await waitUntil(() => callMethod(http, 'eth_getTransactionReceipt', hash));
    const block = await callMethod(http, 'eth_getBlockByNumber', blockNumber, false);
    expect(Number(block.number)).toBe(landmarks.lastBlock + 1);
    expect(Math.abs(Number(block.timestamp) - Date.now() / 1000)).toBeLessThan(10);
  });
});

test(`devnets with equal seeds have equal hashes, and others do not (seeds ${anySeed} and ${anySeed + 1})`, async () => {
  const build = (seed: number) =>
    withDevnet({ seed, hasActivity: false }, async ({ description: { landmarks, contracts } }, http) => {
      const last = await callMethod(http, 'eth_getBlockByNumber', toQuantity(landmarks.lastBlock), false);
      return { hash: last.hash, landmarks, contracts };
    });
  const [world, again, other] = await Promise.all([build(anySeed), build(anySeed), build(anySeed + 1)]);
  expect(again).toEqual(world);
  expect(other.hash).not.toBe(world.hash);
  expect(other.contracts.map(({ address }) => address)).toEqual(world.contracts.map(({ address }) => address));
});

describe('devnet activity', () => {
  test('devnet activity mines blocks of two to five transactions, and includes transactions of users', () =>
    withDevnet({ blockTime: 0.1 }, async ({ description: { landmarks, accounts } }, http) => {
      const [alice] = accounts;
      // An account without traffic: concurrent senders may receive the same nonce.
      const guest = accounts.at(-1);
      const first = toQuantity(landmarks.lastBlock + 1);
      const { transactions } = await waitUntil(() => callMethod(http, 'eth_getBlockByNumber', first, false));
      expect(transactions.length).toBeGreaterThanOrEqual(2);
      expect(transactions.length).toBeLessThanOrEqual(5);
      const hash = await callMethod(http, 'eth_sendTransaction', {
        from: guest!.address,
        to: alice!.address,
        value: '0x1',
      });
      const { blockNumber } = await waitUntil(() => callMethod(http, 'eth_getTransactionReceipt', hash));
      const block = await callMethod(http, 'eth_getBlockByNumber', blockNumber, false);
      expect(block.transactions.length).toBeGreaterThan(1);
    }));
});

test('anvil exits when its parent process is killed with SIGKILL', async () => {
  const graph = await startGraph();
  const { endpoints } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  expect(await hasExited(endpoints.http)).toBe(false);
  graph.process.kill('SIGKILL');
  await waitUntil(() => hasExited(endpoints.http));
});

test.each([
  ['does not exist', '/nonexistent/anvil', /did not start: spawn .*ENOENT.*RPC_URL.*--omit=optional/],
  ['exits immediately', process.execPath, /did not start: anvil ended with code 9: .*bad option/],
])('startAnvil with a binary that %s rejects with a hint', async (_case, binary, message) => {
  await expect(startAnvil({ chainId: 1, mnemonic: '', genesisTime: 0, binary })).rejects.toThrow(message);
});

test('startAnvil on a platform without an anvil package rejects with a hint', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...platform, value: 'plan9' });
  try {
    await expect(startAnvil({ chainId: 1, mnemonic: '', genesisTime: 0 })).rejects.toThrow(
      /package for plan9-.* not installed.*RPC_URL/,
    );
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
});
