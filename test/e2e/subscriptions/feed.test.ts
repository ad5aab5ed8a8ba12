import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../devnet/src/index.ts';
import type { RpcLog, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { type ChainFeed, createChainFeed } from '../../../src/sync/feed.ts';
import { type Follower, startFollower } from '../../../src/sync/head/follower.ts';
import { createRpcNode, type RpcNode } from '../../../src/upstream/rpc/node.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { pollUntil } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay } from '../../support/subscriptions/log-replay.ts';

/** The chain feed over a real chain and the devnet's node service. */
const log = pino({ level: 'silent' });
const TRANSFER = '0xa9059cbb';

let devnet: Devnet;
let node: RpcNode;
let follower: Follower;
let feed: ChainFeed;

const call = <T = any>(method: string, ...params: unknown[]): Promise<T> =>
  rpc(devnet.description.endpoints.http, method, params);

/** Sends a token transfer and returns its hash. */
function transfer(amount: number): Promise<string> {
  const [from, to] = devnet.description.accounts.map(({ address }) => address);
  const data = `${TRANSFER}${to!.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  return call('eth_sendTransaction', { from, to: devnet.description.contracts[0]!.address, data });
}

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log });
  // Automine adds the block after the transaction, perhaps after the next block.
  await call('evm_setAutomine', false);
  const { nodeService } = devnet.description;
  node = createRpcNode({ urls: [nodeService.http], maxBatchSize: 100, timeoutMs: 5_000, log });
  follower = startFollower({ url: nodeService.ws, createSource: node.createSession, timeoutMs: 5_000, maxBatchSize: 100, log });
  await follower.ready(AbortSignal.timeout(5_000));
  const fullTransactionSubscriptions = ['alchemy_newFullPendingTransactions', 'svc_newFullPendingTransactions'];
  feed = createChainFeed({ follower, createSource: node.createSession, fullTransactionSubscriptions, timeoutMs: 5_000, log });
});

afterAll(async () => {
  await feed.stop();
  await follower.stop();
  await node.close();
  await devnet.stop();
});

test('log feed emits the logs of the node across a reorg', async () => {
  const received = createLogReplay(feed.head!.hash);
  const stop = feed.subscribeLogs(received);
  const latest = async (): Promise<string> => (await call('eth_getBlockByNumber', 'latest', false)).hash;
  const first = await transfer(1);
  await call('evm_mine');
  await received.waitForBlock(await latest());
  const emitted = () => received.blocks.flatMap(({ logs }) => logs);
  expect(emitted().map(({ transactionHash }) => transactionHash)).toContain(first);

  await call('anvil_reorg', 2, []);
  await transfer(2);
  await call('evm_mine');
  await received.waitForBlock(await latest());
  expect(received.removed).toBe(2);
  const fromBlock = received.blocks[0]!.head.number;
  expect(emitted()).toEqual(await call<RpcLog[]>('eth_getLogs', { fromBlock, toBlock: 'latest' }));
  stop();
});

test('pending transaction feed emits whole transactions through svc_newFullPendingTransactions', async () => {
  const received: RpcTransaction[] = [];
  const stop = feed.subscribePendingTransactions({ next: (transaction) => void received.push(transaction), end: () => {} });
  await pollUntil(() => feed.upstreamSubscriptions === 2);
  const hash = await transfer(3);
  await pollUntil(() => received.length > 0);
  expect(received.map((transaction) => transaction.hash)).toEqual([hash]);
  expect(received[0]).toMatchObject({ blockHash: null, to: devnet.description.contracts[0]!.address.toLowerCase() });
  stop();
});
