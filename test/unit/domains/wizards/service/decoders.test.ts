import { describe, expect, test } from '@jest/globals';
import { InvalidEntry } from '../../../../../src/domains/wizards/model.ts';
import { decodeDuel, decodeEntryList, decodeWizard } from '../../../../../src/domains/wizards/service/decoders.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../../../support/upstream/scripted-wizard-service.ts';

const WIZARD = {
  id: '1',
  ownerAddress: `0x${'a1'.padStart(40, '0')}`,
  affinity: 'WIND',
  initialPower: '100000000000000000000',
  power: '100000000000000000001',
  createdBlockNumber: '0x1',
  eliminatedBlockNumber: null,
};

const DUEL = {
  id: hashOf(0xd1),
  wizard1Id: '1',
  wizard2Id: '2',
  affinity1: 'FIRE',
  affinity2: 'WIND',
  startPower1: '100',
  startPower2: '100',
  endPower1: '130',
  endPower2: '70',
  moveSet1: `0x0203040205${'00'.repeat(27)}`,
  moveSet2: `0x0304020202${'00'.repeat(27)}`,
  startBlockNumber: '0x1',
  endBlockNumber: '0x2',
  timeoutBlockNumber: '0x3e9',
  timedOut: false,
  isAscensionBattle: false,
};

const NO_CURRENT_NAMES = {
  id: undefined,
  wizard1Id: undefined,
  wizard2Id: undefined,
  startPower1: undefined,
  startPower2: undefined,
};

describe('decodeWizard', () => {
  test.each<[string, Record<string, unknown>, Partial<typeof WIZARD> | object]>([
    ['in the current format', {}, {}],
    [
      'with numbers as strings and strings as numbers',
      { id: 1, affinity: '3', initialPower: 7, createdBlockNumber: '1' },
      { initialPower: '7' },
    ],
    ['with an owner in upper case', { owner: `0x${'A1'.padStart(40, '0')}` }, {}],
    ['with an unknown affinity code', { affinity: 5 }, { affinity: 'UNKNOWN' }],
    ['with an affinity that is not a number', { affinity: 'FIRE' }, { affinity: 'UNKNOWN' }],
    ['with an empty affinity', { affinity: '' }, { affinity: 'UNKNOWN' }],
    ['without an affinity', { affinity: undefined }, { affinity: 'UNKNOWN' }],
    ['with the affinity code 0', { affinity: 0 }, { affinity: 'NOTSET' }],
    ['that is eliminated', { eliminatedBlockNumber: 9 }, { eliminatedBlockNumber: '0x9' }],
    ['without the field eliminatedBlockNumber', { eliminatedBlockNumber: undefined }, {}],
    ['with leading zeros in its power', { power: '007' }, { power: '7' }],
    ['with a power beyond 256 bits', { power: String(2n ** 400n) }, { power: String(2n ** 400n) }],
    ['with unknown fields', { molded: false, currentDuel: null }, {}],
    ['with both names of its initial power, preferring the current one', { startingPower: '5' }, {}],
    ['with the legacy name of its initial power', { initialPower: undefined, startingPower: '5' }, { initialPower: '5' }],
  ])('decodeWizard accepts a wizard %s', (_case, changes, expected) => {
    expect(decodeWizard(wizardFixture(1, { affinity: 3, ...changes }))).toEqual({ ...WIZARD, ...expected });
  });

  test.each<[string, unknown, string]>([
    ['a power above the safe integers', { power: 1e21 }, 'power'],
    ['a fractional power', { power: '1.5' }, 'power'],
    ['a negative power', { power: '-1' }, 'power'],
    ['a power of 1,001 digits', { power: '1'.repeat(1001) }, 'power'],
    ['no power', { power: null }, 'power'],
    ['an invalid owner', { owner: 'alice' }, 'ownerAddress'],
    ['a negative height', { createdBlockNumber: -1 }, 'createdBlockNumber'],
    ['an elimination height that is not a number', { eliminatedBlockNumber: 'yesterday' }, 'eliminatedBlockNumber'],
    ['an empty id', { id: '' }, 'id'],
    ['an id with a space', { id: 'a b' }, 'id'],
    ['an id that is a path segment', { id: '..' }, 'id'],
    ['an id with a comma', { id: '1,2' }, 'id'],
    ['an id of 201 characters', { id: '1'.repeat(201) }, 'id'],
  ])('decodeWizard returns an invalid entry that names the field for %s', (_case, changes, field) => {
    const entry = decodeWizard(wizardFixture(1, changes as Record<string, unknown>)) as InvalidEntry<object>;
    expect(entry).toBeInstanceOf(InvalidEntry);
    expect(entry.error.message).toBe(`The wizard service sent a wizard with missing or invalid fields: ${field}.`);
    expect(entry.error.extensions).toEqual({ code: 'UPSTREAM_BAD_RESPONSE', retryable: true, source: 'wizard' });
  });

  test.each([null, 7, 'wizard', [], [[]], {}])('decodeWizard returns an invalid entry for %j', (value) => {
    expect(decodeWizard(value)).toBeInstanceOf(InvalidEntry);
  });
});

describe('decodeDuel', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['in the current format', {}, {}],
    [
      'in progress',
      DUEL_IN_PROGRESS,
      {
        startPower1: null,
        startPower2: null,
        endPower1: null,
        endPower2: null,
        moveSet1: null,
        moveSet2: null,
        endBlockNumber: null,
      },
    ],
    ['with an id in upper case', { id: `0x${hashOf(0xd1).slice(2).toUpperCase()}` }, {}],
    ['with move sets without a prefix', { moveSet1: DUEL.moveSet1.slice(2) }, {}],
    ['with numbers as strings and strings as numbers', { wizard1Id: 1, startPower1: 100, endBlock: '2', timedOut: 'false' }, {}],
    ['with both names of its start power, preferring the current one', { power1: '5' }, {}],
    ['with both names of its start power, the current one null', { startPower1: null, power1: '5' }, { startPower1: null }],
    [
      'without the fields that the earlier revision lacks',
      { affinity1: undefined, timeoutBlock: undefined, timedOut: undefined, isAscensionBattle: undefined },
      { affinity1: 'UNKNOWN', timeoutBlockNumber: null, timedOut: null, isAscensionBattle: null },
    ],
    [
      'with the legacy field names',
      { ...NO_CURRENT_NAMES, duelId: hashOf(0xd1), wiz1Id: 1, wiz2Id: '2', power1: 100, power2: '100' },
      {},
    ],
  ])('decodeDuel accepts a duel %s', (_case, changes, expected) => {
    expect(decodeDuel(duelFixture(1, changes))).toEqual({ ...DUEL, ...expected });
  });

  test('decodeDuel returns an invalid entry with the readable fields for half a byte of moves', () => {
    const entry = decodeDuel(duelFixture(1, { moveSet1: '0x020' })) as InvalidEntry<object>;
    expect(entry.error.message).toBe('The wizard service sent a duel with missing or invalid fields: moveSet1.');
    expect(entry.partial).toMatchObject({ wizard1Id: '1', startBlockNumber: '0x1' });
  });
});

describe('decodeEntryList', () => {
  const list = [wizardFixture(1), wizardFixture(2)];

  test.each([
    ['bare', list],
    ['in an object', { wizards: list }],
    ['in an object with other fields', { wizards: list, total: 2 }],
    ['with repeated entries', [...list, list[0]]],
  ])('decodeEntryList accepts a list %s', async (_case, body) => {
    expect(await decodeEntryList('wizards', body, decodeWizard)).toEqual(list.map(decodeWizard));
  });

  test.each([null, {}, { duels: [] }, { wizards: {} }, 'wizards', 7])('decodeEntryList rejects %j', async (body) => {
    await expect(decodeEntryList('wizards', body, decodeWizard)).rejects.toThrow('The wizard service sent no list of wizards.');
  });

  test('decodeEntryList accepts 500,000 entries and rejects more with RESULT_TOO_LARGE', async () => {
    const numbers = { affinity: 1, initialPower: '1', power: '1', createdBlockNumber: 1, eliminatedBlockNumber: null };
    const smallest = { id: '1', owner: addressOf(1), ...numbers };
    expect(JSON.stringify(smallest).length * 500_000).toBeGreaterThan(64 * 1024 * 1024);
    const nulls = new Array<null>(500_000).fill(null);
    expect(await decodeEntryList('wizards', nulls, decodeWizard)).toHaveLength(500_000);
    await expect(decodeEntryList('wizards', [...nulls, null], decodeWizard)).rejects.toMatchObject({
      message: 'The wizard service sent a list of 500001 wizards. A list may have 500000 entries.',
      extensions: { code: 'RESULT_TOO_LARGE', source: 'wizard', retryable: false, limit: 500_000, actual: 500_001 },
    });
  });
});
