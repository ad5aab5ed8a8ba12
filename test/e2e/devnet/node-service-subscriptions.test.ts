import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import pino from 'pino';
import { WebSocket } from 'ws';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { type NodeControlRequest, type NodeService, startNodeService } from '../../../src/devnet/node-service/index.ts';
import { createSeededRandom } from '../../../src/devnet/world/random.ts';

const log = pino({ level: 'silent' });
const KEY = 'the-key';
const anySeed = Math.floor(Math.random() * 2 ** 31);

let devnet: Devnet;
let service: NodeService;
/** The current time of the service, milliseconds. */
let clock: number;
const clients: Client[] = [];

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log });
});

afterAll(() => devnet?.stop());

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
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text.startsWith('<') ? text : JSON.parse(text) };
}

/** One call to anvil itself, past the service. */
async function anvil(method: string, ...params: unknown[]): Promise<any> {
  const { body } = await post(devnet.description.endpoints.http, envelope(method, params));
  if (body.error) throw new Error(`${method}: ${body.error.message}`);
  return body.result;
}

/** One call over HTTP: its result, or its error. */
async function callMethod(method: string, ...params: unknown[]): Promise<any> {
  const { body } = await post(service.endpoints.http, envelope(method, params));
  return 'result' in body ? body.result : { error: body.error };
}

async function control(request: NodeControlRequest): Promise<any> {
  const { status, body } = await post(service.endpoints.control, request);
  if (status !== 200) throw new Error(body.error);
  return body;
}

interface Event {
  readonly subscription: string;
  readonly result: any;
}

interface Client {
  readonly socket: WebSocket;
  readonly events: Event[];
  /** One call over the WebSocket: its result, or its error. */
  ask(method: string, ...params: unknown[]): Promise<any>;
  /** Resolves when every event that the service has sent so far has arrived. */
  flush(): Promise<void>;
  /** Resolves when the next event arrives. */
  next(): Promise<void>;
}

async function connect(url = service.endpoints.ws): Promise<Client> {
  const socket = new WebSocket(url);
  const events: Event[] = [];
  const waiting = new Map<number, (reply: any) => void>();
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
    async ask(method, ...params) {
      const call = envelope(method, params);
      const reply = await new Promise<any>((resolve) => {
        waiting.set(call.id, resolve);
        socket.send(JSON.stringify(call));
      });
      return 'result' in reply ? reply.result : { error: reply.error };
    },
    // A message is sent in the order of the events before it.
    flush: () => client.ask('net_listening').then(() => {}),
    next: () => new Promise((resolve) => (wake = resolve)),
  };
  clients.push(client);
  return client;
}

/** Waits until so many events have come. */
async function waitUntil(client: Client, count: number): Promise<Event[]> {
  while (client.events.length < count) await client.next();
  await client.flush();
  return client.events;
}

const account = (index: number) => devnet.description.accounts[index]!.address;
const token = (index: number) => devnet.description.contracts[index]!.address;
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A token transfer of one, as anvil takes it from an unlocked account. */
const transfer = (from: number, to: number, of = 0) => ({
  from: account(from),
  to: token(of),
  gas: '0x186a0',
  data: `0xa9059cbb${word(account(to)).slice(2)}${'1'.padStart(64, '0')}`,
});

const send = (from: number, to: number, of = 0) => anvil('eth_sendTransaction', transfer(from, to, of));
const latest = () => anvil('eth_getBlockByNumber', 'latest', false);

/** The seed's header of a block. */
const headerOf = ({ receiptsRoot, ...block }: any) => ({
  ...{ difficulty: block.difficulty, extraData: block.extraData, gasLimit: block.gasLimit, gasUsed: block.gasUsed },
  ...{ logsBloom: block.logsBloom, miner: block.miner, nonce: block.nonce, number: block.number },
  ...{ parentHash: block.parentHash, receiptRoot: receiptsRoot, sha3Uncles: block.sha3Uncles, stateRoot: block.stateRoot },
  ...{ timestamp: block.timestamp, transactionsRoot: block.transactionsRoot },
});

describe('newHeads', () => {
  test('tells each header with exactly the fields of the seed', async () => {
    const client = await connect();
    const subscription = await client.ask('eth_subscribe', 'newHeads');
    await send(0, 1);
    const blocks = [];
    for (let count = 0; count < 3; count += 1) {
      await anvil('evm_mine');
      blocks.push(await latest());
    }
    const events = await waitUntil(client, 3);
    expect(events).toEqual(blocks.map((block) => ({ subscription, result: headerOf(block) })));
    expect(Object.keys(events[0]!.result)).toHaveLength(14);
  });

  test('tells all headers of a new branch', async () => {
    const client = await connect();
    await client.ask('eth_subscribe', 'newHeads');
    for (let count = 0; count < 3; count += 1) await anvil('evm_mine');
    await waitUntil(client, 3);
    const { reorg } = await control({ reorg: { depth: 4 } });
    expect([reorg.removed.length, reorg.added.length]).toEqual([4, 4]);
    const added = await Promise.all(reorg.added.map((hash: string) => anvil('eth_getBlockByHash', hash, false)));
    // One more: until it has come, something might still be told twice.
    await anvil('evm_mine');
    await waitUntil(client, 8);
    expect(client.events.slice(3).map(({ result }) => result)).toEqual([...added, await latest()].map(headerOf));
    // The same heights again; the later one is right.
    expect(client.events[4]!.result.number).toBe(client.events[0]!.result.number);
  });
});

describe('logs', () => {
  test('are told again with removed true before those of the new branch', async () => {
    const client = await connect();
    const heads = await client.ask('eth_subscribe', 'newHeads');
    const logs = await client.ask('eth_subscribe', 'logs', {});
    const hash = await send(0, 1);
    await anvil('evm_mine');
    await send(1, 2);
    await anvil('evm_mine');
    const before = (await waitUntil(client, 4)).filter(({ subscription }) => subscription === logs).map(({ result }) => result);
    expect(before.map(({ removed, transactionHash }) => [removed, transactionHash])).toEqual([
      [false, hash],
      [false, expect.any(String)],
    ]);
    const { reorg } = await control({ reorg: { depth: 2, transactions: [[transfer(2, 3), 1]] } });
    await client.flush();
    const after = client.events.slice(4);
    expect(after.map(({ subscription }) => subscription)).toEqual([logs, logs, heads, heads, logs]);
    expect(after.slice(0, 2).map(({ result }) => result)).toEqual(before.map((one) => ({ ...one, removed: true })));
    expect(after[4]!.result).toEqual((await anvil('eth_getLogs', { blockHash: reorg.added[1] }))[0]);
  });

  test('a log subscription reports removed logs of blocks that are older than the service', async () => {
    for (let count = 0; count < 4; count += 1) {
      await send(0, 1);
      await anvil('evm_mine');
    }
    const first = toQuantity(Number((await latest()).number) - 3);
    const old = await anvil('eth_getLogs', { fromBlock: first });
    expect(old).toHaveLength(4);
    const later = await startNodeService({ anvil: devnet.description.endpoints, keys: [KEY], log });
    const client = await connect(later.endpoints.ws);
    const subscription = await client.ask('eth_subscribe', 'logs', {});
    expect((await post(later.endpoints.control, { reorg: { depth: 4 } })).status).toBe(200);
    await client.flush();
    expect(client.events).toEqual(old.map((one: any) => ({ subscription, result: { ...one, removed: true } })));
    await later.stop();
  });

  test('of a reorganisation that nobody announced are told with the next block', async () => {
    const client = await connect();
    await client.ask('eth_subscribe', 'logs', {});
    await send(0, 1);
    await anvil('evm_mine');
    const [first] = await waitUntil(client, 1);
    await anvil('anvil_rollback', 1);
    await anvil('evm_mine');
    const [, second] = await waitUntil(client, 2);
    expect(second!.result).toEqual({ ...first!.result, removed: true });
  });

  test.each<[string, () => object, (log: any) => boolean]>([
    ['no options', () => ({}), () => true],
    ['an address', () => ({ address: token(0) }), ({ address }) => address === token(0)],
    ['addresses, in any case', () => ({ address: [token(0), token(1).toUpperCase().replace('0X', '0x')] }), () => true],
    ['no topics', () => ({ topics: [] }), () => true],
    ['[A]', () => ({ topics: [TRANSFER] }), () => true],
    ['[null, B]', () => ({ topics: [null, word(account(1))] }), ({ topics }) => topics[1] === word(account(1))],
    [
      '[[A, B], [A, B]]',
      () => ({
        topics: [
          [TRANSFER, word(account(1))],
          [TRANSFER, word(account(2))],
        ],
      }),
      ({ topics }) => topics[1] === word(account(2)),
    ],
    ['an address and a topic of nobody', () => ({ address: token(1), topics: [word(account(5))] }), () => false],
  ])('pass by %s', async (_case, options, passes) => {
    const client = await connect();
    const all = await client.ask('eth_subscribe', 'logs');
    const some = await client.ask('eth_subscribe', 'logs', options());
    for (const [from, to, of] of [
      [0, 1, 0],
      [1, 2, 1],
      [2, 3, 0],
    ] as const) {
      await send(from, to, of);
    }
    await anvil('evm_mine');
    await waitUntil(client, 3);
    await client.flush();
    const of = (id: string) => client.events.filter(({ subscription }) => subscription === id).map(({ result }) => result);
    expect(of(all)).toHaveLength(3);
    expect(of(some)).toEqual(of(all).filter(passes));
  });
});

describe('svc_newFullPendingTransactions', () => {
  test('tells whole transactions that have no block', async () => {
    const client = await connect();
    const subscription = await client.ask('eth_subscribe', 'svc_newFullPendingTransactions');
    const hashes = [await send(0, 1), await send(1, 2)];
    const events = await waitUntil(client, 2);
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
});

describe('a subscription', () => {
  test('says nothing after it is cancelled, while others go on', async () => {
    const client = await connect();
    const first = await client.ask('eth_subscribe', 'newHeads');
    const second = await client.ask('eth_subscribe', 'newHeads');
    expect(await client.ask('eth_unsubscribe', first)).toBe(true);
    await anvil('evm_mine');
    await waitUntil(client, 1);
    expect(client.events.map(({ subscription }) => subscription)).toEqual([second]);
  });

  test('belongs to its connection', async () => {
    const [mine, yours] = [await connect(), await connect()];
    const id = await mine.ask('eth_subscribe', 'newHeads');
    expect(await yours.ask('eth_unsubscribe', id)).toBe(false);
    await anvil('evm_mine');
    await waitUntil(mine, 1);
    await yours.flush();
    expect(yours.events).toEqual([]);
    yours.socket.close();
    await once(yours.socket, 'close');
    // The service may hear of it a turn after its client.
    while ((await control({})).sockets > 1);
    expect((await control({})).sockets).toBe(1);
  });

  test('says nothing before its id has been told', async () => {
    const client = await connect();
    await control({ faults: { latency: 30 } });
    const messages: any[] = [];
    client.socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const batch = [envelope('eth_subscribe', ['newHeads']), envelope('eth_blockNumber', [])];
    client.socket.send(JSON.stringify(batch));
    for (let count = 0; count < 20; count += 1) await anvil('evm_mine');
    await control({ faults: {} });
    await anvil('evm_mine');
    const head = Number((await latest()).number);
    while (Number(client.events.at(-1)?.result.number ?? 0) < head) await client.next();
    expect(messages[0]).toHaveLength(2);
    // No gap between the block that the batch saw and the first event.
    const seen = Number(messages[0][1].result);
    expect(Number(client.events[0]!.result.number)).toBeLessThanOrEqual(seen + 1);
  });
});

test(`what subscribers are told adds up to the chain, over random reorganisations (seed ${anySeed})`, async () => {
  const random = createSeededRandom(anySeed);
  const client = await connect();
  const heads = await client.ask('eth_subscribe', 'newHeads');
  const logs = await client.ask('eth_subscribe', 'logs', { address: token(0) });
  const start = Number((await latest()).number);
  for (let round = 0; round < 40; round += 1) {
    if (random.nextInt(3) === 0) {
      // Never below the start, so that what is told must be all.
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

  const present = new Map<string, any>();
  const numbers = new Map<string, any>();
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

test('what subscribers are told adds up while others send and mine', async () => {
  // As the devnet's life does: one beat at a time, and a reorganisation between two of them.
  let beat: Promise<unknown> = Promise.resolve();
  let living = true;
  const withMiningPaused = <Result>(task: () => Promise<Result>) => {
    const done = beat.then(task);
    beat = done.catch(() => {});
    return done;
  };
  const over = await startNodeService({ anvil: devnet.description.endpoints, keys: [KEY], withMiningPaused, log });
  const client = await connect(over.endpoints.ws);
  const start = Number(await client.ask('eth_blockNumber'));
  const heads = await client.ask('eth_subscribe', 'newHeads');
  const logs = await client.ask('eth_subscribe', 'logs');
  const sending = (async () => {
    while (living) await send(0, 1).catch(() => {});
  })();
  const mining = (async () => {
    while (living) await withMiningPaused(() => anvil('evm_mine'));
  })();
  try {
    for (let round = 0; round < 10; round += 1) {
      await client.next();
      const { status } = await post(over.endpoints.control, { reorg: { depth: 1 + (round % 3) } });
      expect(status).toBe(200);
    }
  } finally {
    living = false;
    await Promise.all([sending, mining]);
  }
  const last = (await latest()).number;
  while (client.events.findLast(({ subscription }) => subscription === heads)?.result.number !== last) await client.next();
  await client.flush();
  const present = new Map<string, any>();
  for (const { subscription, result } of client.events) {
    // Of blocks older than the subscription only the end is told.
    if (subscription !== logs || Number(result.blockNumber) <= start) continue;
    const place = `${result.blockHash} ${result.logIndex}`;
    expect(present.has(place)).toBe(result.removed);
    if (result.removed) present.delete(place);
    else present.set(place, result);
  }
  expect([...present.values()]).toEqual(await anvil('eth_getLogs', { fromBlock: toQuantity(start + 1), toBlock: 'latest' }));
  expect(client.events.some(({ result }) => result.removed)).toBe(true);
  await over.stop();
});

test('a chain that mines by itself is whole after reorganisations, and goes on mining by itself', async () => {
  await anvil('evm_setAutomine', true);
  const pay = (from: number) =>
    anvil('eth_sendTransaction', { from: account(from), to: account(5), value: '0x1', gas: '0x5208' });
  for (let round = 0; round < 5; round += 1) await Promise.all([control({ reorg: { depth: 2 } }), pay(4)]);
  const hash = await pay(6);
  while ((await anvil('eth_getTransactionReceipt', hash)) === null);
  let block = await latest();
  while (Number(block.number) > devnet.description.landmarks.lastBlock - 10) {
    const parent = await anvil('eth_getBlockByNumber', toQuantity(Number(block.number) - 1), false);
    expect(block.parentHash).toBe(parent.hash);
    block = parent;
  }
});

describe('the control endpoint', () => {
  test('refuses what it does not know', async () => {
    for (const request of [{ reorg: { depth: 0 } }, { capacity: -1 }, { faults: { latence: 1 } }, { other: 1 }, 1]) {
      expect((await post(service.endpoints.control, request)).status).toBe(400);
    }
    await expect(control({ reorg: { depth: 200 } })).rejects.toThrow(/depth/);
    expect((await fetch(service.endpoints.control, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(service.endpoints.control.slice(0, -1), { method: 'GET' })).status).toBe(404);
  });

  test('tells the state', async () => {
    const state = await (await fetch(service.endpoints.control)).json();
    expect(state).toEqual({
      capacity: null,
      usage: { [KEY]: { month: '2026-01', units: 0 }, other: { month: '2026-01', units: 0 } },
      faults: { latency: 0, errors: null, lag: 0, drops: null, noBatches: false, rateLimit: null, noChainId: false },
      sockets: 0,
      subscriptions: 0,
    });
  });
});

describe('compute units', () => {
  const used = async (key = KEY) => (await control({})).usage[key];

  test('are counted by key, over both transports', async () => {
    await callMethod('eth_blockNumber');
    const client = await connect();
    await client.ask('eth_getLogs', {});
    await post(service.endpoints.jsonrpc, [envelope('eth_call', [{ to: token(0) }]), envelope('eth_chainId', [])]);
    await callMethod('no_such');
    expect(await used()).toEqual({ month: '2026-01', units: 10 + 75 + 26 });
    expect(await used('other')).toEqual({ month: '2026-01', units: 0 });
  });

  test('are counted for events, and a pending transaction costs the most', async () => {
    const client = await connect();
    for (const topic of ['newHeads', 'logs', 'svc_newFullPendingTransactions']) await client.ask('eth_subscribe', topic);
    await send(0, 1);
    await anvil('evm_mine');
    await waitUntil(client, 3);
    expect((await used()).units).toBe(3 * 10 + 100 + 10 + 10);
  });

  test('that are used up are an error, for the key and the month', async () => {
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
    // What costs nothing is answered; another key has units of its own; a new month begins with none used.
    expect(await callMethod('eth_chainId')).toBe('0x7a69');
    const other = await post(service.endpointsFor('other').http, envelope('eth_blockNumber', []));
    expect(other.status).toBe(200);
    clock += 1000;
    expect(await callMethod('eth_blockNumber')).toEqual(expect.any(String));
    expect(await used()).toEqual({ month: '2026-02', units: 10 });
    await control({ capacity: null });
  });

  test('that are used up are an error in their place of a batch, and a message over WebSocket', async () => {
    await control({ capacity: 10 });
    const { status, body } = await post(service.endpoints.http, [envelope('eth_blockNumber', []), envelope('eth_gasPrice', [])]);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ result: expect.any(String) }, { error: { code: 429 } }]);
    const client = await connect();
    expect(await client.ask('eth_subscribe', 'newHeads')).toMatchObject({ error: { code: 429 } });
  });

  test('that an event uses up close the connection, which says why', async () => {
    await control({ capacity: 20 });
    const client = await connect();
    await client.ask('eth_subscribe', 'newHeads');
    const closed = once(client.socket, 'close');
    await anvil('evm_mine');
    await anvil('evm_mine');
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1008, expect.stringMatching(/capacity limit exceeded/)]);
    expect(client.events).toHaveLength(1);
  });
});

describe('with a fault', () => {
  test('latency, every answer comes later, over both transports', async () => {
    const client = await connect();
    await control({ faults: { latency: 80 } });
    for (const call of [callMethod, client.ask]) {
      const began = performance.now();
      await call('eth_chainId');
      expect(performance.now() - began).toBeGreaterThanOrEqual(79);
    }
  });

  test('errors, a share of the calls fails, the same for the same seed', async () => {
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

  test('errors with a status, the request is answered with a page', async () => {
    await control({ faults: { errors: { rate: 1, status: 503 } } });
    const { status, body } = await post(service.endpoints.http, [envelope('eth_blockNumber', [])]);
    expect([status, body]).toEqual([503, '<h1>503</h1>']);
  });

  test('lag, reads are those of a node behind, and heads are not', async () => {
    const client = await connect();
    await client.ask('eth_subscribe', 'newHeads');
    const before = await latest();
    const hash = await send(0, 1);
    await anvil('evm_mine');
    await anvil('evm_mine');
    await waitUntil(client, 2);
    const ahead = await latest();
    await control({ faults: { lag: 2 } });
    for (const call of [callMethod, client.ask]) {
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

  test('drops, connections end without an answer', async () => {
    const client = await connect();
    await control({ faults: { drops: { rate: 1 } } });
    await expect(callMethod('eth_chainId')).rejects.toThrow();
    const closed = once(client.socket, 'close');
    client.socket.send(JSON.stringify(envelope('eth_chainId', [])));
    expect((await closed)[0]).toBe(1006);
  });

  test('dropped sockets, every WebSocket is reset and can come back', async () => {
    const [one, two] = [await connect(), await connect()];
    const closed = [once(one.socket, 'close'), once(two.socket, 'close')];
    await control({ dropSockets: true });
    expect((await Promise.all(closed)).map(([code]) => code)).toEqual([1006, 1006]);
    expect(await (await connect()).ask('eth_chainId')).toBe('0x7a69');
  });

  test('no batches, a batch is one error and single calls go on', async () => {
    const client = await connect();
    await control({ faults: { noBatches: true } });
    const { status, body } = await post(service.endpoints.http, [envelope('eth_chainId', [])]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: null, error: { code: -32600, message: expect.stringMatching(/batch/) } });
    expect([await callMethod('eth_chainId'), await client.ask('eth_chainId')]).toEqual(['0x7a69', '0x7a69']);
  });

  test('a rate limit, what is too much in a second is refused until the next', async () => {
    await control({ faults: { rateLimit: 25 } });
    const two = () => post(service.endpoints.http, [envelope('eth_blockNumber', []), envelope('eth_blockNumber', [])]);
    expect((await two()).body).toMatchObject([{ result: expect.any(String) }, { result: expect.any(String) }]);
    const refused = await two();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body).toMatchObject([{ error: { code: 429 } }, { error: { code: 429 } }]);
    clock += 1000;
    expect((await two()).status).toBe(200);
  });

  test('no chain id, eth_chainId is unsupported', async () => {
    await control({ faults: { noChainId: true } });
    expect(await callMethod('eth_chainId')).toMatchObject({ error: { code: -32601 } });
    expect(await callMethod('net_version')).toBe('31337');
  });

  test('none, everything is as it was', async () => {
    await control({ faults: { lag: 5, latency: 1, noBatches: true, noChainId: true } });
    await control({ faults: {} });
    expect(await callMethod('eth_blockNumber')).toBe((await latest()).number);
    expect((await post(service.endpoints.http, [envelope('eth_chainId', [])])).body).toMatchObject([{ result: '0x7a69' }]);
  });
});

describe('the end', () => {
  test('of the service closes every connection, and may come twice', async () => {
    const client = await connect();
    const closed = once(client.socket, 'close');
    await control({ faults: { latency: 60_000 } });
    const unanswered = callMethod('eth_chainId');
    const outcome = expect(unanswered).rejects.toThrow();
    await Promise.all([service.stop(), outcome]);
    expect((await closed)[0]).toBe(1001);
    await service.stop();
  });

  test('of anvil closes WebSockets with a reason, and calls are errors', async () => {
    const own = await startDevnet({ hasActivity: false, log });
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
});
