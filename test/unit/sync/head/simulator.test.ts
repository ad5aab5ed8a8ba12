import { describe, expect, test } from '@jest/globals';
import { encodeRlp, keccak256, toBeArray } from 'ethers';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcementsOf, DIALECTS, GETH, logsOf, respondTo } from '../../../support/simulator/rpc-simulator.ts';
import { createLaggingViews } from '../../../support/simulator/view.ts';

const QUANTITIES = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
]);

/** The behaviour of the simulator that other tests rely on. `rpc-header.test.ts` checks its block hashes. */
describe('the simulated chain', () => {
  test('simulated chain is deterministic for a seed and the same calls', () => {
    const [one, other] = [1, 2].map(() => {
      const chain = new SimChain({ seed: 9, bloom: 'real' });
      chain.mine(5);
      chain.reorg(2, 3);
      return chain.head;
    });
    expect(other!.header).toEqual(one!.header);
    expect(new SimChain({ seed: 10 }).head.hash).not.toBe(new SimChain({ seed: 9 }).head.hash);
  });

  test.each(['frontier', 'london', 'shanghai', 'cancun', 'prague'] as const)(
    'simulated chain hashes its headers as ethers does: %s',
    (fork) => {
      const chain = new SimChain({ seed: 9, bloom: 'real', fork });
      chain.mine(3);
      const { hash, ...fields } = chain.head.header;
      const bytes = Object.entries(fields).map(([name, value]) => (QUANTITIES.has(name) ? toBeArray(value) : value));
      expect(hash).toBe(keccak256(encodeRlp(bytes)));
    },
  );

  test('simulated chain returns the removed blocks, newest first, and the added blocks of a reorg, and finds both by hash', () => {
    const chain = new SimChain({ seed: 9 });
    chain.mine(5);
    const { removed, added } = chain.reorg(3, 2);
    expect(removed.map(({ height }) => height)).toEqual([5, 4, 3]);
    expect(added.map(({ height }) => height)).toEqual([3, 4]);
    expect(added[0]!.parent).toBe(chain.main.at(2));
    expect(chain.main.at(5)).toBeUndefined();
    expect(chain.block(removed[0]!.hash)).toBe(removed[0]);
  });
});

describe('the simulated node', () => {
  const chain = new SimChain({ seed: 11 });
  chain.mine(30);
  const change = chain.reorg(3, 4);
  const call = (method: string, ...params: unknown[]): any =>
    respondTo(chain.main, (hash) => chain.block(hash), '0x7', method, params);

  test.each(DIALECTS)('simulated node announces a branch in its dialect: %s', (_name, dialect) => {
    const announced = announcementsOf(change, dialect);
    expect(announced.map(({ number }) => Number(number))).toEqual(dialect.heads === 'all' ? [28, 29, 30, 31] : [31]);
    expect(announced.every((header) => 'hash' in header === (dialect.header === 'geth'))).toBe(true);
    expect(announced.every((header) => 'receiptRoot' in header === (dialect.header === 'service'))).toBe(true);
  });

  test('simulated node emits the logs of removed blocks first and ascending, as geth does', () => {
    const logs = logsOf(change, GETH);
    const order = logs.map(({ removed, blockNumber, logIndex }) => [removed, Number(blockNumber), Number(logIndex)]);
    const sorted = [...order].sort((a, b) => Number(b[0]) - Number(a[0]) || Number(a[1]) - Number(b[1]));
    expect(order).toEqual(sorted);
    expect(new Set(order.map(([removed]) => removed)).size).toBe(2);
    expect(logsOf(change, { ...GETH, removedLogs: false }).some(({ removed }) => removed)).toBe(false);
  });

  test('simulated node returns blocks by tag, height and hash', () => {
    expect(call('eth_blockNumber')).toBe('0x1f');
    expect(
      ['latest', 'safe', 'finalized', 'earliest', '0x1d'].map((ref) => Number(call('eth_getBlockByNumber', ref).number)),
    ).toEqual([31, 23, 15, 0, 29]);
    expect(call('eth_getBlockByNumber', '0x20')).toBeNull();
    expect(call('eth_getBlockByHash', change.removed[0]!.hash).number).toBe('0x1e');
    expect(call('eth_getBlockByHash', `0x${'1'.repeat(64)}`)).toBeNull();
    expect(() => call('eth_gasPrice')).toThrow('does not exist');
  });

  test('simulated node returns filtered logs by block and by range and rejects an unknown block', () => {
    const all = [...Array(32).keys()].flatMap((height) => chain.main.at(height)!.logs);
    expect(call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual(all);
    const { address, topics } = all[0]!;
    const some = call('eth_getLogs', { fromBlock: '0x0', toBlock: '0xff', address, topics: [topics[0]] });
    expect(some).toEqual(all.filter((log) => log.address === address && log.topics[0] === topics[0]));
    const removed = change.removed.find(({ logs }) => logs.length > 0)!;
    expect(call('eth_getLogs', { blockHash: removed.hash })).toEqual(removed.logs);
    expect(() => call('eth_getLogs', { blockHash: `0x${'1'.repeat(64)}` })).toThrow('unknown block');
  });

  test('simulated backends lag, catch up and never return to an older head', () => {
    const laggingChain = new SimChain({ seed: 12 });
    laggingChain.mine(5);
    const views = createLaggingViews(laggingChain.main, { count: 3, lag: 4, seed: 1 });
    const lags = new Set<number>();
    const lastHeights = views.map(() => 5);
    for (let i = 0; i < 200; i++) {
      laggingChain.mine();
      for (const [index, { head }] of views.entries()) {
        expect(head.height).toBeGreaterThanOrEqual(lastHeights[index]!);
        lastHeights[index] = head.height;
        lags.add(laggingChain.head.height - head.height);
      }
    }
    expect([...lags].sort()).toEqual([0, 1, 2, 3, 4]);
    const behind = views.find(({ head }) => head !== laggingChain.head)!;
    expect(
      respondTo(behind, (hash) => laggingChain.block(hash), '0x7', 'eth_getBlockByHash', [laggingChain.head.hash]),
    ).toBeNull();
  });
});
