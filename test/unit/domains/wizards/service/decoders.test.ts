import { describe, expect, test } from '@jest/globals';
import { InvalidEntry } from '../../../../../src/domains/wizards/model.ts';
import {
  countFieldConflicts,
  decodeDuel,
  decodeEntryList,
  decodeWizard,
  ID_PATTERN,
} from '../../../../../src/domains/wizards/service/decoders.ts';
import { addressOf, hashOf } from '../../../../support/graph/stubbed-graph.ts';
import { readSeed as newSeed, random } from '../../../../support/random-tests.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../../../support/upstream/scripted-wizard-service.ts';

const without = (object: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

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

describe('a wizard is read', () => {
  test.each<[string, Record<string, unknown>, Partial<typeof WIZARD> | object]>([
    ['as the service sends it now', {}, {}],
    [
      'with numbers as texts and texts as numbers',
      { id: 1, affinity: '3', initialPower: 7, createdBlockNumber: '1' },
      { initialPower: '7' },
    ],
    ['with the owner in any case', { owner: `0x${'A1'.padStart(40, '0')}` }, {}],
    ['with an affinity that is new', { affinity: 5 }, { affinity: 'UNKNOWN' }],
    ['with an affinity that is no number', { affinity: 'FIRE' }, { affinity: 'UNKNOWN' }],
    ['with an affinity that is empty', { affinity: '' }, { affinity: 'UNKNOWN' }],
    ['without an affinity', { affinity: undefined }, { affinity: 'UNKNOWN' }],
    ['with an affinity not chosen', { affinity: 0 }, { affinity: 'NOTSET' }],
    ['eliminated', { eliminatedBlockNumber: 9 }, { eliminatedBlockNumber: '0x9' }],
    ['without a word on its elimination', { eliminatedBlockNumber: undefined }, {}],
    ['with leading zeros in its power', { power: '007' }, { power: '7' }],
    ['with a power beyond 256 bits', { power: String(2n ** 400n) }, { power: String(2n ** 400n) }],
    ['with fields that are only announced', { molded: false, currentDuel: null }, {}],
    ['with both names of its first power, of which the new one wins', { startingPower: '5' }, {}],
  ])('%s', (_how, changes, read) => {
    expect(decodeWizard(wizardFixture(1, { affinity: 3, ...changes }))).toEqual({ ...WIZARD, ...read });
  });

  test('with the earlier name of its first power', () => {
    const { initialPower, ...wire } = wizardFixture(1, { affinity: 3 });
    expect(decodeWizard({ ...wire, startingPower: initialPower })).toEqual(WIZARD);
  });

  test.each<[string, unknown, string]>([
    ['a number that was rounded as its power', { power: 1e21 }, 'power'],
    ['a fraction as its power', { power: '1.5' }, 'power'],
    ['a power below zero', { power: '-1' }, 'power'],
    ['a power of too many digits', { power: '1'.repeat(1001) }, 'power'],
    ['no power', { power: null }, 'power'],
    ['an owner that is none', { owner: 'alice' }, 'ownerAddress'],
    ['a height that is none', { createdBlockNumber: -1 }, 'createdBlockNumber'],
    ['an elimination at no height', { eliminatedBlockNumber: 'yesterday' }, 'eliminatedBlockNumber'],
    ['no id', { id: '' }, 'id'],
    ['an id of two words', { id: 'a b' }, 'id'],
    ['an id that would be another path', { id: '..' }, 'id'],
    ['an id that would be two in a list', { id: '1,2' }, 'id'],
    ['an id of too many characters', { id: '1'.repeat(201) }, 'id'],
  ])('not with %s, which the error names', (_what, changes, field) => {
    const told = decodeWizard(wizardFixture(1, changes as Record<string, unknown>)) as InvalidEntry<object>;
    expect(told).toBeInstanceOf(InvalidEntry);
    expect(told.error.message).toBe(`The wizard service sent a wizard that cannot be read: ${field}.`);
    expect(told.error.extensions).toEqual({ code: 'UPSTREAM_BAD_RESPONSE', retryable: true, source: 'wizard' });
  });

  test.each([null, 7, 'wizard', [], [[]], {}])('not from %j', (value) => {
    expect(decodeWizard(value)).toBeInstanceOf(InvalidEntry);
  });
});

describe('a duel is read', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['as the service sends it now', {}, {}],
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
    ['with numbers as texts and texts as numbers', { wizard1Id: 1, startPower1: 100, endBlock: '2', timedOut: 'false' }, {}],
    ['with both names of its start power, of which the new one wins', { power1: '5' }, {}],
    ['with both names of its start power, the new one null', { startPower1: null, power1: '5' }, { startPower1: null }],
    [
      'without what the earlier revision lacks',
      { affinity1: undefined, timeoutBlock: undefined, timedOut: undefined, isAscensionBattle: undefined },
      { affinity1: 'UNKNOWN', timeoutBlockNumber: null, timedOut: null, isAscensionBattle: null },
    ],
  ])('%s', (_how, changes, read) => {
    expect(decodeDuel(duelFixture(1, changes))).toEqual({ ...DUEL, ...read });
  });

  test('with its earlier names', () => {
    const wire = duelFixture(1);
    const before = {
      ...without(wire, 'id', 'wizard1Id', 'wizard2Id', 'startPower1', 'startPower2'),
      duelId: wire.id,
      wiz1Id: 1,
      wiz2Id: '2',
      power1: 100,
      power2: '100',
    };
    expect(decodeDuel(before)).toEqual(DUEL);
  });

  test('not with half a byte of moves, and what else it tells is kept', () => {
    const told = decodeDuel(duelFixture(1, { moveSet1: '0x020' })) as InvalidEntry<object>;
    expect(told.error.message).toBe('The wizard service sent a duel that cannot be read: moveSet1.');
    expect(told.partial).toMatchObject({ wizard1Id: '1', startBlockNumber: '0x1' });
  });
});

describe('a list is read', () => {
  const list = [wizardFixture(1), wizardFixture(2)];

  test.each([
    ['bare', list],
    ['in an object', { wizards: list }],
    ['in an object with more', { wizards: list, total: 2 }],
    ['with entries that repeat', [...list, list[0]]],
  ])('%s', async (_how, body) => {
    expect(await decodeEntryList('wizards', body, decodeWizard)).toEqual(list.map(decodeWizard));
  });

  test.each([null, {}, { duels: [] }, { wizards: {} }, 'wizards', 7])('not from %j', async (body) => {
    await expect(decodeEntryList('wizards', body, decodeWizard)).rejects.toThrow('The wizard service sent no list of wizards.');
  });

  test('up to 500,000 entries, more than 64 MiB of duels or wizards have; more are RESULT_TOO_LARGE', async () => {
    const numbers = { affinity: 1, initialPower: '1', power: '1', createdBlockNumber: 1, eliminatedBlockNumber: null };
    const smallest = { id: '1', owner: addressOf(1), ...numbers };
    expect(JSON.stringify(smallest).length * 500_000).toBeGreaterThan(64 * 1024 * 1024);
    const nothing = Array.from({ length: 500_000 }, () => null);
    expect(await decodeEntryList('wizards', nothing, decodeWizard)).toHaveLength(500_000);
    await expect(decodeEntryList('wizards', [...nothing, null], decodeWizard)).rejects.toMatchObject({
      message: 'The wizard service sent a list of 500001 wizards. A list may have 500000 entries.',
      extensions: { code: 'RESULT_TOO_LARGE', source: 'wizard', retryable: false, limit: 500_000, actual: 500_001 },
    });
  });
});

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const orNull = (test: (value: unknown) => boolean) => (value: unknown) => value === null || test(value);

/** What a field that was read may hold. */
const FACTS: readonly (readonly [RegExp, (value: unknown) => boolean])[] = [
  [/^(initialPower|power)$/, matches(/^(0|[1-9][0-9]{0,999})$/)],
  [/Power/, orNull(matches(/^(0|[1-9][0-9]{0,999})$/))],
  [/^(created|start)BlockNumber$/, matches(/^0x(0|[1-9a-f][0-9a-f]{0,15})$/)],
  [/BlockNumber$/, orNull(matches(/^0x(0|[1-9a-f][0-9a-f]{0,15})$/))],
  [/^ownerAddress$/, matches(/^0x[0-9a-f]{40}$/)],
  [/^moveSet/, orNull(matches(/^0x([0-9a-f]{2})*$/))],
  [/^affinity/, matches(/^(UNKNOWN|NOTSET|NEUTRAL|FIRE|WIND|WATER)$/)],
  [/^(timedOut|isAscensionBattle)$/, orNull((value) => typeof value === 'boolean')],
  [/[iI]d$/, matches(ID_PATTERN)],
];

describe('shapes that have drifted', () => {
  const seed = newSeed();
  const draw = random(seed);
  const below = (n: number) => Math.floor(draw() * n);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const NOISE: readonly unknown[] = [
    null,
    undefined,
    '',
    '0x',
    '-1',
    -1,
    1.5,
    1e21,
    Number.NaN,
    true,
    [],
    {},
    '9'.repeat(2000),
    'no',
    '\u0000',
    '0xZZ',
    [1],
    {
      toString: 1,
    },
  ];

  /** The same thing in another spelling that means it. */
  const respelt = (value: unknown): unknown => {
    if (typeof value === 'number') return one([value, String(value), `00${value}`]);
    if (typeof value === 'string' && /^[0-9]{1,15}$/.test(value)) return one([value, Number(value)]);
    if (typeof value === 'string' && value.startsWith('0x')) return one([value, `0x${value.slice(2).toUpperCase()}`]);
    if (typeof value === 'boolean') return one([value, String(value)]);
    return value;
  };
  const BEFORE: Record<string, string> = {
    initialPower: 'startingPower',
    wizard1Id: 'wiz1Id',
    wizard2Id: 'wiz2Id',
    startPower1: 'power1',
    startPower2: 'power2',
  };
  const drifted = (object: object) =>
    Object.fromEntries(
      Object.entries(object)
        .map(([name, value]) => [draw() < 0.5 ? (BEFORE[name] ?? name) : name, respelt(value)] as const)
        .sort(() => draw() - 0.5),
    );

  test(`mean the same in other spellings (seed ${seed})`, () => {
    for (let i = 0; i < 2_000; i++) {
      const wizard = wizardFixture(1 + below(99), { power: String(below(1e9)), eliminatedBlockNumber: one([null, below(1e6)]) });
      const duel = duelFixture(1 + below(99), one([{}, DUEL_IN_PROGRESS, { timedOut: true }]));
      expect([seed, decodeWizard(drifted(wizard))]).toEqual([seed, decodeWizard(wizard)]);
      expect([seed, decodeDuel(drifted(duel))]).toEqual([seed, decodeDuel(duel)]);
    }
  });

  test(`never throw, and never pass off noise as a fact (seed ${seed})`, () => {
    for (let i = 0; i < 5_000; i++) {
      const [wire, read] = one([
        [{ ...wizardFixture(1) } as Record<string, unknown>, decodeWizard],
        [{ ...duelFixture(1) } as Record<string, unknown>, decodeDuel],
      ] as const);
      for (let n = 1 + below(4); n > 0; n--) wire[one(Object.keys(wire))] = one(NOISE);
      const told = read(wire);
      if (told instanceof InvalidEntry) continue;
      for (const [name, value] of Object.entries(told)) {
        const isSound = FACTS.find(([pattern]) => pattern.test(name))![1](value);
        expect([seed, name, value, isSound]).toEqual([seed, name, value, true]);
      }
    }
  });
});

test.each<[string, unknown, number]>([
  ['nothing', null, 0],
  ['a page', '<html>', 0],
  ['one name each', { wizards: [wizardFixture(1)] }, 0],
  ['both names with the same', [{ id: hashOf(1), duelId: hashOf(1) }], 0],
  ['both names of one entry', { ...wizardFixture(1), startingPower: '5' }, 1],
  ['both names in a bare list', [null, { wizard1Id: '1', wiz1Id: '2', wizard2Id: '2', wiz2Id: '3' }], 2],
  [
    'both names in a list',
    { duels: [duelFixture(1, { duelId: hashOf(9) }), duelFixture(2), duelFixture(3, { power1: '1' })] },
    2,
  ],
  ['a list that is too long to be read', Array.from({ length: 500_001 }, () => ({ wizard1Id: '1', wiz1Id: '2' })), 0],
])('of %s the contradictions are counted', async (_what, body, count) => {
  expect(await countFieldConflicts(body)).toBe(count);
});
