import { describe, expect, test } from '@jest/globals';
import { type LogFilter, matchesFilter, toRpcLogFilter } from '../../../src/ethereum/log-filters.ts';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { countReads } from '../../support/executor/count-reads.ts';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(word) as [string, string, string, string];
const token = `0x${'11'.repeat(20)}`;
const other = `0x${'22'.repeat(20)}`;
const range = { fromBlock: '0x1', toBlock: 'latest' };

describe('the wire filter', () => {
  test.each<[string, LogFilter, object]>([
    ['of an empty filter is the range alone', {}, {}],
    ['leaves out nulls', { addresses: null, topics: null }, {}],
    ['leaves out an empty address list', { addresses: [] }, {}],
    ['leaves out an empty topic list', { topics: [] }, {}],
    ['spells one address as text', { addresses: [token] }, { address: token }],
    ['spells an address given twice as text', { addresses: [token, token] }, { address: token }],
    ['sorts addresses', { addresses: [other, token] }, { address: [token, other] }],
    ['spells one topic as text', { topics: [[A]] }, { topics: [A] }],
    ['sorts alternatives and drops repeats', { topics: [[B, A, B]] }, { topics: [[A, B]] }],
    ['spells an open position as null', { topics: [[], [B]] }, { topics: [null, B] }],
    ['cuts open positions at the end', { topics: [[A], [], []] }, { topics: [A] }],
    ['has no topics when all positions are open', { topics: [[], [], [], []] }, {}],
    ['keeps the order of positions', { topics: [[D], [], [C], []] }, { topics: [D, null, C] }],
  ])('%s', (_case, filter, fields) => {
    expect(toRpcLogFilter(range, filter)).toEqual({ ...range, ...fields });
  });

  test('of one block names its hash and no bounds', () => {
    expect(toRpcLogFilter({ blockHash: A }, { topics: [[B]] })).toEqual({ blockHash: A, topics: [B] });
  });

  test('is spelled alike for filters that mean the same', () => {
    const one = toRpcLogFilter(range, { addresses: [token, other], topics: [[A, B], []] });
    const same = toRpcLogFilter(range, { addresses: [other, token, other], topics: [[B, A, A]] });
    expect(JSON.stringify(one)).toBe(JSON.stringify(same));
  });

  test('leaves the filter that it was given as it is', () => {
    const filter = { addresses: [other, token], topics: [[B, A], []] };
    toRpcLogFilter(range, filter);
    expect(filter).toEqual({ addresses: [other, token], topics: [[B, A], []] });
  });
});

const log = (topics: readonly string[], address = token): RpcLog => ({
  address,
  topics,
  data: '0x',
  logIndex: '0x0',
  transactionHash: word('0'),
});

describe('a log passes', () => {
  test.each<[string, RpcLog, LogFilter]>([
    ['no topics allow anything', log([A, B]), { topics: [] }],
    ['no topics allow a log without topics', log([]), { topics: [] }],
    ['null allows anything', log([A]), { topics: null, addresses: null }],
    ['[A] means A first', log([A]), { topics: [[A]] }],
    ['anything may follow the given positions', log([A, B, C, D]), { topics: [[A]] }],
    ['[any, B] means B second', log([D, B]), { topics: [[], [B]] }],
    [
      '[A or B, A or B] takes A, B',
      log([A, B]),
      {
        topics: [
          [A, B],
          [A, B],
        ],
      },
    ],
    [
      '[A or B, A or B] takes B, B',
      log([B, B]),
      {
        topics: [
          [A, B],
          [A, B],
        ],
      },
    ],
    ['open positions beyond its topics', log([A]), { topics: [[A], [], []] }],
    ['its address among several', log([A]), { addresses: [other, token] }],
    ['upper case from a node', log([A.toUpperCase().replace('X', 'x')], token), { topics: [[A]] }],
  ])('%s', (_case, given, filter) => {
    expect(matchesFilter(given, filter)).toBe(true);
  });

  test('whose address a node spells with a checksum', () => {
    const address = `0x${'aB'.repeat(20)}`;
    expect(matchesFilter(log([A], address), { addresses: [address.toLowerCase()] })).toBe(true);
  });
});

describe('a log does not pass', () => {
  test.each<[string, RpcLog, LogFilter]>([
    ['[A] with B first', log([B, A]), { topics: [[A]] }],
    ['[A] without topics', log([]), { topics: [[A]] }],
    ['[any, B] with B first only', log([B]), { topics: [[], [B]] }],
    [
      '[A or B, A or B] with C second',
      log([A, C]),
      {
        topics: [
          [A, B],
          [A, B],
        ],
      },
    ],
    ['[A, B] with A alone', log([A]), { topics: [[A], [B]] }],
    ['another address', log([A], other), { addresses: [token] }],
    ['the right address and the wrong topic', log([B]), { addresses: [token], topics: [[A]] }],
    ['the right topic and the wrong address', log([A], other), { addresses: [token], topics: [[A]] }],
  ])('%s', (_case, given, filter) => {
    expect(matchesFilter(given, filter)).toBe(false);
  });
});

test('a list is gone through once for all logs that it is held against', () => {
  const { list, reads } = countReads(Array.from({ length: 5_000 }, (_none, i) => `0x${i.toString(16).padStart(40, '0')}`));
  for (let i = 0; i < 10; i++) expect(matchesFilter(log([A]), { addresses: list })).toBe(false);
  expect(reads()).toBe(5_000);
});
