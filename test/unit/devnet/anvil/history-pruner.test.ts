import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createHistoryPruner, type HistoryPruner } from '../../../../src/devnet/anvil/history-pruner.ts';
import { type Anvil, startAnvil } from '../../../../src/devnet/anvil/process.ts';
import { createReadWriteLock } from '../../../../src/devnet/anvil/read-write-lock.ts';
import { type AnvilCall, type AnvilRpc, createAnvilRpc } from '../../../../src/devnet/anvil/rpc.ts';
import { type NodeService, startNodeService } from '../../../../src/devnet/node-service/index.ts';
import { MNEMONIC } from '../../../../src/devnet/world/accounts.ts';
import { removeBlockHashes } from '../../../../src/devnet/world/build.ts';

const HISTORY = 5;
const HEIGHT = 700;
const FIRST_RETAINED = HEIGHT - 512 + 1;
/** An old block that a trim is told to keep. */
const NAMED = 60;
const log = pino({ level: 'silent' });
const hex = (number: number) => `0x${number.toString(16)}`;
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
/** An account with one slot that is set and one that was deleted. */
const STORE = `0x${'5'.repeat(40)}`;

interface Chain {
  readonly anvil: Anvil;
  readonly rpc: AnvilRpc;
  readonly accounts: readonly string[];
}

/** A real chain with a short history. */
async function startChain(): Promise<Chain> {
  const anvil = await startAnvil({ chainId: 31337, mnemonic: MNEMONIC, genesisTime: 1_735_689_600 });
  const rpc = createAnvilRpc(anvil.url);
  await removeBlockHashes(rpc);
  const accounts = await rpc.call<string[]>('eth_accounts');
  for (let block = 1; block <= HISTORY; block++) {
    await rpc.call('eth_sendTransaction', { from: accounts[0], to: accounts[1], value: '0x1' });
    await rpc.call('evm_mine');
  }
  return { anvil, rpc, accounts };
}

const createPrunerOver = ({ anvil, rpc }: Chain, over: AnvilRpc = rpc): HistoryPruner =>
  createHistoryPruner({
    rpc: over,
    historyBlock: HISTORY,
    retainedHeights: () => [NAMED, HEIGHT + 9],
    afterLoad: () => removeBlockHashes(rpc),
    onChainLost: anvil.kill,
    log,
  });

/** Mines as the embedded chain does: the trim is asked before the second block after the history. */
async function mineToHeight({ rpc }: Chain, trim: HistoryPruner): Promise<void> {
  await rpc.call('evm_mine');
  await trim.pruneIfDue(HISTORY + 1, () => Promise.reject(new Error('trimmed too early')));
  await rpc.call('anvil_mine', hex(HEIGHT - HISTORY - 1));
}

async function stop({ anvil, rpc }: Chain): Promise<void> {
  await rpc.close();
  await anvil.stop();
}

/** The same calls, some of them with other parameters, which the chain refuses. */
const withCorruptedCalls = (rpc: AnvilRpc, spoil: (call: AnvilCall) => AnvilCall): AnvilRpc => ({
  ...rpc,
  call: (...call) => rpc.call(...spoil(call)),
});

describe('a trimmed chain', () => {
  let chain: Chain;
  let trim: HistoryPruner;
  let service: NodeService;
  let before: readonly { readonly hash: string }[];
  const pool: string[] = [];
  const access = createReadWriteLock();
  const numbers = [1, HISTORY, FIRST_RETAINED - 1, FIRST_RETAINED, HEIGHT, NAMED];
  const blocks = () => chain.rpc.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', hex(number), true]));

  beforeAll(async () => {
    chain = await startChain();
    const { rpc, accounts, anvil } = chain;
    trim = createPrunerOver(chain);
    await mineToHeight(chain, trim);
    service = await startNodeService({
      anvil: { http: anvil.url, ws: anvil.wsUrl },
      keys: ['key'],
      extraMethods: ['eth_getBlockReceipts', 'eth_feeHistory'],
      withSharedLock: access.shared,
      pruned: trim.pruned,
      log,
    });
    before = await blocks();
    const nonce = Number(await rpc.call<string>('eth_getTransactionCount', accounts[0], 'latest'));
    for (const ahead of [9, 1, 0]) {
      const request = { from: accounts[0], to: accounts[1], value: '0x1', nonce: hex(nonce + ahead) };
      pool.push(await rpc.call<string>('eth_sendTransaction', request));
    }
    await rpc.call('anvil_setStorageAt', STORE, word(1), word(7));
    await rpc.call('anvil_setStorageAt', STORE, word(2), word(0));
    await service.catchUp();
    await trim.pruneIfDue(HEIGHT, access.exclusive);
  });
  afterAll(async () => {
    await service?.stop();
    await stop(chain);
  });

  const ask = async (
    method: string,
    ...params: unknown[]
  ): Promise<{ result?: any; error?: { code: number; message: string } }> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(service.endpoints.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as never;
  };

  test('has the history, the last 512 blocks and the named one as they were', async () => {
    expect(trim.pruned).toEqual({
      first: HISTORY + 1,
      retainedHeights: new Set([NAMED]),
      lastBlock: FIRST_RETAINED - 1,
      lastState: HEIGHT - 1,
    });
    expect(await blocks()).toEqual(before.map((block, place) => (place === 2 ? null : block)));
  });

  test('drops the deleted slots of an account and keeps the others', async () => {
    const dump = Buffer.from((await chain.rpc.call<string>('anvil_dumpState')).slice(2), 'hex');
    const { accounts } = JSON.parse(gunzipSync(dump).toString());
    expect(accounts[STORE].storage).toEqual({ [word(1)]: word(7) });
    expect(await chain.rpc.call('eth_getStorageAt', STORE, '0x2', 'latest')).toBe(word(0));
  });

  test('has the transactions of its pool, those that wait for an earlier nonce included', async () => {
    expect(await chain.rpc.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' });
    for (const hash of pool)
      expect(await chain.rpc.call('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
  });

  const address = `0x${'1'.repeat(40)}`;
  const [first, last] = [hex(HISTORY + 1), hex(FIRST_RETAINED - 1)];
  test.each<[string, ...unknown[]]>([
    ['eth_getBlockByNumber', first, false],
    ['eth_getBlockByNumber', last, true],
    ['eth_getBlockTransactionCountByNumber', last],
    ['eth_getTransactionByBlockNumberAndIndex', last, '0x0'],
    ['eth_getUncleByBlockNumberAndIndex', last, '0x0'],
    ['eth_getUncleCountByBlockNumber', last],
    ['eth_getBlockReceipts', last],
    ['eth_feeHistory', '0x1', last, []],
    ['eth_feeHistory', '0x2', hex(FIRST_RETAINED), []],
    ['eth_getLogs', { fromBlock: 'earliest' }],
    ['eth_getLogs', { fromBlock: '0x1', toBlock: first }],
    ['eth_getLogs', { fromBlock: last, toBlock: 'latest' }],
    ['eth_getLogs', { fromBlock: hex(NAMED), toBlock: hex(NAMED + 1) }],
    ['eth_getLogs', { fromBlock: hex(NAMED - 1), toBlock: hex(NAMED) }],
    ['eth_getBalance', address, hex(NAMED)],
    ['eth_getBalance', address, last],
    ['eth_getBalance', address, hex(HEIGHT - 1)],
    ['eth_getProof', address, [], { blockNumber: first }],
    ['eth_call', { to: address }, hex(FIRST_RETAINED)],
  ])('is a pruned node for a request that reads a removed height: %s %j', async (method, ...params) => {
    const { error } = await ask(method, ...params);
    expect(error).toMatchObject({
      code: 4444,
      message: expect.stringMatching(/^(?:pruned history|historical state) unavailable$/),
    });
  });

  test.each<[string, ...unknown[]]>([
    ['eth_getBlockByNumber', hex(FIRST_RETAINED), false],
    ['eth_getBlockByNumber', hex(NAMED), true],
    ['eth_getBlockReceipts', hex(NAMED)],
    ['eth_getLogs', { fromBlock: hex(NAMED), toBlock: hex(NAMED) }],
    ['eth_getBlockByNumber', 'earliest', false],
    ['eth_getBlockByNumber', 'finalized', false],
    ['eth_getBlockReceipts', hex(FIRST_RETAINED)],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: hex(HISTORY) }],
    ['eth_getLogs', { fromBlock: hex(FIRST_RETAINED) }],
    ['eth_getLogs', {}],
    ['eth_getBalance', address, hex(HISTORY)],
    ['eth_getBalance', address, hex(HEIGHT)],
    ['eth_getBalance', address, 'pending'],
    ['eth_feeHistory', '0x2', hex(FIRST_RETAINED + 1), []],
  ])('reads what it has as before: %s %j', async (method, ...params) => {
    expect(await ask(method, ...params)).toMatchObject({ result: expect.anything() });
  });

  test('has null for a removed block by hash and for a block beyond the head', async () => {
    expect(await ask('eth_getBlockByHash', before[2]!.hash, false)).toMatchObject({ result: null });
    expect(await ask('eth_getBlockByNumber', hex(HEIGHT + 50), false)).toMatchObject({ result: null });
  });

  test('returns 4444 for a removed state of a block that it has, by the hash of the block', async () => {
    expect(await ask('eth_getBalance', address, { blockHash: before[3]!.hash })).toMatchObject({ error: { code: 4444 } });
    expect(await ask('eth_getBalance', address, { blockHash: before[1]!.hash })).toMatchObject({ result: '0x0' });
  });

  test('refuses a reorg that needs a removed state, and names the depth that works', async () => {
    const reorg = async (depth: number) => {
      const response = await fetch(service.endpoints.control, { method: 'POST', body: JSON.stringify({ reorg: { depth } }) });
      return { status: response.status, body: (await response.json()) as { error?: string; reorg?: { added: string[] } } };
    };
    expect(await reorg(1)).toMatchObject({ status: 400, body: { error: expect.stringContaining('a depth of at most 0') } });
    await chain.rpc.call('anvil_mine', '0x3');
    expect(await reorg(4)).toMatchObject({ status: 400, body: { error: expect.stringContaining('a depth of at most 3') } });
    expect(await reorg(64)).toMatchObject({ status: 400 });
    const { status, body } = await reorg(3);
    expect([status, body.reorg?.added.length]).toEqual([200, 3]);
  });

  test('is not trimmed before 256 more blocks', async () => {
    const never = () => Promise.reject(new Error('trimmed too early'));
    await trim.pruneIfDue(HEIGHT + 255, never);
    await expect(trim.pruneIfDue(HEIGHT + 256, never)).rejects.toThrow('trimmed too early');
  });
});

test('a trim that fails before the reset changes nothing, and the next block tries again', async () => {
  const chain = await startChain();
  try {
    const { rpc } = chain;
    let isSpoiled = false;
    const trim = createPrunerOver(
      chain,
      withCorruptedCalls(rpc, (call) => (isSpoiled && call[0] === 'anvil_dumpState' ? ['anvil_dumpState', 'no boolean'] : call)),
    );
    await mineToHeight(chain, trim);
    isSpoiled = true;
    await expect(trim.pruneIfDue(HEIGHT, (task) => task())).rejects.toThrow('anvil_dumpState');
    expect(await rpc.call('eth_getBlockByNumber', hex(HISTORY + 1), false)).not.toBeNull();
    expect(trim.pruned.lastBlock).toBe(HISTORY);
    isSpoiled = false;
    await trim.pruneIfDue(HEIGHT, (task) => task());
    expect(await rpc.call('eth_getBlockByNumber', hex(HISTORY + 1), false)).toBeNull();
    expect(await rpc.call('eth_blockNumber')).toBe(hex(HEIGHT));
  } finally {
    await stop(chain);
  }
});

test('a chain that cannot be loaded again after the reset ends, so that nobody reads an empty one', async () => {
  const chain = await startChain();
  try {
    const trim = createPrunerOver(
      chain,
      withCorruptedCalls(chain.rpc, (call) => (call[0] === 'anvil_loadState' ? ['anvil_loadState', '0x1234'] : call)),
    );
    await mineToHeight(chain, trim);
    await expect(trim.pruneIfDue(HEIGHT, (task) => task())).rejects.toThrow('anvil_loadState');
    await chain.anvil.exited;
    await expect(chain.rpc.call('eth_blockNumber')).rejects.toThrow();
  } finally {
    await stop(chain);
  }
});
