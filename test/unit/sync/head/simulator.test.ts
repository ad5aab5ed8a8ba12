import { describe, expect, test } from '@jest/globals';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcementsOf, DIALECTS, GETH, logsOf, respondTo } from '../../../support/simulator/rpc-simulator.ts';
import { createLaggingViews } from '../../../support/simulator/view.ts';

/** What the simulated node is relied upon for. That its hashes are real, the tests of reckoned hashes show. */
describe('the simulated chain', () => {
  test('is the same for the same seed and the same calls', () => {
    const [one, other] = [1, 2].map(() => {
      const chain = new SimChain({ seed: 9, bloom: 'real' });
      chain.mine(5);
      chain.reorg(2, 3);
      return chain.head;
    });
    expect(other!.header).toEqual(one!.header);
    expect(new SimChain({ seed: 10 }).head.hash).not.toBe(new SimChain({ seed: 9 }).head.hash);
  });

  test('tells what a reorg removed, newest first, and what it added, and knows both by hash', () => {
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
  const ask = (method: string, ...params: unknown[]): any =>
    respondTo(chain.main, (hash) => chain.block(hash), '0x7', method, params);

  test.each(DIALECTS)('announces a branch as its dialect has it: %s', (_name, dialect) => {
    const announced = announcementsOf(change, dialect);
    expect(announced.map(({ number }) => Number(number))).toEqual(dialect.heads === 'all' ? [28, 29, 30, 31] : [31]);
    expect(announced.every((header) => 'hash' in header === (dialect.header === 'geth'))).toBe(true);
    expect(announced.every((header) => 'receiptRoot' in header === (dialect.header === 'seed'))).toBe(true);
  });

  test('tells the logs of removed blocks first and ascending, as geth does', () => {
    const logs = logsOf(change, GETH);
    const told = logs.map(({ removed, blockNumber, logIndex }) => [removed, Number(blockNumber), Number(logIndex)]);
    const sorted = [...told].sort((a, b) => Number(b[0]) - Number(a[0]) || Number(a[1]) - Number(b[1]));
    expect(told).toEqual(sorted);
    expect(new Set(told.map(([removed]) => removed)).size).toBe(2);
    expect(logsOf(change, { ...GETH, removedLogs: false }).some(({ removed }) => removed)).toBe(false);
  });

  test('answers reads by tag, height and hash', () => {
    expect(ask('eth_blockNumber')).toBe('0x1f');
    expect(
      ['latest', 'safe', 'finalized', 'earliest', '0x1d'].map((ref) => Number(ask('eth_getBlockByNumber', ref).number)),
    ).toEqual([31, 23, 15, 0, 29]);
    expect(ask('eth_getBlockByNumber', '0x20')).toBeNull();
    expect(ask('eth_getBlockByHash', change.removed[0]!.hash).number).toBe('0x1e');
    expect(ask('eth_getBlockByHash', `0x${'1'.repeat(64)}`)).toBeNull();
    expect(() => ask('eth_gasPrice')).toThrow('does not exist');
  });

  test('answers logs by block and by range, through a filter, and refuses a block that it does not know', () => {
    const all = [...Array(32).keys()].flatMap((height) => chain.main.at(height)!.logs);
    expect(ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual(all);
    const { address, topics } = all[0]!;
    const some = ask('eth_getLogs', { fromBlock: '0x0', toBlock: '0xff', address, topics: [topics[0]] });
    expect(some).toEqual(all.filter((log) => log.address === address && log.topics[0] === topics[0]));
    const removed = change.removed.find(({ logs }) => logs.length > 0)!;
    expect(ask('eth_getLogs', { blockHash: removed.hash })).toEqual(removed.logs);
    expect(() => ask('eth_getLogs', { blockHash: `0x${'1'.repeat(64)}` })).toThrow('unknown block');
  });

  test('has backends that lag, catch up, and never go back', () => {
    const own = new SimChain({ seed: 12 });
    own.mine(5);
    const views = createLaggingViews(own.main, { count: 3, lag: 4, seed: 1 });
    const lags = new Set<number>();
    const seen = views.map(() => 5);
    for (let i = 0; i < 200; i++) {
      own.mine();
      for (const [at, { head }] of views.entries()) {
        expect(head.height).toBeGreaterThanOrEqual(seen[at]!);
        seen[at] = head.height;
        lags.add(own.head.height - head.height);
      }
    }
    expect([...lags].sort()).toEqual([0, 1, 2, 3, 4]);
    const behind = views.find(({ head }) => head !== own.head)!;
    expect(respondTo(behind, (hash) => own.block(hash), '0x7', 'eth_getBlockByHash', [own.head.hash])).toBeNull();
  });
});
