import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHistoryPruner, type HistoryPruner } from '../../../../devnet/src/anvil/history-pruner.ts';
import type { Anvil } from '../../../../devnet/src/anvil/process.ts';
import { createReadWriteLock } from '../../../../devnet/src/anvil/read-write-lock.ts';
import { type AnvilRpc, createAnvilRpc } from '../../../../devnet/src/anvil/rpc.ts';
import { type NodeService, startNodeService } from '../../../../devnet/src/node-service/index.ts';
import { removeBlockHashes } from '../../../../devnet/src/world/build.ts';
import { startTestAnvil } from '../../../support/anvil.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { log } from '../../../support/silent-log.ts';

const HISTORY = 5;
const HEIGHT = 700;
const FIRST_RETAINED = HEIGHT - 512 + 1;
/** An old block that the pruner must retain. */
const RETAINED = 60;
const hex = (number: number) => `0x${number.toString(16)}`;
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
/** An account with one set and one deleted storage slot. */
const STORE = `0x${'5'.repeat(40)}`;

interface Chain {
  readonly anvil: Anvil;
  readonly rpc: AnvilRpc;
  readonly accounts: readonly string[];
}

/** A real chain with a short history. */
async function startChain(): Promise<Chain> {
  const anvil = await startTestAnvil();
  const rpc = untilTestsEnd(createAnvilRpc(anvil.url));
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
    retainedHeights: () => [RETAINED, HEIGHT + 9],
    afterLoad: () => removeBlockHashes(rpc),
    onChainLost: anvil.kill,
    log,
  });

/** Mines to `HEIGHT`. As in the embedded chain, the pruner runs once before the second block after the history. */
async function mineToHeight({ rpc }: Chain, pruner: HistoryPruner): Promise<void> {
  await rpc.call('evm_mine');
  await pruner.pruneIfDue(HISTORY + 1, () => Promise.reject(new Error('pruned too early')));
  await rpc.call('anvil_mine', hex(HEIGHT - HISTORY - 1));
}

describe('pruned chain', () => {
  let chain: Chain;
  let pruner: HistoryPruner;
  let service: NodeService;
  let before: readonly { readonly hash: string }[];
  const pool: string[] = [];
  const access = createReadWriteLock();
  const numbers = [1, HISTORY, FIRST_RETAINED - 1, FIRST_RETAINED, HEIGHT, RETAINED];
  const blocks = () => chain.rpc.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', hex(number), true]));

  beforeAll(async () => {
    chain = await startChain();
    const { rpc, accounts, anvil } = chain;
    pruner = createPrunerOver(chain);
    await mineToHeight(chain, pruner);
    service = untilTestsEnd(
      await startNodeService({
        anvil: { http: anvil.url, ws: anvil.wsUrl },
        keys: ['key'],
        extraMethods: ['eth_getBlockReceipts', 'eth_feeHistory', 'eth_capabilities'],
        withSharedLock: access.shared,
        pruned: pruner.pruned,
        log,
      }),
    );
    before = await blocks();
    const nonce = Number(await rpc.call<string>('eth_getTransactionCount', accounts[0], 'latest'));
    for (const ahead of [9, 1, 0]) {
      const transaction = { from: accounts[0], to: accounts[1], value: '0x1', nonce: hex(nonce + ahead) };
      pool.push(await rpc.call<string>('eth_sendTransaction', transaction));
    }
    await rpc.call('anvil_setStorageAt', STORE, word(1), word(7));
    await rpc.call('anvil_setStorageAt', STORE, word(2), word(0));
    await service.catchUp();
    await pruner.pruneIfDue(HEIGHT, access.exclusive);
  });

  const request = async (
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

  test('pruned chain has the history, the last 512 blocks and the retained block unchanged', async () => {
    expect(pruner.pruned).toEqual({
      first: HISTORY + 1,
      retainedHeights: new Set([RETAINED]),
      lastBlock: FIRST_RETAINED - 1,
      lastState: HEIGHT - 1,
    });
    expect(await blocks()).toEqual(before.map((block, index) => (index === 2 ? null : block)));
  });

  test('pruned chain has the set storage slots of an account, and not the deleted slots', async () => {
    const dump = Buffer.from((await chain.rpc.call<string>('anvil_dumpState')).slice(2), 'hex');
    const { accounts } = JSON.parse(gunzipSync(dump).toString());
    expect(accounts[STORE].storage).toEqual({ [word(1)]: word(7) });
    expect(await chain.rpc.call('eth_getStorageAt', STORE, '0x2', 'latest')).toBe(word(0));
  });

  test('pruned chain has its pending and queued pool transactions', async () => {
    expect(await chain.rpc.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' });
    for (const hash of pool)
      expect(await chain.rpc.call('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
  });

  const address = `0x${'1'.repeat(40)}`;
  const [first, last] = [hex(HISTORY + 1), hex(FIRST_RETAINED - 1)];
  test.each<[string, ...unknown[]]>([
    ['eth_getBlockByNumber', first, false],
    ['eth_getBlockReceipts', last],
    ['eth_feeHistory', '0x2', hex(FIRST_RETAINED), []],
    ['eth_getLogs', { fromBlock: '0x1', toBlock: first }],
    ['eth_getLogs', { fromBlock: hex(RETAINED), toBlock: hex(RETAINED + 1) }],
    ['eth_getBalance', address, hex(RETAINED)],
    ['eth_getBalance', address, hex(HEIGHT - 1)],
    ['eth_getProof', address, [], { blockNumber: first }],
    ['eth_call', { to: address }, hex(FIRST_RETAINED)],
  ])('pruned chain returns 4444 for a read at a pruned height: %s %j', async (method, ...params) => {
    const { error } = await request(method, ...params);
    expect(error).toMatchObject({
      code: 4444,
      message: expect.stringMatching(/^(?:pruned history|historical state) unavailable$/),
    });
  });

  test.each<[string, ...unknown[]]>([
    ['eth_getBlockByNumber', hex(FIRST_RETAINED), false],
    ['eth_getBlockByNumber', hex(RETAINED), true],
    ['eth_getLogs', { fromBlock: hex(RETAINED), toBlock: hex(RETAINED) }],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: hex(HISTORY) }],
    ['eth_getLogs', { fromBlock: hex(FIRST_RETAINED) }],
    ['eth_getBalance', address, hex(HISTORY)],
    ['eth_getBalance', address, hex(HEIGHT)],
    ['eth_feeHistory', '0x2', hex(FIRST_RETAINED + 1), []],
  ])('pruned chain serves reads at available heights: %s %j', async (method, ...params) => {
    expect(await request(method, ...params)).toMatchObject({ result: expect.anything() });
  });

  test('pruned chain returns 4444 for the pruned state of an available block by hash', async () => {
    expect(await request('eth_getBalance', address, { blockHash: before[3]!.hash })).toMatchObject({ error: { code: 4444 } });
    expect(await request('eth_getBalance', address, { blockHash: before[1]!.hash })).toMatchObject({ result: '0x0' });
  });

  test('pruned chain rejects a reorg that needs pruned state, with the maximum depth', async () => {
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
});

test('pruning that cannot reload the chain after the reset stops anvil, so that no client reads an empty chain', async () => {
  const chain = await startChain();
  const pruner = createPrunerOver(chain, {
    ...chain.rpc,
    call: (method, ...params) => chain.rpc.call(method, ...(method === 'anvil_loadState' ? ['0x1234'] : params)),
  });
  await mineToHeight(chain, pruner);
  await expect(pruner.pruneIfDue(HEIGHT, (task) => task())).rejects.toThrow('anvil_loadState');
  await chain.anvil.exited;
  await expect(chain.rpc.call('eth_blockNumber')).rejects.toThrow();
});
