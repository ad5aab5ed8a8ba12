import { describe, expect, test } from '@jest/globals';
import { type LogFilter, matchesFilter, toRpcLogFilter } from '../../../src/ethereum/log-filters.ts';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { countReads } from '../../support/executor/count-reads.ts';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(word) as [string, string, string, string];
const token = `0x${'11'.repeat(20)}`;
const other = `0x${'22'.repeat(20)}`;
const range = { fromBlock: '0x1', toBlock: 'latest' };

describe('toRpcLogFilter', () => {
  test.each<[string, LogFilter, object]>([
    ['returns only the range for an empty filter', {}, {}],
    ['omits nulls', { addresses: null, topics: null }, {}],
    ['omits an empty address list', { addresses: [] }, {}],
    ['omits an empty topic list', { topics: [] }, {}],
    ['returns one address as a string', { addresses: [token] }, { address: token }],
    ['returns a duplicate address as one string', { addresses: [token, token] }, { address: token }],
    ['sorts addresses', { addresses: [other, token] }, { address: [token, other] }],
    ['returns one topic as a string', { topics: [[A]] }, { topics: [A] }],
    ['sorts alternatives and removes duplicates', { topics: [[B, A, B]] }, { topics: [[A, B]] }],
    ['returns an empty position as null', { topics: [[], [B]] }, { topics: [null, B] }],
    ['omits empty positions at the end', { topics: [[A], [], []] }, { topics: [A] }],
    ['omits topics when all positions are empty', { topics: [[], [], [], []] }, {}],
    ['keeps the order of positions', { topics: [[D], [], [C], []] }, { topics: [D, null, C] }],
  ])('toRpcLogFilter %s', (_case, filter, fields) => {
    expect(toRpcLogFilter(range, filter)).toEqual({ ...range, ...fields });
  });

  test('toRpcLogFilter returns the block hash without a range for one block', () => {
    expect(toRpcLogFilter({ blockHash: A }, { topics: [[B]] })).toEqual({ blockHash: A, topics: [B] });
  });

  test('toRpcLogFilter returns equal objects for equivalent filters', () => {
    const one = toRpcLogFilter(range, { addresses: [token, other], topics: [[A, B], []] });
    const same = toRpcLogFilter(range, { addresses: [other, token, other], topics: [[B, A, A]] });
    expect(JSON.stringify(one)).toBe(JSON.stringify(same));
  });

  test('toRpcLogFilter does not modify its argument', () => {
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

describe('matchesFilter with a matching log', () => {
  test.each<[string, RpcLog, LogFilter]>([
    ['any log for an empty topic list', log([A, B]), { topics: [] }],
    ['a log without topics for an empty topic list', log([]), { topics: [] }],
    ['any log for nulls', log([A]), { topics: null, addresses: null }],
    ['A first for [A]', log([A]), { topics: [[A]] }],
    ['more topics than [A] has', log([A, B, C, D]), { topics: [[A]] }],
    ['B second for [any, B]', log([D, B]), { topics: [[], [B]] }],
    [
      'A, B for [A or B, A or B]',
      log([A, B]),
      {
        topics: [
          [A, B],
          [A, B],
        ],
      },
    ],
    [
      'B, B for [A or B, A or B]',
      log([B, B]),
      {
        topics: [
          [A, B],
          [A, B],
        ],
      },
    ],
    ['empty positions beyond the topics of the log', log([A]), { topics: [[A], [], []] }],
    ['one of several addresses', log([A]), { addresses: [other, token] }],
    ['a topic in upper case', log([A.toUpperCase().replace('X', 'x')], token), { topics: [[A]] }],
  ])('matchesFilter accepts %s', (_case, given, filter) => {
    expect(matchesFilter(given, filter)).toBe(true);
  });

  test('matchesFilter accepts an address with a checksum', () => {
    const address = `0x${'aB'.repeat(20)}`;
    expect(matchesFilter(log([A], address), { addresses: [address.toLowerCase()] })).toBe(true);
  });
});

test.each<[string, RpcLog, LogFilter]>([
  ['B first for [A]', log([B, A]), { topics: [[A]] }],
  ['no topics for [A]', log([]), { topics: [[A]] }],
  ['only B first for [any, B]', log([B]), { topics: [[], [B]] }],
  [
    'C second for [A or B, A or B]',
    log([A, C]),
    {
      topics: [
        [A, B],
        [A, B],
      ],
    },
  ],
  ['only A for [A, B]', log([A]), { topics: [[A], [B]] }],
  ['another address', log([A], other), { addresses: [token] }],
  ['a matching address with another topic', log([B]), { addresses: [token], topics: [[A]] }],
  ['a matching topic with another address', log([A], other), { addresses: [token], topics: [[A]] }],
])('matchesFilter rejects %s', (_case, given, filter) => {
  expect(matchesFilter(given, filter)).toBe(false);
});

test('matchesFilter reads a list of addresses only once for many logs', () => {
  const { list, reads } = countReads(Array.from({ length: 5_000 }, (_none, i) => `0x${i.toString(16).padStart(40, '0')}`));
  for (let i = 0; i < 10; i++) expect(matchesFilter(log([A]), { addresses: list })).toBe(false);
  expect(reads()).toBe(5_000);
});
