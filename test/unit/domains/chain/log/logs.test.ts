import { describe, expect, test } from '@jest/globals';
import { checkTopics, type LogCriteria, logRangeOf } from '../../../../../src/domains/chain/log/criteria.ts';

const HASH = `0x${'ab'.repeat(32)}`;

describe('the block range of a log filter', () => {
  test.each<[string, LogCriteria, object]>([
    ['an empty filter is the latest block', {}, { fromBlock: 'latest', toBlock: 'latest' }],
    [
      'a filter of nulls is the latest block',
      { fromBlock: null, toBlock: null, blockHash: null },
      { fromBlock: 'latest', toBlock: 'latest' },
    ],
    ['a lower height reaches to the latest block', { fromBlock: '0x1' }, { fromBlock: '0x1', toBlock: 'latest' }],
    ['height 0 has the bound 0x0', { fromBlock: '0x0', toBlock: '0x0' }, { fromBlock: '0x0', toBlock: '0x0' }],
    ['an upper height starts at the latest block', { toBlock: '0x5' }, { fromBlock: 'latest', toBlock: '0x5' }],
    ['two heights has both bounds', { fromBlock: '0x1', toBlock: '0x5' }, { fromBlock: '0x1', toBlock: '0x5' }],
    [
      'tags has their JSON-RPC names',
      { fromBlockTag: 'EARLIEST', toBlockTag: 'FINALIZED' },
      { fromBlock: 'earliest', toBlock: 'finalized' },
    ],
    ['a height and a tag has both bounds', { fromBlock: '0x1', toBlockTag: 'SAFE' }, { fromBlock: '0x1', toBlock: 'safe' }],
    ['toPending reaches to the pending block', { fromBlock: '0x1', toPending: true }, { fromBlock: '0x1', toBlock: 'pending' }],
    ['toPending: false ignores toPending', { toBlock: '0x5', toPending: false }, { fromBlock: 'latest', toBlock: '0x5' }],
    ['a block hash is that block', { blockHash: HASH }, { blockHash: HASH }],
    ['a block hash with toPending: false is that block', { blockHash: HASH, toPending: false }, { blockHash: HASH }],
    ['a block hash with null bounds is that block', { blockHash: HASH, fromBlock: null, toBlockTag: null }, { blockHash: HASH }],
  ])('block range of %s', (_case, criteria, range) => {
    expect(logRangeOf(criteria)).toEqual(range);
  });
});

describe('validation of a log filter', () => {
  const twoUpperBounds = 'Too many bounds. Pass at most one of toBlock, toBlockTag and toPending.';
  const hashWithBounds = 'Invalid log filter. Pass either blockHash or other block bounds.';
  test.each<[string, LogCriteria, string]>([
    [
      'a first height above the last one, whose texts sort the other way',
      { fromBlock: '0x10', toBlock: '0x9' },
      'Invalid log filter: `fromBlock` is above `toBlock`. Pass a first and a last height in order.',
    ],
    [
      'two lower bounds',
      { fromBlock: '0x1', fromBlockTag: 'EARLIEST' },
      'Too many bounds. Pass at most one of fromBlock and fromBlockTag.',
    ],
    ['two upper bounds', { toBlock: '0x5', toBlockTag: 'LATEST' }, twoUpperBounds],
    ['a height with toPending', { toBlock: '0x5', toPending: true }, twoUpperBounds],
    ['a tag with toPending', { toBlockTag: 'LATEST', toPending: true }, twoUpperBounds],
    ['a block hash with a lower height', { blockHash: HASH, fromBlock: '0x0' }, hashWithBounds],
    ['a block hash with a tag', { blockHash: HASH, toBlockTag: 'LATEST' }, hashWithBounds],
    ['a block hash with toPending', { blockHash: HASH, toPending: true }, hashWithBounds],
  ])('log filter validation returns BAD_USER_INPUT for %s', (_case, criteria, message) => {
    expect(() => logRangeOf(criteria)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  test('log filter validation returns BAD_USER_INPUT for five topic positions, even if they are empty', () => {
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
])('log filter validation accepts topics: %s', (_case, filter) => {
  expect(() => checkTopics(filter)).not.toThrow();
});
