import { describe, expect, test } from '@jest/globals';
import { keccak256, toUtf8Bytes } from 'ethers';
import { createSeededRandom } from '../../../src/devnet/world/random.ts';
import { bloomMayMatch, bloomShowsLogs, type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { countReads } from '../../support/executor/count-reads.ts';

/** The bloom of the yellow paper, on one integer of 2048 bits: written anew here, to check the other by. */
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

test("the test's own bloom of 100 texts is the one that geth tests itself by", () => {
  const texts = Array.from({ length: 100 }, (_, i) => toUtf8Bytes(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`));
  expect(keccak256(bloomOf(texts))).toBe('0xc8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263');
});

describe('the bloom of a block with one log of a token and topic A', () => {
  test.each<[string, LogFilter, boolean]>([
    ['leaves room for anything', {}, true],
    ['leaves room for the token', { addresses: [token] }, true],
    ['leaves room for the token among others', { addresses: [other, token] }, true],
    ['rules out another address', { addresses: [other] }, false],
    ['leaves room for A', { topics: [[A]] }, true],
    ['leaves room for A or B', { topics: [[B, A]] }, true],
    ['rules out B', { topics: [[B]] }, false],
    ['rules out A and B together', { topics: [[A], [B]] }, false],
    ['leaves room for A at any position, since it knows none', { topics: [[], [A]] }, true],
    ['rules out the token with B', { addresses: [token], topics: [[B]] }, false],
    ['passes over open positions', { addresses: [], topics: [[], []] }, true],
  ])('%s', (_case, filter, room) => {
    expect(bloomMayMatch(bloom, filter)).toBe(room);
  });
});

test.each([
  ['512 zeros', `0x${'0'.repeat(512)}`],
  ['nothing behind the prefix', '0x'],
])('an empty bloom, %s, does not speak against an answer without logs', (_case, empty) => {
  expect(bloomMayMatch(empty, {})).toBe(false);
  expect(bloomMayMatch(empty, { addresses: [token], topics: [[A]] })).toBe(false);
});

test.each([
  ['some bits', bloom, true],
  ['no bit', `0x${'0'.repeat(512)}`, false],
  ['every bit', `0x${'F'.repeat(512)}`, false],
  ['no bytes', '0x', false],
])('a bloom with %s shows whether there are logs', (_case, value, isSome) => {
  expect(bloomShowsLogs(value)).toBe(isSome);
});

test('a bloom with every bit set leaves room for anything', () => {
  expect(bloomMayMatch(`0x${'f'.repeat(512)}`, { addresses: [other], topics: [[B], [A]] })).toBe(true);
});

test('a list is gone through once for all blooms that it is held against', () => {
  const { list, reads } = countReads(Array.from({ length: 5_000 }, (_none, i) => `0x${i.toString(16).padStart(40, '0')}`));
  const bit = bloomOf([]).replace(/0$/, '1');
  for (let i = 0; i < 10; i++) expect(bloomMayMatch(bit, { addresses: list })).toBe(false);
  expect(reads()).toBe(5_000);
});

test.each([1, Date.now() % 2 ** 32])('whatever passes a filter is in its bloom, for random blocks of seed %s', (seed) => {
  const random = createSeededRandom(seed);
  const hex = (bytes: number) =>
    `0x${Array.from({ length: bytes }, () => random.nextInt(256).toString(16).padStart(2, '0')).join('')}`;
  const addresses = Array.from({ length: 6 }, () => hex(20));
  const topics = Array.from({ length: 8 }, () => hex(32));
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: random.nextInt(most + 1) }, () => random.pick(from));
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
    const room = bloomMayMatch(filled, filter);
    if (found) passed += 1;
    if (!room) ruledOut += 1;
    expect({ seed, block, logs, filter, missed: found && !room }).toMatchObject({ missed: false });
  }
  expect([passed > 10, ruledOut > 10]).toEqual([true, true]);
});
