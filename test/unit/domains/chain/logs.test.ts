import { describe, expect, test } from '@jest/globals';
import { type LogCriteria, logRangeOf } from '../../../../src/domains/chain/loaders/logs.ts';
import { checkTopics } from '../../../../src/domains/chain/log-filter-checks.ts';

const HASH = `0x${'ab'.repeat(32)}`;

describe('logRangeOf', () => {
  test.each<[string, LogCriteria, object]>([
    ['no bounds: the latest block', {}, { fromBlock: 'latest', toBlock: 'latest' }],
    [
      'null bounds: the latest block',
      { fromBlock: null, toBlock: null, blockHash: null },
      { fromBlock: 'latest', toBlock: 'latest' },
    ],
    ['a lower height: up to the latest block', { fromBlock: '0x1' }, { fromBlock: '0x1', toBlock: 'latest' }],
    ['height 0: height 0', { fromBlock: '0x0', toBlock: '0x0' }, { fromBlock: '0x0', toBlock: '0x0' }],
    ['an upper height: from the latest block', { toBlock: '0x5' }, { fromBlock: 'latest', toBlock: '0x5' }],
    ['two heights: both', { fromBlock: '0x1', toBlock: '0x5' }, { fromBlock: '0x1', toBlock: '0x5' }],
    [
      'tags: their JSON-RPC names',
      { fromBlockTag: 'EARLIEST', toBlockTag: 'FINALIZED' },
      { fromBlock: 'earliest', toBlock: 'finalized' },
    ],
    ['a height and a tag: both', { fromBlock: '0x1', toBlockTag: 'SAFE' }, { fromBlock: '0x1', toBlock: 'safe' }],
    ['toPending: up to the pending block', { fromBlock: '0x1', toPending: true }, { fromBlock: '0x1', toBlock: 'pending' }],
    ['toPending false: ignored', { toBlock: '0x5', toPending: false }, { fromBlock: 'latest', toBlock: '0x5' }],
    ['a block hash: that block', { blockHash: HASH }, { blockHash: HASH }],
    ['a block hash with toPending false: that block', { blockHash: HASH, toPending: false }, { blockHash: HASH }],
    ['a block hash with null bounds: that block', { blockHash: HASH, fromBlock: null, toBlockTag: null }, { blockHash: HASH }],
  ])('converts %s', (_case, criteria, range) => {
    expect(logRangeOf(criteria)).toEqual(range);
  });
});

describe('log filter checks', () => {
  test.each<[string, LogCriteria, string]>([
    ['two lower bounds', { fromBlock: '0x1', fromBlockTag: 'EARLIEST' }, 'Give at most one of fromBlock and fromBlockTag.'],
    ['two upper bounds', { toBlock: '0x5', toBlockTag: 'LATEST' }, 'Give at most one of toBlock, toBlockTag and toPending.'],
    ['a height with toPending', { toBlock: '0x5', toPending: true }, 'Give at most one of toBlock, toBlockTag and toPending.'],
    ['a tag with toPending', { toBlockTag: 'LATEST', toPending: true }, 'Give at most one of toBlock, toBlockTag and toPending.'],
    [
      'a block hash with a lower height',
      { blockHash: HASH, fromBlock: '0x0' },
      'A filter with blockHash takes no other bound on the blocks.',
    ],
    [
      'a block hash with a tag',
      { blockHash: HASH, toBlockTag: 'LATEST' },
      'A filter with blockHash takes no other bound on the blocks.',
    ],
    [
      'a block hash with toPending',
      { blockHash: HASH, toPending: true },
      'A filter with blockHash takes no other bound on the blocks.',
    ],
  ])('logRangeOf rejects %s with BAD_USER_INPUT', (_case, criteria, message) => {
    expect(() => logRangeOf(criteria)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  test('checkTopics rejects five topic positions, even empty ones', () => {
    expect(() => checkTopics({ topics: [[], [], [], [], []] })).toThrow(
      expect.objectContaining({
        code: 'BAD_USER_INPUT',
        message: 'The filter has 5 topic positions. Pass at most 4: a log has no more topics.',
      }),
    );
  });
});

test.each<[string, LogCriteria]>([
  ['no topics', {}],
  ['null', { topics: null }],
  ['an empty list', { topics: [] }],
  ['four positions', { topics: [[HASH], [], [HASH, HASH], []] }],
])('checkTopics accepts %s', (_case, filter) => {
  expect(() => checkTopics(filter)).not.toThrow();
});
