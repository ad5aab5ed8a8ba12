import { describe, expect, test } from '@jest/globals';
import { checkTopics, type LogCriteria, logRangeOf } from '../../../../src/domains/chain/loaders/log-criteria.ts';

const HASH = `0x${'ab'.repeat(32)}`;

describe('the range of', () => {
  test.each<[string, LogCriteria, object]>([
    ['nothing is the latest block', {}, { fromBlock: 'latest', toBlock: 'latest' }],
    [
      'nulls is the latest block',
      { fromBlock: null, toBlock: null, blockHash: null },
      { fromBlock: 'latest', toBlock: 'latest' },
    ],
    ['a lower height reaches to the latest block', { fromBlock: '0x1' }, { fromBlock: '0x1', toBlock: 'latest' }],
    ['height 0 is height 0', { fromBlock: '0x0', toBlock: '0x0' }, { fromBlock: '0x0', toBlock: '0x0' }],
    ['an upper height starts at the latest block', { toBlock: '0x5' }, { fromBlock: 'latest', toBlock: '0x5' }],
    ['two heights is both', { fromBlock: '0x1', toBlock: '0x5' }, { fromBlock: '0x1', toBlock: '0x5' }],
    [
      'tags is their names on the wire',
      { fromBlockTag: 'EARLIEST', toBlockTag: 'FINALIZED' },
      { fromBlock: 'earliest', toBlock: 'finalized' },
    ],
    ['a height and a tag is both', { fromBlock: '0x1', toBlockTag: 'SAFE' }, { fromBlock: '0x1', toBlock: 'safe' }],
    ['toPending reaches to the pending block', { fromBlock: '0x1', toPending: true }, { fromBlock: '0x1', toBlock: 'pending' }],
    [
      'toPending: false is as if it were not there',
      { toBlock: '0x5', toPending: false },
      { fromBlock: 'latest', toBlock: '0x5' },
    ],
    ['a block hash is that block', { blockHash: HASH }, { blockHash: HASH }],
    ['a block hash with toPending: false is that block', { blockHash: HASH, toPending: false }, { blockHash: HASH }],
    ['a block hash with null bounds is that block', { blockHash: HASH, fromBlock: null, toBlockTag: null }, { blockHash: HASH }],
  ])('%s', (_case, criteria, range) => {
    expect(logRangeOf(criteria)).toEqual(range);
  });
});

describe('BAD_USER_INPUT is', () => {
  test.each<[string, LogCriteria, string]>([
    [
      'two lower bounds',
      { fromBlock: '0x1', fromBlockTag: 'EARLIEST' },
      'Too many bounds. Pass at most one of fromBlock and fromBlockTag.',
    ],
    [
      'two upper bounds',
      { toBlock: '0x5', toBlockTag: 'LATEST' },
      'Too many bounds. Pass at most one of toBlock, toBlockTag and toPending.',
    ],
    [
      'a height with toPending',
      { toBlock: '0x5', toPending: true },
      'Too many bounds. Pass at most one of toBlock, toBlockTag and toPending.',
    ],
    [
      'a tag with toPending',
      { toBlockTag: 'LATEST', toPending: true },
      'Too many bounds. Pass at most one of toBlock, toBlockTag and toPending.',
    ],
    [
      'a block hash with a lower height',
      { blockHash: HASH, fromBlock: '0x0' },
      'Invalid log filter. Pass either blockHash or other block bounds.',
    ],
    [
      'a block hash with a tag',
      { blockHash: HASH, toBlockTag: 'LATEST' },
      'Invalid log filter. Pass either blockHash or other block bounds.',
    ],
    [
      'a block hash with toPending',
      { blockHash: HASH, toPending: true },
      'Invalid log filter. Pass either blockHash or other block bounds.',
    ],
  ])('%s', (_case, criteria, message) => {
    expect(() => logRangeOf(criteria)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  test('a filter of five topic positions, even when they are open', () => {
    expect(() => checkTopics({ topics: [[], [], [], [], []] })).toThrow(
      expect.objectContaining({
        code: 'BAD_USER_INPUT',
        message: 'The filter has 5 topic positions. Pass at most 4, the maximum number of topics of a log.',
      }),
    );
  });
});

test.each<[string, LogCriteria]>([
  ['no topics', {}],
  ['null', { topics: null }],
  ['an empty list', { topics: [] }],
  ['four positions', { topics: [[HASH], [], [HASH, HASH], []] }],
])('a filter of %s is fine', (_case, filter) => {
  expect(() => checkTopics(filter)).not.toThrow();
});
