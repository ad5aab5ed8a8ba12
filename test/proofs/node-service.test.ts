import { once } from 'node:events';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { keccak256, toQuantity, Wallet } from 'ethers';
import { WebSocket } from 'ws';
import type { Devnet } from '../../devnet/src/index.ts';
import { type NodeService, startNodeService } from '../../devnet/src/node-service/index.ts';
import { nodeMethods } from '../../devnet/src/node-service/rpc/methods.ts';
import type { RpcLog } from '../../src/ethereum/rpc-types.ts';
import { untilTestsEnd } from '../support/cleanups.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { log } from '../support/silent-log.ts';

const WEBSOCKET_ONLY = ['eth_subscribe', 'eth_unsubscribe'];

type Call = readonly [method: string, ...params: unknown[]];
type Reply = { readonly id: unknown; readonly jsonrpc: string; readonly result?: any; readonly error?: any };

const DATA = /^0x(?:[0-9a-f]{2})*$/;
const DATA20 = /^0x[0-9a-f]{40}$/;
const DATA32 = /^0x[0-9a-f]{64}$/;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/;
const BLOOM = /^0x[0-9a-f]{512}$/;
const matching = expect.stringMatching;
const UNKNOWN_HASH = `0x${'ab'.repeat(32)}`;
const EMPTY_ACCOUNT = `0x${'cd'.repeat(20)}`;

/** Matchers of properties with these names. */
const shape = (pattern: RegExp, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, matching(pattern)] as const));

/** The seed's objects, as shapes. */
const BLOCK = {
  ...shape(QUANTITY, 'number difficulty totalDifficulty size gasLimit gasUsed timestamp'),
  ...shape(DATA32, 'hash parentHash sha3Uncles transactionsRoot stateRoot receiptsRoot mixHash'),
  ...{ nonce: matching(/^0x[0-9a-f]{16}$/), logsBloom: matching(BLOOM), miner: matching(DATA20), extraData: matching(DATA) },
  uncles: [],
};
const PENDING_BLOCK = { ...BLOCK, number: null, hash: null, nonce: null, logsBloom: null };
const TRANSACTION = {
  ...shape(QUANTITY, 'blockNumber gas gasPrice nonce transactionIndex value v'),
  ...shape(DATA32, 'blockHash hash r s'),
  ...{ from: matching(DATA20), to: matching(DATA20), input: matching(DATA) },
};
const PENDING_TRANSACTION = { ...TRANSACTION, blockHash: null, blockNumber: null, transactionIndex: null };
const LOG = {
  ...shape(QUANTITY, 'blockNumber transactionIndex logIndex'),
  ...shape(DATA32, 'blockHash transactionHash'),
  ...{ address: matching(DATA20), topics: expect.arrayContaining([matching(DATA32)]), data: matching(DATA), removed: false },
};
const RECEIPT = {
  ...shape(QUANTITY, 'transactionIndex blockNumber cumulativeGasUsed gasUsed'),
  ...shape(DATA32, 'transactionHash blockHash'),
  ...{ from: matching(DATA20), to: matching(DATA20), contractAddress: null, logsBloom: matching(BLOOM), status: '0x1' },
};

const KEY = 'first-key';
let devnet: Devnet;
let service: NodeService;
let socket: WebSocket;
let lastId = 0;

beforeAll(async () => {
  devnet = await startTestDevnet();
  const [mana, , , nameless] = devnet.description.contracts;
  const tokenDatabase = {
    [mana!.address.toUpperCase().replace('0X', '0x')]: { symbol: 'MANA2', logo: 'https://logos.example/mana.png' },
    [nameless!.address]: { name: 'Nameless', decimals: 18 },
  };
  const options = { anvil: devnet.description.endpoints, keys: [KEY, 'second key/with signs'], tokenDatabase, log };
  service = untilTestsEnd(await startNodeService(options));
  socket = new WebSocket(service.endpoints.ws);
  await once(socket, 'open');
});

const anvil = async (method: string, ...params: unknown[]) =>
  (await post(devnet.description.endpoints.http, [method, ...params])).result;

const envelope = ([method, ...params]: Call) => ({ jsonrpc: '2.0', id: ++lastId, method, params });

async function send(url: string, body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const response = await fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as any };
}

async function post(url: string, call: Call): Promise<Reply> {
  const request = envelope(call);
  const { body } = await send(url, request);
  expect(body).toMatchObject({ jsonrpc: '2.0', id: request.id });
  return body;
}

/** Sends one message and returns its response. */
function sendOverSocket(body: unknown): Promise<Reply> {
  const id = Array.isArray(body) ? body[0].id : (body as { id: unknown }).id;
  return new Promise((resolve) => {
    const onMessage = (data: unknown) => {
      const message = JSON.parse(String(data));
      if ((Array.isArray(message) ? message[0].id : message.id) !== id) return;
      socket.off('message', onMessage);
      resolve(message);
    };
    socket.on('message', onMessage);
    socket.send(JSON.stringify(body));
  });
}

/** Every transport and form of a call. */
const transports: Record<string, (call: Call) => Promise<Reply>> = {
  'HTTP /v2': (call) => post(service.endpoints.http, call),
  'an HTTP batch': async (call) => {
    const batch = [envelope(['net_version']), envelope(call), envelope(['eth_accounts'])];
    const { status, body } = await send(service.endpoints.http, batch);
    expect(status).toBe(200);
    expect(body.map(({ id }: Reply) => id)).toEqual(batch.map(({ id }) => id));
    return body[1];
  },
  WebSocket: (call) => sendOverSocket(envelope(call)),
};

/** The result, or the error. */
const result = async (transport: string, ...call: Call) => {
  const { result, error } = await transports[transport]!(call);
  return error ? { error } : result;
};

/** Sends one call over the tested transport. */
type CallMethod = (...call: Call) => Promise<any>;
type World = ReturnType<typeof chainConstants>;
type MethodCheck = (call: CallMethod, world: World) => Promise<void>;

/** A check of the results of a method for some parameters. */
const returns =
  (name: string, rowsOf: (world: World) => readonly (readonly [params: readonly unknown[], result: unknown])[]): MethodCheck =>
  async (call, world) => {
    for (const [params, expected] of rowsOf(world)) expect(await call(name, ...params)).toEqual(expected);
  };

/** By the first column of the seed's method tables, in their order. */
const methodChecks: Record<string, MethodCheck> = {
  async svc_getTokenAllowance(call, { mana, alice, bob }) {
    const allowance = await call('svc_getTokenAllowance', { contract: mana, owner: alice, spender: bob });
    expect(allowance).toMatch(/^[1-9][0-9]*$/);
    const spent = await call('svc_getTokenAllowance', { contract: mana, owner: bob, spender: alice });
    expect(spent).toBe('0');
    for (const params of [{ contract: mana, owner: alice }, {}, undefined, [mana, alice, bob]]) {
      expect(await call('svc_getTokenAllowance', params)).toMatchObject({ error: { code: -32602 } });
    }
    expect(await call('svc_getTokenAllowance', { contract: EMPTY_ACCOUNT, owner: alice, spender: bob })).toHaveProperty('error');
  },
  async svc_getTokenBalances(call, { mana, runes, alice }) {
    const contracts = [mana, EMPTY_ACCOUNT, runes, mana];
    const { address, tokenBalances } = await call('svc_getTokenBalances', alice, contracts);
    expect(address).toBe(alice);
    expect(tokenBalances.map(({ contractAddress }: { contractAddress: string }) => contractAddress)).toEqual(contracts);
    for (const { tokenBalance, error } of tokenBalances) {
      expect([tokenBalance, error].filter((one) => one === null)).toHaveLength(1);
    }
    const [first, none, second, again] = tokenBalances;
    for (const one of [first, second]) expect(one.tokenBalance).toMatch(DATA32);
    expect(again).toEqual(first);
    expect(none.error).toEqual(expect.any(String));
    expect(await call('svc_getTokenBalances', alice, [])).toEqual({ address: alice, tokenBalances: [] });
    expect(await call('svc_getTokenBalances', alice)).toMatchObject({ error: { code: -32602 } });
  },
  async svc_getTokenMetadata(call, { mana, crowns, runes, nameless }) {
    expect(await call('svc_getTokenMetadata', mana)).toEqual({
      name: 'Mana',
      symbol: 'MANA2',
      decimals: 18,
      logo: 'https://logos.example/mana.png',
    });
    expect(await call('svc_getTokenMetadata', crowns)).toEqual({ name: 'Guild Crown', symbol: 'CRWN', decimals: 6, logo: null });
    expect(await call('svc_getTokenMetadata', runes)).toEqual({ name: 'Elder Rune', symbol: 'RUNE', decimals: 18, logo: null });
    expect(await call('svc_getTokenMetadata', nameless)).toEqual({ name: 'Nameless', symbol: null, decimals: 18, logo: null });
    expect(await call('svc_getTokenMetadata', EMPTY_ACCOUNT)).toEqual({ name: null, symbol: null, decimals: null, logo: null });
  },
  async eth_blockNumber(call) {
    expect(await call('eth_blockNumber')).toMatch(QUANTITY);
    expect(await call('eth_blockNumber', 1)).toMatchObject({ error: { code: -32602 } });
  },
  async eth_getBlockByHash(call, { crowded }) {
    const block = await call('eth_getBlockByHash', crowded.hash, false);
    expect(block).toMatchObject({ ...BLOCK, number: crowded.number });
    expect(block.transactions).toEqual(Array(240).fill(matching(DATA32)));
    const whole = await call('eth_getBlockByHash', crowded.hash, true);
    expect(whole.transactions.map(({ hash }: { hash: string }) => hash)).toEqual(block.transactions);
    for (const one of whole.transactions) expect(one).toMatchObject({ ...TRANSACTION, blockHash: crowded.hash });
    expect(await call('eth_getBlockByHash', UNKNOWN_HASH, true)).toBeNull();
    expect(await call('eth_getBlockByHash', crowded.hash)).toMatchObject({ error: { code: -32602 } });
  },
  async eth_getBlockByNumber(call, { crowded, first }) {
    expect(await call('eth_getBlockByNumber', crowded.number, false)).toMatchObject({ ...BLOCK, hash: crowded.hash });
    expect(await call('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ ...BLOCK, number: '0x0', transactions: [] });
    expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject(BLOCK);
    expect(await call('eth_getBlockByNumber', 'pending', true)).toMatchObject({ ...PENDING_BLOCK, transactions: [] });
    expect(await call('eth_getBlockByNumber', '0xffffff', false)).toBeNull();
    // A contract creation has no `to`.
    expect((await call('eth_getBlockByNumber', first, true)).transactions[0]).toMatchObject({ ...TRANSACTION, to: null });
    for (const block of ['0x01', 1, 'newest', '1']) {
      expect(await call('eth_getBlockByNumber', block, false)).toMatchObject({ error: { code: -32602 } });
    }
  },
  eth_getBlockTransactionCountByHash: returns('eth_getBlockTransactionCountByHash', ({ crowded }) => [
    [[crowded.hash], '0xf0'],
    [[UNKNOWN_HASH], null],
  ]),
  eth_getBlockTransactionCountByNumber: returns('eth_getBlockTransactionCountByNumber', ({ crowded }) => [
    [[crowded.number], '0xf0'],
    [['earliest'], '0x0'],
    [['pending'], '0x0'],
    [['0xffffff'], null],
  ]),
  async eth_getTransactionByHash(call, { transfer, legacy }) {
    expect(await call('eth_getTransactionByHash', transfer)).toMatchObject({ ...TRANSACTION, hash: transfer });
    expect(await call('eth_getTransactionByHash', legacy)).toMatchObject({ ...TRANSACTION, hash: legacy });
    expect(await call('eth_getTransactionByHash', UNKNOWN_HASH)).toBeNull();
  },
  async eth_getTransactionByBlockHashAndIndex(call, { crowded }) {
    const { transactions } = await call('eth_getBlockByHash', crowded.hash, true);
    expect(await call('eth_getTransactionByBlockHashAndIndex', crowded.hash, '0xef')).toEqual(transactions[239]);
    expect(await call('eth_getTransactionByBlockHashAndIndex', crowded.hash, '0xf0')).toBeNull();
    expect(await call('eth_getTransactionByBlockHashAndIndex', UNKNOWN_HASH, '0x0')).toBeNull();
  },
  async eth_getTransactionByBlockNumberAndIndex(call, { crowded }) {
    const { transactions } = await call('eth_getBlockByHash', crowded.hash, true);
    expect(await call('eth_getTransactionByBlockNumberAndIndex', crowded.number, '0x0')).toEqual(transactions[0]);
    expect(await call('eth_getTransactionByBlockNumberAndIndex', crowded.number, '0xf0')).toBeNull();
    expect(await call('eth_getTransactionByBlockNumberAndIndex', '0xffffff', '0x0')).toBeNull();
    expect(await call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toBeNull();
  },
  async eth_getTransactionCount(call, { alice }) {
    expect(BigInt(await call('eth_getTransactionCount', alice, 'latest'))).toBeGreaterThan(0n);
    expect(await call('eth_getTransactionCount', alice, 'earliest')).toBe('0x0');
    expect(await call('eth_getTransactionCount', alice)).toMatchObject({ error: { code: -32602 } });
  },
  async eth_getTransactionReceipt(call, { transfer, creation, reverted, mana, first }) {
    const receipt = await call('eth_getTransactionReceipt', transfer);
    expect(receipt).toMatchObject({ ...RECEIPT, logs: [LOG] });
    expect(receipt).not.toHaveProperty('blockTimestamp');
    expect(await call('eth_getTransactionReceipt', creation)).toMatchObject({
      to: null,
      contractAddress: mana,
      blockNumber: first,
    });
    expect(await call('eth_getTransactionReceipt', reverted)).toMatchObject({ status: '0x0', logs: [] });
    expect(await call('eth_getTransactionReceipt', UNKNOWN_HASH)).toBeNull();
  },
  async eth_sendRawTransaction(call, { signed }) {
    const raw = await signed();
    expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw));
    expect(await call('eth_sendRawTransaction', raw)).toHaveProperty('error');
    expect(await call('eth_sendRawTransaction', '0x1234')).toHaveProperty('error');
    expect(await call('eth_sendRawTransaction', 'x')).toMatchObject({ error: { code: -32602 } });
  },
  async eth_getBalance(call, { alice }) {
    expect(await call('eth_getBalance', alice, 'earliest')).toBe(toQuantity(10_000n * 10n ** 18n));
    expect(await call('eth_getBalance', EMPTY_ACCOUNT, 'latest')).toBe('0x0');
    expect(await call('eth_getBalance', alice, '0xffffff')).toMatchObject({
      error: { code: -32000, message: 'header not found' },
    });
    expect(await call('eth_getBalance', alice, { blockHash: UNKNOWN_HASH })).toMatchObject({
      error: { message: 'header not found' },
    });
    expect(await call('eth_getBalance', 'alice', 'latest')).toMatchObject({ error: { code: -32602 } });
  },
  eth_getCode: returns('eth_getCode', ({ mana, alice }) => [
    [[mana, 'latest'], matching(/^0x60[0-9a-f]+$/)],
    [[alice, 'latest'], '0x'],
    [[mana, 'earliest'], '0x'],
  ]),
  async eth_getStorageAt(call, { mana }) {
    const supply = await call('eth_getStorageAt', mana, '0x0', 'latest');
    expect(BigInt(supply)).toBe(100_000_000n * 10n ** 18n);
    expect(supply).toMatch(DATA32);
    expect(await call('eth_getStorageAt', mana, `0x${'0'.repeat(64)}`, 'latest')).toBe(supply);
  },
  eth_accounts: returns('eth_accounts', () => [[[], []]]),
  async eth_getProof(call, { mana, alice }) {
    const keys = [`0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}9`];
    const proof = await call('eth_getProof', mana, keys, 'latest');
    expect(proof).toMatchObject({
      balance: '0x0',
      codeHash: matching(DATA32),
      nonce: '0x1',
      storageHash: matching(DATA32),
      accountProof: expect.arrayContaining([matching(DATA)]),
      storageProof: [
        { key: '0x0', value: toQuantity(100_000_000n * 10n ** 18n), proof: expect.arrayContaining([matching(DATA)]) },
        { key: '0x9', value: '0x0', proof: expect.any(Array) },
      ],
    });
    // A proof starts with the root node; an account without code has the hash of empty code.
    expect(keccak256(proof.storageProof[0].proof[0])).toBe(proof.storageHash);
    const { stateRoot } = await call('eth_getBlockByNumber', 'earliest', false);
    const old = await call('eth_getProof', alice, [], 'earliest');
    expect(old).toMatchObject({ codeHash: keccak256('0x'), storageProof: [] });
    expect(stateRoot).toMatch(DATA32);
    expect(await call('eth_getProof', alice, [], 'pending')).toMatchObject({ error: { code: -32602 } });
    expect(await call('eth_getProof', alice, ['zero'], 'latest')).toMatchObject({ error: { code: -32602 } });
  },
  async eth_call(call, { mana, nameless }) {
    const supply = { to: mana, data: '0x18160ddd' };
    const answer = await call('eth_call', supply, 'latest');
    expect(BigInt(answer)).toBe(100_000_000n * 10n ** 18n);
    expect(await call('eth_call', supply)).toBe(answer);
    expect(await call('eth_call', supply, 'earliest')).toBe('0x');
    expect(await call('eth_call', { to: nameless, data: '0x06fdde03' }, 'latest')).toMatchObject({
      error: { code: 3, message: 'execution reverted', data: '0x' },
    });
    const poor = { ...supply, from: EMPTY_ACCOUNT, gas: '0x10000', gasPrice: '0x77359400' };
    expect(await call('eth_call', poor, 'latest')).toMatchObject({ error: { message: matching(/insufficient funds/i) } });
    expect(await call('eth_call', { data: '0x18160ddd' }, 'latest')).toMatchObject({
      error: { code: -32602, message: 'invalid argument 0.to: want DATA, 20 Bytes' },
    });
  },
  async eth_estimateGas(call, { alice, bob }) {
    expect(await call('eth_estimateGas', { from: alice, to: bob, value: '0x1' }, 'latest')).toBe('0x5208');
    expect(await call('eth_estimateGas', { from: alice, to: bob, value: '0x1' })).toBe('0x5208');
    expect(await call('eth_estimateGas', { from: alice }, 'latest')).toMatchObject({ error: { code: -32602 } });
  },
  async eth_getLogs(call, { crowded, mana, alice, first }) {
    const topic = `0x${alice.slice(2).padStart(64, '0')}`;
    const logs = await call('eth_getLogs', { blockhash: crowded.hash });
    expect(logs.length).toBeGreaterThan(50);
    for (const one of logs) expect(one).toMatchObject({ ...LOG, blockHash: crowded.hash });
    expect(await call('eth_getLogs', { blockHash: crowded.hash })).toEqual(logs);
    expect(await call('eth_getLogs', { fromBlock: crowded.number, toBlock: crowded.number })).toEqual(logs);
    const ofMana = logs.filter(({ address }: RpcLog) => address === mana);
    expect(await call('eth_getLogs', { blockhash: crowded.hash, address: mana })).toEqual(ofMana);
    const sent = ofMana.filter(({ topics }: RpcLog) => topics[1] === topic || topics[2] === topic);
    const filter = { blockhash: crowded.hash, address: [mana] };
    const from = await call('eth_getLogs', { ...filter, topics: [null, topic] });
    const to = await call('eth_getLogs', { ...filter, topics: [null, null, [topic, UNKNOWN_HASH]] });
    expect(new Set([...from, ...to].map(({ logIndex }: { logIndex: string }) => logIndex))).toEqual(
      new Set(sent.map(({ logIndex }: { logIndex: string }) => logIndex)),
    );
    // The whole chain at once: the service has no range limit.
    expect((await call('eth_getLogs', { fromBlock: 'earliest' })).length).toBeGreaterThan(logs.length);
    expect(await call('eth_getLogs', { fromBlock: '0xffffff', toBlock: '0xfffffff' })).toEqual([]);
    expect(await call('eth_getLogs', { blockhash: crowded.hash, fromBlock: first })).toMatchObject({ error: { code: -32602 } });
    expect(await call('eth_getLogs', { blockhash: UNKNOWN_HASH })).toMatchObject({ error: { message: 'unknown block' } });
    // A transfer of nothing, so that the head has a log.
    await anvil('evm_setAutomine', false);
    await anvil('eth_sendTransaction', { from: alice, to: mana, data: `0xa9059cbb${topic.slice(2)}${'0'.repeat(64)}` });
    await anvil('evm_mine');
    await anvil('evm_setAutomine', true);
    expect(await call('eth_getLogs', {})).toEqual([expect.objectContaining({ ...LOG, address: mana })]);
  },
  eth_protocolVersion: returns('eth_protocolVersion', () => [[[], expect.any(String)]]),
  eth_gasPrice: returns('eth_gasPrice', () => [[[], matching(QUANTITY)]]),
  eth_chainId: returns('eth_chainId', () => [[[], '0x7a69']]),
  net_version: returns('net_version', () => [[[], '31337']]),
  net_listening: returns('net_listening', () => [[[], true]]),
  eth_getUncleByBlockNumberAndIndex: returns('eth_getUncleByBlockNumberAndIndex', ({ first }) => [
    [[first, '0x0'], null],
    [['0xffffff', '0x0'], null],
  ]),
  eth_getUncleByBlockHashAndIndex: returns('eth_getUncleByBlockHashAndIndex', ({ crowded }) => [
    [[crowded.hash, '0x0'], null],
    [[UNKNOWN_HASH, '0x0'], null],
  ]),
  eth_getUncleCountByBlockHash: returns('eth_getUncleCountByBlockHash', ({ crowded }) => [
    [[crowded.hash], '0x0'],
    [[UNKNOWN_HASH], null],
  ]),
  eth_getUncleCountByBlockNumber: returns('eth_getUncleCountByBlockNumber', ({ first }) => [
    [[first], '0x0'],
    [['0xffffff'], null],
  ]),
  async eth_subscribe(call, { mana }) {
    const ids = [await call('eth_subscribe', 'newHeads'), await call('eth_subscribe', 'svc_newFullPendingTransactions')];
    for (const options of [[], [{}], [{ address: mana, topics: [] }], [{ address: [mana], topics: [null, [UNKNOWN_HASH]] }]]) {
      ids.push(await call('eth_subscribe', 'logs', ...options));
    }
    for (const id of ids) expect(id).toEqual(expect.any(String));
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(await call('eth_unsubscribe', id)).toBe(true);
    for (const params of [[], ['syncing'], ['newHeads', {}], ['logs', { fromBlock: '0x1' }], ['logs', { topics: ['0x1'] }]]) {
      expect(await call('eth_subscribe', ...params)).toMatchObject({ error: { code: -32602 } });
    }
  },
  async eth_unsubscribe(call) {
    const id = await call('eth_subscribe', 'newHeads');
    expect(await call('eth_unsubscribe', id)).toBe(true);
    expect(await call('eth_unsubscribe', id)).toBe(false);
    expect(await call('eth_unsubscribe', '0x1')).toBe(false);
  },
};

let signatures = 0;
/** Chain values that the checks use. */
function chainConstants({ description: { contracts, accounts, landmarks } }: Devnet, hash: string) {
  const [mana, crowns, runes, nameless] = contracts.map(({ address }) => address) as [string, string, string, string];
  const [alice, bob] = accounts.map(({ address }) => address) as [string, string];
  const judy = new Wallet(accounts.at(-1)!.privateKey);
  return {
    ...{ mana, crowns, runes, nameless, alice, bob },
    crowded: { number: toQuantity(landmarks.crowdedBlock), hash },
    first: '0x1',
    transfer: landmarks.tokenTransfer,
    legacy: landmarks.legacyTransaction,
    creation: landmarks.contractCreation,
    reverted: landmarks.revertedTransaction,
    /** A signed transaction that has not been sent. */
    signed: async () =>
      judy.signTransaction({
        ...{ chainId: 31337, type: 2, to: bob, value: ++signatures, gasLimit: 21_000 },
        ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
        nonce: Number(await anvil('eth_getTransactionCount', judy.address, 'pending')),
      }),
  };
}

const SEED_METHODS = Object.keys(methodChecks);

test('node service has exactly the methods of the seed', () => {
  expect([...nodeMethods.keys()]).toEqual(SEED_METHODS);
});

describe.each(Object.keys(transports))('over %s', (transport) => {
  const available = SEED_METHODS.filter((name) => /WebSocket/.test(transport) || !WEBSOCKET_ONLY.includes(name));

  test.each(available)('node service method %s responds as the seed documents', async (name) => {
    const { hash } = await anvil('eth_getBlockByNumber', toQuantity(devnet.description.landmarks.crowdedBlock), false);
    await methodChecks[name]!((...call) => result(transport, ...call), chainConstants(devnet, hash));
  });

  test.each(['eth_sendTransaction', 'anvil_mine', 'eth_getBlockReceipts', 'constructor'])(
    'node service method %s does not exist',
    async (name) => {
      expect(await result(transport, name)).toMatchObject({ error: { code: -32601, message: matching(/does not exist/) } });
    },
  );
});

test.each(WEBSOCKET_ONLY.flatMap((name) => ['HTTP /v2', 'an HTTP batch'].map((transport) => [name, transport])))(
  'node service method %s is rejected over %s',
  async (name, transport) => {
    expect(await result(transport, name, 'newHeads')).toMatchObject({ error: { code: -32601, message: matching(/WebSocket/) } });
  },
);

test('a pending transaction has no block, no receipt, and an index in the pending block', async () => {
  await anvil('evm_setAutomine', false);
  try {
    const [alice, bob] = devnet.description.accounts;
    const hash = await anvil('eth_sendTransaction', { from: alice!.address, to: bob!.address, value: '0x1' });
    for (const transport of Object.keys(transports)) {
      expect(await result(transport, 'eth_getTransactionByHash', hash)).toMatchObject({ ...PENDING_TRANSACTION, hash });
      expect(await result(transport, 'eth_getTransactionReceipt', hash)).toBeNull();
      expect(await result(transport, 'eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toMatchObject(
        PENDING_TRANSACTION,
      );
      expect(await result(transport, 'eth_getBlockByNumber', 'pending', true)).toMatchObject({
        ...PENDING_BLOCK,
        transactions: [{ ...PENDING_TRANSACTION, hash }],
      });
      expect(await result(transport, 'eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1');
    }
  } finally {
    await anvil('evm_mine');
    await anvil('evm_setAutomine', true);
  }
});

describe('authentication', () => {
  const chainId = { jsonrpc: '2.0', id: 'a', method: 'eth_chainId', params: [] };

  test('node service rejects a wrong key on each path', async () => {
    for (const url of [service.endpoints.http, service.endpoints.jsonrpc]) {
      const rejected = await send(url.replace(KEY, 'stranger'), chainId);
      expect(rejected).toMatchObject({ status: 401, body: { error: { message: 'Must be authenticated!' } } });
    }
    const stranger = new WebSocket(service.endpoints.ws.replace(KEY, 'stranger'));
    const [error] = await once(stranger, 'error');
    expect(error.message).toMatch(/401/);
  });

  test('node service accepts keys with special characters', async () => {
    const { http, jsonrpc, ws } = service.endpointsFor('second key/with signs');
    for (const url of [http, jsonrpc])
      expect((await send(url, chainId)).body).toEqual({ jsonrpc: '2.0', id: 'a', result: '0x7a69' });
    const other = new WebSocket(ws);
    await once(other, 'open');
    other.terminate();
  });

  test('node service returns 404 for an unknown path', async () => {
    const { origin } = new URL(service.endpoints.http);
    for (const path of ['/', '/v2', '/v2/', `/v3/${KEY}`, `/v2/${KEY}/more`, '/control/guess']) {
      expect((await fetch(origin + path, { method: 'POST', body: '{}' })).status).toBe(404);
    }
  });

  test('node service rejects a request over 2.5 MB', async () => {
    const { status } = await send(service.endpoints.http, JSON.stringify({ ...chainId, params: ['x'.repeat(2_500_000)] }));
    expect(status).toBe(413);
  });

  test.each([
    ['no JSON', '{', -32700, null],
    ['an empty batch', '[]', -32600, null],
    ['a number', '1', -32600, null],
    ['a call without id', '{"jsonrpc":"2.0","method":"eth_chainId","params":[]}', -32600, null],
    ['a call of another version', '{"jsonrpc":"1.0","id":7,"method":"eth_chainId","params":[]}', -32600, 7],
    ['a call without method', '{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['named parameters', '{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":{}}', -32602, 7],
    ['a batch of too many', JSON.stringify(Array(1001).fill(chainId)), -32600, null],
  ])('%s returns an error with its code', async (_case, text, code, id) => {
    const { status, body } = await send(service.endpoints.http, text);
    expect(body).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(status).toBe(code === -32602 ? 200 : 400);
    const received = once(socket, 'message');
    socket.send(text);
    expect(JSON.parse(String((await received)[0]))).toEqual(body);
  });
});

test('node service does not start without keys, without anvil or on a port in use', async () => {
  const { endpoints } = devnet.description;
  await expect(startNodeService({ anvil: endpoints, keys: [], log })).rejects.toThrow(/API key/);
  const unreachable = { http: 'http://127.0.0.1:9', ws: 'ws://127.0.0.1:9' };
  await expect(startNodeService({ anvil: unreachable, keys: [KEY], log })).rejects.toThrow();
  const port = Number(new URL(service.endpoints.http).port);
  await expect(startNodeService({ anvil: endpoints, keys: [KEY], port, log })).rejects.toThrow(/EADDRINUSE/);
});
