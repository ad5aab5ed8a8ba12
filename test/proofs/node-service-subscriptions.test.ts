import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import { WebSocket } from 'ws';
import type { Devnet } from '../../devnet/src/index.ts';
import { type NodeControlRequest, type NodeService, startNodeService } from '../../devnet/src/node-service/index.ts';
import { createSeededRandom } from '../../devnet/src/world/random.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { type CallNode, type NodeBlock, rpc } from '../support/graph/rpc.ts';
import { log } from '../support/silent-log.ts';

const KEY = 'the-key';
const anySeed = Math.floor(Math.random() * 2 ** 31);

let devnet: Devnet;
let service: NodeService;
/** The current time of the service, milliseconds. */
let clock: number;
const clients: Client[] = [];

beforeAll(async () => {
  devnet = await startTestDevnet();
});

beforeEach(async () => {
  clock = Date.UTC(2026, 0, 31, 23, 59, 59);
  const extraMethods = ['eth_getBlockReceipts', 'eth_feeHistory'];
  service = await startNodeService({
    anvil: devnet.description.endpoints,
    keys: [KEY, 'other'],
    extraMethods,
    now: () => clock,
    log,
  });
  await anvil('evm_setAutomine', false);
});

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await service.stop();
  await anvil('anvil_dropAllTransactions');
});

let lastId = 0;
const envelope = (method: string, params: unknown[]) => ({ jsonrpc: '2.0', id: ++lastId, method, params });

async function post(url: string, body: unknown): Promise<{ status: number; headers: Headers; body: any }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('<') ? text : JSON.parse(text) };
}

/** Calls anvil directly. */
const anvil: CallNode = (method, ...params) => rpc(devnet.description.endpoints.http, method, params);

/** Calls the service over HTTP. Returns the result or the error. */
async function callMethod(method: string, ...params: unknown[]) {
  const { body } = await post(service.endpoints.http, envelope(method, params));
  return 'result' in body ? body.result : { error: body.error };
}

async function control(request: NodeControlRequest) {
  const { status, body } = await post(service.endpoints.control, request);
  if (status !== 200) throw new Error(body.error);
  return body;
}

interface Event {
  readonly subscription: string;
  readonly result: any;
}

type Reply = { readonly result?: unknown; readonly error?: unknown };

interface Client {
  readonly socket: WebSocket;
  readonly events: Event[];
  /** Calls the service over the WebSocket. Returns the result or the error. */
  call(method: string, ...params: unknown[]): Promise<any>;
  /** Resolves when every event that the service has sent so far has arrived. */
  flush(): Promise<void>;
  /** Resolves when the next event arrives. */
  next(): Promise<void>;
}

async function connect(url = service.endpoints.ws): Promise<Client> {
  const socket = new WebSocket(url);
  const events: Event[] = [];
  const waiting = new Map<number, (reply: Reply) => void>();
  let wake = () => {};
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method !== 'eth_subscription') return waiting.get(message.id)?.(message);
    expect(Object.keys(message)).toEqual(['jsonrpc', 'method', 'params']);
    expect(message.jsonrpc).toBe('2.0');
    events.push(message.params);
    wake();
  });
  await once(socket, 'open');
  const client: Client = {
    socket,
    events,
    async call(method, ...params) {
      const request = envelope(method, params);
      const reply = await new Promise<Reply>((resolve) => {
        waiting.set(request.id, resolve);
        socket.send(JSON.stringify(request));
      });
      return 'result' in reply ? reply.result : { error: reply.error };
    },
    // The response arrives after the events that were sent before it.
    flush: () => client.call('net_listening').then(() => {}),
    next: () => new Promise((resolve) => (wake = resolve)),
  };
  clients.push(client);
  return client;
}

/** Resolves when the client has received this many events. */
async function waitForEvents(client: Client, count: number): Promise<Event[]> {
  while (client.events.length < count) await client.next();
  await client.flush();
  return client.events;
}

const account = (index: number) => devnet.description.accounts[index]!.address;
const token = (index: number) => devnet.description.contracts[index]!.address;
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

/** A token transfer of an unlocked account. */
const transfer = (from: number, to: number, of = 0) => ({
  from: account(from),
  to: token(of),
  gas: '0x186a0',
  data: `0xa9059cbb${word(account(to)).slice(2)}${'1'.padStart(64, '0')}`,
});

const send = (from: number, to: number, of = 0) => anvil('eth_sendTransaction', transfer(from, to, of));
const latest = () => anvil('eth_getBlockByNumber', 'latest', false);

/** The seed's header of a block. */
const headerOf = ({ receiptsRoot, ...block }: NodeBlock<string>) => ({
  ...{ difficulty: block.difficulty, extraData: block.extraData, gasLimit: block.gasLimit, gasUsed: block.gasUsed },
  ...{ logsBloom: block.logsBloom, miner: block.miner, nonce: block.nonce, number: block.number },
  ...{ parentHash: block.parentHash, receiptRoot: receiptsRoot, sha3Uncles: block.sha3Uncles, stateRoot: block.stateRoot },
  ...{ timestamp: block.timestamp, transactionsRoot: block.transactionsRoot },
});

test('newHeads emits each header with exactly the fields of the seed', async () => {
  const client = await connect();
  const subscription = await client.call('eth_subscribe', 'newHeads');
  await send(0, 1);
  const blocks = [];
  for (let count = 0; count < 3; count += 1) {
    await anvil('evm_mine');
    blocks.push(await latest());
  }
  const events = await waitForEvents(client, 3);
  expect(events).toEqual(blocks.map((block) => ({ subscription, result: headerOf(block) })));
  expect(Object.keys(events[0]!.result)).toHaveLength(14);
});

test('svc_newFullPendingTransactions emits whole transactions without a block', async () => {
  const client = await connect();
  const subscription = await client.call('eth_subscribe', 'svc_newFullPendingTransactions');
  const hashes = [await send(0, 1), await send(1, 2)];
  const events = await waitForEvents(client, 2);
  expect(events.map(({ result }) => result.hash)).toEqual(hashes);
  for (const event of events) {
    expect(event.subscription).toBe(subscription);
    const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null };
    expect(event.result).toMatchObject({ ...nowhere, value: '0x0', input: expect.stringMatching(/^0xa9059cbb/) });
    expect(event.result).toEqual(await callMethod('eth_getTransactionByHash', event.result.hash));
  }
  await anvil('evm_mine');
  await client.flush();
  expect(client.events).toHaveLength(2);
});

test(`node service events add up to the chain across random reorgs (seed ${anySeed})`, async () => {
  const random = createSeededRandom(anySeed);
  const client = await connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  const logs = await client.call('eth_subscribe', 'logs', { address: token(0) });
  const start = Number((await latest()).number);
  for (let round = 0; round < 40; round += 1) {
    if (random.nextInt(3) === 0) {
      // Never below the start, so that the events are complete.
      const depth = Math.min(1 + random.nextInt(5), Number((await latest()).number) - start);
      const transactions = [[transfer(random.nextInt(3), 3), random.nextInt(depth)]] as [object, number][];
      if (depth > 0) await control({ reorg: { depth, transactions: transactions as never } });
      continue;
    }
    for (let count = random.nextInt(3); count > 0; count -= 1) await send(random.nextInt(3), 3, random.nextInt(2));
    await anvil('evm_mine');
  }
  await anvil('evm_mine');
  const last = await latest();
  while (client.events.findLast(({ subscription }) => subscription === heads)?.result.number !== last.number) await client.next();
  await client.flush();

  const present = new Map<string, unknown>();
  const numbers = new Map<string, unknown>();
  for (const { subscription, result } of client.events) {
    if (subscription === heads) numbers.set(result.number, result);
    else {
      const place = `${result.blockHash} ${result.logIndex}`;
      expect(present.has(place)).toBe(result.removed);
      if (result.removed) present.delete(place);
      else present.set(place, result);
    }
  }
  expect(new Set(client.events.map(({ subscription }) => subscription))).toEqual(new Set([heads, logs]));
  const canonical = await anvil('eth_getLogs', { fromBlock: toQuantity(start + 1), toBlock: 'latest', address: token(0) });
  expect([...present.values()]).toEqual(canonical);
  for (const [number, header] of numbers) {
    if (Number(number) <= Number(last.number)) {
      expect(header).toEqual(headerOf(await anvil('eth_getBlockByNumber', number, false)));
    }
  }
});

test('control endpoint rejects unknown requests', async () => {
  for (const request of [{ reorg: { depth: 0 } }, { capacity: -1 }, { faults: { latence: 1 } }, { other: 1 }, 1]) {
    expect((await post(service.endpoints.control, request)).status).toBe(400);
  }
  // Below the first block, and above the limit of the endpoint: other tests may have mined hundreds of blocks.
  for (const depth of [Number((await latest()).number) + 1, 257])
    await expect(control({ reorg: { depth } })).rejects.toThrow(/depth/);
  expect((await fetch(service.endpoints.control, { method: 'DELETE' })).status).toBe(405);
  expect((await fetch(service.endpoints.control.slice(0, -1), { method: 'GET' })).status).toBe(404);
});

describe('compute units', () => {
  const used = async (key = KEY) => (await control({})).usage[key];

  test('compute units are counted by key over both transports', async () => {
    await callMethod('eth_blockNumber');
    const client = await connect();
    await client.call('eth_getLogs', {});
    await post(service.endpoints.jsonrpc, [envelope('eth_call', [{ to: token(0) }]), envelope('eth_chainId', [])]);
    await callMethod('no_such');
    expect(await used()).toEqual({ month: '2026-01', units: 10 + 75 + 26 });
    expect(await used('other')).toEqual({ month: '2026-01', units: 0 });
  });

  test('compute units are counted for events, with the highest price for a pending transaction', async () => {
    const client = await connect();
    for (const topic of ['newHeads', 'logs', 'svc_newFullPendingTransactions']) await client.call('eth_subscribe', topic);
    await send(0, 1);
    await anvil('evm_mine');
    await waitForEvents(client, 3);
    expect((await used()).units).toBe(3 * 10 + 100 + 10 + 10);
  });

  test('exhausted compute units are an error for the key and month', async () => {
    await control({ capacity: 25 });
    expect([await callMethod('eth_blockNumber'), await callMethod('eth_blockNumber')]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    const { status, body } = await post(service.endpoints.http, envelope('eth_blockNumber', []));
    expect(status).toBe(429);
    expect(body.error).toEqual({
      code: 429,
      message: expect.stringMatching(/monthly .*capacity limit exceeded.*scaling policy/i),
    });
    expect((await used()).units).toBe(20);
    // Free calls still work; another key has its own units; a new month starts at 0.
    expect(await callMethod('eth_chainId')).toBe('0x7a69');
    const other = await post(service.endpointsFor('other').http, envelope('eth_blockNumber', []));
    expect(other.status).toBe(200);
    clock += 1000;
    expect(await callMethod('eth_blockNumber')).toEqual(expect.any(String));
    expect(await used()).toEqual({ month: '2026-02', units: 10 });
    await control({ capacity: null });
  });
});

describe('node service faults', () => {
  test('fault latency delays each response over both transports', async () => {
    const client = await connect();
    await control({ faults: { latency: 80 } });
    for (const call of [callMethod, client.call]) {
      const began = performance.now();
      await call('eth_chainId');
      expect(performance.now() - began).toBeGreaterThanOrEqual(79);
    }
  });

  test('fault errors fails a share of the calls, equal calls for equal seeds', async () => {
    const outcomes = async () => {
      await control({ faults: { errors: { rate: 0.5, seed: anySeed, methods: ['eth_blockNumber'], message: 'overload' } } });
      const all = [];
      for (let count = 0; count < 40; count += 1) all.push((await callMethod('eth_blockNumber')).error?.message ?? 'fine');
      return all;
    };
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set(['fine', 'overload']));
    expect(await outcomes()).toEqual(first);
    expect(await callMethod('eth_gasPrice')).toEqual(expect.any(String));
  });

  test('fault lag affects reads, but not heads', async () => {
    const client = await connect();
    await client.call('eth_subscribe', 'newHeads');
    const before = await latest();
    const hash = await send(0, 1);
    await anvil('evm_mine');
    await anvil('evm_mine');
    await waitForEvents(client, 2);
    const ahead = await latest();
    await control({ faults: { lag: 2 } });
    for (const call of [callMethod, client.call]) {
      expect(await call('eth_blockNumber')).toBe(before.number);
      expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: before.hash });
      expect(await call('eth_getBlockByNumber', ahead.number, false)).toBeNull();
      expect(await call('eth_getBlockByHash', ahead.hash, false)).toBeNull();
      expect(await call('eth_getTransactionByHash', hash)).toBeNull();
      expect(await call('eth_getTransactionReceipt', hash)).toBeNull();
      expect(await call('eth_getBalance', account(0), ahead.number)).toMatchObject({ error: { message: 'header not found' } });
      expect(await call('eth_getBalance', account(0), { blockHash: ahead.hash })).toHaveProperty('error');
      expect(await call('eth_getBalance', account(0), 'latest')).toBe(await anvil('eth_getBalance', account(0), before.number));
      expect(await call('eth_getLogs', { fromBlock: ahead.number })).toEqual([]);
      for (const block of [ahead.number, ahead.hash]) expect(await call('eth_getBlockReceipts', block)).toBeNull();
      for (const block of [before.number, before.hash])
        expect(await call('eth_getBlockReceipts', block)).toEqual(expect.any(Array));
      expect(await call('eth_feeHistory', '0x1', 'latest', [])).toMatchObject({ oldestBlock: before.number });
      expect(await call('eth_getLogs', { blockhash: ahead.hash })).toMatchObject({ error: { message: 'unknown block' } });
      expect(await call('eth_getLogs', {})).toEqual(await anvil('eth_getLogs', { blockHash: before.hash }));
    }
  });

  test('fault drops closes connections without a response', async () => {
    const client = await connect();
    await control({ faults: { drops: { rate: 1 } } });
    await expect(callMethod('eth_chainId')).rejects.toThrow();
    const closed = once(client.socket, 'close');
    client.socket.send(JSON.stringify(envelope('eth_chainId', [])));
    expect((await closed)[0]).toBe(1006);
  });

  test('fault noBatches rejects a batch with one error and serves single calls', async () => {
    const client = await connect();
    await control({ faults: { noBatches: true } });
    const { status, body } = await post(service.endpoints.http, [envelope('eth_chainId', [])]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: null, error: { code: -32600, message: expect.stringMatching(/batch/) } });
    expect([await callMethod('eth_chainId'), await client.call('eth_chainId')]).toEqual(['0x7a69', '0x7a69']);
  });

  test('fault rateLimit rejects calls over the limit until the next second', async () => {
    await control({ faults: { rateLimit: 25 } });
    const two = () => post(service.endpoints.http, [envelope('eth_blockNumber', []), envelope('eth_blockNumber', [])]);
    expect((await two()).body).toMatchObject([{ result: expect.any(String) }, { result: expect.any(String) }]);
    const refused = await two();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body).toMatchObject([{ error: { code: 429 } }, { error: { code: 429 } }]);
    clock += 1000;
    expect((await two()).status).toBe(200);
  });
});

test('the exit of anvil closes WebSockets with a reason and makes calls errors', async () => {
  const own = await startTestDevnet();
  const orphan = await startNodeService({ anvil: own.description.endpoints, keys: [KEY], log });
  const client = await connect(orphan.endpoints.ws);
  const closed = once(client.socket, 'close');
  await own.stop();
  expect((await closed)[0]).toBe(1011);
  for (const call of [envelope('eth_blockNumber', []), envelope('svc_getTokenBalances', [account(0), [token(0)]])]) {
    expect((await post(orphan.endpoints.http, call)).body).toMatchObject({ error: { code: -32603 } });
  }
  const [error] = await once(new WebSocket(orphan.endpoints.ws), 'error');
  expect(error.message).toMatch(/503/);
  await orphan.stop();
});
