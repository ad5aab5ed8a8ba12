import { describe, expect, test } from '@jest/globals';
import { InvalidEntry, type ServiceEntry } from '../../../../../src/domains/wizards/model.ts';
import { decodeDuel, decodeEntryList, decodeWizard } from '../../../../../src/domains/wizards/service/decoders.ts';
import {
  diffEntries,
  duelFingerprint,
  type EntryFingerprint,
  type EntryFingerprints,
  wizardFingerprint,
} from '../../../../../src/domains/wizards/subscriptions/list-watch.ts';
import { random, readSeed, runSize } from '../../../../support/random-tests.ts';
import { addressOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../../../support/upstream/scripted-wizard-service.ts';

/** A kind of entry: changes that are updates, changes that are not, and changes that make an entry invalid. */
interface Kind {
  readonly make: (n: number) => any;
  readonly decode: (value: unknown) => ServiceEntry<any>;
  readonly fingerprintOf: (entry: any) => EntryFingerprint;
  readonly changes: readonly ((entry: any, n: number) => object)[];
  readonly ignoredChanges: readonly ((entry: any, n: number) => object)[];
  readonly invalidChanges: readonly object[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  wizards: {
    make: (n) => wizardFixture(n),
    decode: decodeWizard,
    fingerprintOf: wizardFingerprint,
    changes: [
      (_wizard, n) => ({ owner: addressOf(n) }),
      ({ power }) => ({ power: String(BigInt(power) + 1n) }),
      ({ eliminatedBlockNumber }, n) => ({ eliminatedBlockNumber: eliminatedBlockNumber === null ? n : null }),
    ],
    ignoredChanges: [
      ({ affinity }) => ({ affinity: (affinity + 1) % 5 }),
      ({ power }) => ({ power: `0${power}` }),
      ({ owner }) => ({ owner: owner.toUpperCase().replace('X', 'x') }),
      (_wizard, n) => ({ molded: n }),
    ],
    invalidChanges: [{ power: 'much' }, { owner: '0x12' }, { eliminatedBlockNumber: [] }],
  },
  duels: {
    make: (n) => duelFixture(n, DUEL_IN_PROGRESS),
    decode: decodeDuel,
    fingerprintOf: duelFingerprint,
    changes: [
      ({ endBlock }, n) => (endBlock === null ? { endBlock: n } : DUEL_IN_PROGRESS),
      ({ timedOut }) => ({ timedOut: !timedOut }),
      ({ timeoutBlock }) => ({ timeoutBlock: timeoutBlock + 1 }),
      ({ startBlock }) => ({ startBlock: startBlock + 1 }),
      (_duel, n) => ({ endPower1: String(n) }),
      (_duel, n) => ({ endPower2: String(n) }),
    ],
    ignoredChanges: [
      (_duel, n) => ({ affinity1: n % 5 }),
      ({ isAscensionBattle }) => ({ isAscensionBattle: !isAscensionBattle }),
      ({ timeoutBlock }) => ({ timeoutBlock: String(timeoutBlock) }),
    ],
    invalidChanges: [{ endBlock: -1 }, { timedOut: 'perhaps' }, { wizard1Id: null }],
  },
};

describe.each(Object.entries(KINDS))(
  'diffEntries of %s',
  (name, { make, decode, fingerprintOf, changes, ignoredChanges, invalidChanges }) => {
    const diff = async (previous: EntryFingerprints | undefined, list: readonly unknown[]) =>
      diffEntries(previous, await decodeEntryList(name, list, decode), fingerprintOf);

    test(`diffEntries of ${name} returns no changes for the first list, even an empty one`, async () => {
      expect((await diff(undefined, [make(1), make(2)])).changed).toEqual([]);
      const { fingerprints, changed } = await diff(undefined, []);
      expect([changed, (await diff(fingerprints, [make(1)])).changed.length]).toEqual([[], 1]);
    });

    test(`diffEntries of ${name} returns the entries whose compared fields changed`, async () => {
      const entry = make(7);
      const { fingerprints } = await diff(undefined, [make(6), entry]);
      for (const [i, change] of changes.entries()) {
        const changed = { ...entry, ...change(entry, 300 + i) };
        expect((await diff(fingerprints, [make(6), changed])).changed).toEqual([decode(changed)]);
      }
      for (const change of ignoredChanges) {
        expect((await diff(fingerprints, [{ ...entry, ...change(entry, 44) }, make(6)])).changed).toEqual([]);
      }
    });

    test(`diffEntries of ${name} ignores an invalid entry and compares it with its last valid state once it is valid again`, async () => {
      for (const invalidChange of invalidChanges) {
        const { fingerprints } = await diff(undefined, [make(1)]);
        const withInvalid = await diff(fingerprints, [{ ...make(1), ...invalidChange }]);
        expect(withInvalid.changed).toEqual([]);
        expect((await diff(withInvalid.fingerprints, [make(1)])).changed).toEqual([]);
        const changed = { ...make(1), ...changes[0]!(make(1), 400) };
        expect((await diff(withInvalid.fingerprints, [changed])).changed).toEqual([decode(changed)]);
        // Of two entries with one id the valid one counts, in either order.
        expect(
          (await diff((await diff(fingerprints, [changed, { ...make(1), ...invalidChange }])).fingerprints, [changed])).changed,
        ).toEqual([]);
        expect(
          (await diff((await diff(fingerprints, [{ ...make(1), ...invalidChange }, changed])).fingerprints, [changed])).changed,
        ).toEqual([]);
      }
    });

    test(`diffEntries of ${name} keeps a replica equal to random lists and returns no redundant change`, async () => {
      const seed = readSeed();
      const draw = random(seed);
      const below = (n: number) => Math.floor(draw() * n);
      const any = <T>(list: readonly T[]): T => list[below(list.length)]!;
      let list: any[] = [];
      let known: EntryFingerprints | undefined;
      /** Fingerprints of the replica, and the ids of the last list with a fingerprint. */
      const replica = new Map<string, string>();
      let last = new Set<string>();
      let next = 1;
      let counter = 1_000;
      let changedCount = 0;
      let unchangedCount = 0;
      for (let step = 0; step < runSize(150, 20_000); step++) {
        for (let moves = below(4); moves > 0; moves--) {
          const i = below(list.length);
          const roll = draw();
          if (roll < 0.25 || list.length === 0) list.splice(below(list.length + 1), 0, make(next++));
          else if (roll < 0.35) list.splice(i, 1);
          else if (roll < 0.45) list.reverse();
          else list[i] = { ...list[i], ...any(roll < 0.7 ? ignoredChanges : changes)(list[i], counter++) };
        }
        if (list.length > 12) list = list.slice(4);
        const shown = list.flatMap((entry) => {
          const roll = draw();
          const invalid = { ...entry, ...any(invalidChanges) };
          if (roll < 0.05) return [invalid];
          if (roll < 0.07) return [{ ...invalid, id: undefined }];
          if (roll < 0.09) return [entry, invalid];
          return roll < 0.11 ? [] : [entry];
        });
        const entries = await decodeEntryList(name, shown, decode);
        const readable = entries.filter((entry) => !(entry instanceof InvalidEntry));
        const isFirst = known === undefined;
        const result = await diffEntries(known, entries, fingerprintOf);
        known = result.fingerprints;
        const where = `SEED=${seed}, step ${step}`;
        // Each entry once, in the order of the list.
        expect({ where, changed: result.changed }).toEqual({
          where,
          changed: readable.filter((entry) => result.changed.includes(entry)),
        });
        for (const entry of readable) {
          const fingerprint = JSON.stringify(fingerprintOf(entry));
          const isChanged = result.changed.includes(entry);
          if (isFirst || isChanged) {
            expect({ where, isNew: isFirst || replica.get(entry.id) !== fingerprint || !last.has(entry.id) }).toEqual({
              where,
              isNew: true,
            });
            replica.set(entry.id, fingerprint);
          }
          expect({ where, id: entry.id, replica: replica.get(entry.id) }).toEqual({ where, id: entry.id, replica: fingerprint });
          if (isChanged) changedCount += 1;
          else unchangedCount += 1;
        }
        const before = last;
        last = new Set(readable.map(({ id }) => id));
        for (const entry of entries) {
          if (entry instanceof InvalidEntry && before.has(entry.partial.id)) last.add(entry.partial.id);
        }
        expect({ where, ids: new Set(known.keys()) }).toEqual({ where, ids: last });
      }
      expect([changedCount > 100, unchangedCount > 100]).toEqual([true, true]);
    });
  },
);
