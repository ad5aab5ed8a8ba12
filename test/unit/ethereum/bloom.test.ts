import { describe, expect, test } from '@jest/globals';
import { keccak256, toUtf8Bytes } from 'ethers';
import { createSeededRandom } from '../../../devnet/src/world/random.ts';
import { bloomShowsLogs } from '../../../src/ethereum/bloom.ts';
import { bloomMayMatch, type LogFilter, matchesFilter, toRpcLogFilter } from '../../../src/ethereum/log-filters.ts';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { countReads } from '../../support/executor/count-reads.ts';

describe('bloom', () => {
  /** An independent implementation of the bloom of the yellow paper, on one integer of 2048 bits. */
  function bloomOf(values: readonly (string | Uint8Array)[]): string {
    let bits = 0n;
    for (const value of values) {
      const hash = BigInt(keccak256(value));
      for (const pair of [0n, 1n, 2n]) bits |= 1n << ((hash >> (240n - 16n * pair)) & 2047n);
    }
    return `0x${bits.toString(16).padStart(512, '0')}`;
  }

  const token = `0x${'11'.repeat(20)}`;
  const other = `0x${'22'.repeat(20)}`;
  const A = `0x${'aa'.repeat(32)}`;
  const B = `0x${'bb'.repeat(32)}`;
  const bloom = bloomOf([token, A]);

  test('the reference implementation of this test computes the bloom of the geth test suite', () => {
    const texts = Array.from({ length: 100 }, (_, i) => toUtf8Bytes(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`));
    expect(keccak256(bloomOf(texts))).toBe('0xc8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263');
  });

  test.each<[string, boolean, LogFilter]>([
    ['an empty filter', true, {}],
    ['the token', true, { addresses: [token] }],
    ['the token or another address', true, { addresses: [other, token] }],
    ['another address', false, { addresses: [other] }],
    ['topic A', true, { topics: [[A]] }],
    ['topic A or B', true, { topics: [[B, A]] }],
    ['topic B', false, { topics: [[B]] }],
    ['topics A and B', false, { topics: [[A], [B]] }],
    ['topic A at another position, since a bloom has no positions', true, { topics: [[], [A]] }],
    ['the token with topic B', false, { addresses: [token], topics: [[B]] }],
    ['only empty positions', true, { addresses: [], topics: [[], []] }],
  ])('bloomMayMatch for %s returns %s', (_case, expected, filter) => {
    expect(bloomMayMatch(bloom, filter)).toBe(expected);
  });

  test.each([
    ['512 zeros', `0x${'0'.repeat(512)}`],
    ['no digit after the prefix', '0x'],
  ])('bloomMayMatch is false for an empty bloom (%s)', (_case, empty) => {
    expect(bloomMayMatch(empty, {})).toBe(false);
    expect(bloomMayMatch(empty, { addresses: [token], topics: [[A]] })).toBe(false);
  });

  test.each([
    ['some bits', true, bloom],
    ['no bit', false, `0x${'0'.repeat(512)}`],
    ['every bit', false, `0x${'F'.repeat(512)}`],
    ['no bytes', false, '0x'],
  ])('bloomShowsLogs for a bloom with %s returns %s', (_case, expected, value) => {
    expect(bloomShowsLogs(value)).toBe(expected);
  });

  test('bloomMayMatch is true for a bloom with every bit set', () => {
    expect(bloomMayMatch(`0x${'f'.repeat(512)}`, { addresses: [other], topics: [[B], [A]] })).toBe(true);
  });

  test('bloomMayMatch reads a list of addresses only once for many blooms', () => {
    const { list, reads } = countReads(Array.from({ length: 5_000 }, (_none, i) => `0x${i.toString(16).padStart(40, '0')}`));
    const bit = bloomOf([]).replace(/0$/, '1');
    for (let i = 0; i < 10; i++) expect(bloomMayMatch(bit, { addresses: list })).toBe(false);
    expect(reads()).toBe(5_000);
  });

  test.each([1, Date.now() % 2 ** 32])('bloomMayMatch is true for every random block with a matching log (seed %s)', (seed) => {
    const random = createSeededRandom(seed);
    const hex = (bytes: number) =>
      `0x${Array.from({ length: bytes }, () => random.nextInt(256).toString(16).padStart(2, '0')).join('')}`;
    const addresses = Array.from({ length: 6 }, () => hex(20));
    const topics = Array.from({ length: 8 }, () => hex(32));
    const some = (from: readonly string[], max: number) =>
      Array.from({ length: random.nextInt(max + 1) }, () => random.pick(from));
    let passed = 0;
    let ruledOut = 0;
    for (let block = 0; block < 200; block += 1) {
      const logs: RpcLog[] = Array.from({ length: 1 + random.nextInt(4) }, () => ({
        address: random.pick(addresses),
        topics: some(topics, 4),
        data: '0x',
        logIndex: '0x0',
        transactionHash: hex(32),
      }));
      const filled = bloomOf(logs.flatMap((log) => [log.address, ...log.topics]));
      const filter = { addresses: some(addresses, 2), topics: Array.from({ length: random.nextInt(4) }, () => some(topics, 2)) };
      const found = logs.some((log) => matchesFilter(log, filter));
      const mayMatch = bloomMayMatch(filled, filter);
      if (found) passed += 1;
      if (!mayMatch) ruledOut += 1;
      expect({ seed, block, logs, filter, missed: found && !mayMatch }).toMatchObject({ missed: false });
    }
    expect([passed > 10, ruledOut > 10]).toEqual([true, true]);
  });
});

describe('log filters', () => {
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
});
