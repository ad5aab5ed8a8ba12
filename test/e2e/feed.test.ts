import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../src/devnet/index.ts';
import type { RpcLog, RpcTransaction } from '../../src/ethereum/rpc-types.ts';
import { type Feed, openFeed } from '../../src/sync/feed.ts';
import { type Follower, startFollower } from '../../src/sync/head/follower.ts';
import { type Node, openNode } from '../../src/upstream/rpc/node.ts';
import { until } from '../support/subscriptions/feed.ts';
import { logReplay } from '../support/subscriptions/log-replay.ts';
import { rpc } from '../support/upstream/anvil-rpc.ts';

/** The feed of a real chain, behind a node service as one rents it. */
const log = pino({ level: 'silent' });
const TRANSFER = '0xa9059cbb';

let devnet: Devnet;
let node: Node;
let follower: Follower;
let feed: Feed;

const call = <T = any>(method: string, ...params: unknown[]): Promise<T> =>
  rpc(devnet.description.endpoints.http, method, params);

/** Sends tokens from one account to another, and gives the hash of that. */
function transfer(amount: number): Promise<string> {
  const [from, to] = devnet.description.accounts.map(({ address }) => address);
  const data = `${TRANSFER}${to!.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  return call('eth_sendTransaction', { from, to: devnet.description.contracts[0]!.address, data });
}

beforeAll(async () => {
  devnet = await startDevnet({ life: false, log });
  // A block that comes by itself comes some time after its transaction, and maybe after the next block.
  await call('evm_setAutomine', false);
  const { nodeService } = devnet.description;
  node = openNode({ urls: [nodeService.http], batch: 100, timeoutMs: 5_000, log });
  follower = startFollower({ url: nodeService.ws, open: node.open, timeoutMs: 5_000, batch: 100, log });
  await follower.ready(AbortSignal.timeout(5_000));
  const methods = ['alchemy_newFullPendingTransactions', 'svc_newFullPendingTransactions'];
  feed = openFeed({ follower, open: node.open, methods, timeoutMs: 5_000, log });
});

afterAll(async () => {
  await feed.stop();
  await follower.stop();
  await node.close();
  await devnet.stop();
});

test('logs of a real chain are told as the node itself tells them, through a reorg', async () => {
  const heard = logReplay(feed.head!.hash);
  const stop = feed.logs(heard);
  const latest = async (): Promise<string> => (await call('eth_getBlockByNumber', 'latest', false)).hash;
  const first = await transfer(1);
  await call('evm_mine');
  await heard.reached(await latest());
  const told = () => heard.blocks.flatMap(({ logs }) => logs);
  expect(told().map(({ transactionHash }) => transactionHash)).toContain(first);

  await call('anvil_reorg', 2, []);
  await transfer(2);
  await call('evm_mine');
  await heard.reached(await latest());
  expect(heard.removed).toBe(2);
  const fromBlock = heard.blocks[0]!.head.number;
  expect(told()).toEqual(await call<RpcLog[]>('eth_getLogs', { fromBlock, toBlock: 'latest' }));
  stop();
});

test('pending transactions of a real chain are told whole, by the method of the service', async () => {
  const heard: RpcTransaction[] = [];
  const stop = feed.pending({ next: (transaction) => void heard.push(transaction), end: () => {} });
  await until(() => feed.upstreamSubscriptions === 2);
  const hash = await transfer(3);
  await until(() => heard.length > 0);
  expect(heard.map((transaction) => transaction.hash)).toEqual([hash]);
  expect(heard[0]).toMatchObject({ blockHash: null, to: devnet.description.contracts[0]!.address.toLowerCase() });
  stop();
});
