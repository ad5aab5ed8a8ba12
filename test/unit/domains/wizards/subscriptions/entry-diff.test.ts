import { describe, expect, test } from '@jest/globals';
import { InvalidEntry, type ServiceEntry } from '../../../../../src/domains/wizards/model.ts';
import { decodeDuel, decodeEntryList, decodeWizard } from '../../../../../src/domains/wizards/service/decoders.ts';
import {
  diffEntries,
  duelFingerprint,
  type EntryFingerprint,
  type EntryFingerprints,
  wizardFingerprint,
} from '../../../../../src/domains/wizards/subscriptions/entry-diff.ts';
import { addressOf } from '../../../../support/graph/stubbed-graph.ts';
import { readSeed as newSeed, random, runSize } from '../../../../support/random-tests.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../../../support/upstream/scripted-wizard-service.ts';

/** A list of the service, as it may develop: what counts as a change of an entry, what does not, and what makes it unreadable. */
interface Kind {
  readonly make: (n: number) => any;
  readonly read: (value: unknown) => ServiceEntry<any>;
  readonly factsOf: (entry: any) => EntryFingerprint;
  readonly changes: readonly ((entry: any, n: number) => object)[];
  readonly noChanges: readonly ((entry: any, n: number) => object)[];
  readonly spoils: readonly object[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  wizards: {
    make: (n) => wizardFixture(n),
    read: decodeWizard,
    factsOf: wizardFingerprint,
    changes: [
      (_wizard, n) => ({ owner: addressOf(n) }),
      ({ power }) => ({ power: String(BigInt(power) + 1n) }),
      ({ eliminatedBlockNumber }, n) => ({ eliminatedBlockNumber: eliminatedBlockNumber === null ? n : null }),
    ],
    noChanges: [
      ({ affinity }) => ({ affinity: (affinity + 1) % 5 }),
      ({ power }) => ({ power: `0${power}` }),
      ({ owner }) => ({ owner: owner.toUpperCase().replace('X', 'x') }),
      (_wizard, n) => ({ molded: n }),
    ],
    spoils: [{ power: 'much' }, { owner: '0x12' }, { eliminatedBlockNumber: [] }],
  },
  duels: {
    make: (n) => duelFixture(n, DUEL_IN_PROGRESS),
    read: decodeDuel,
    factsOf: duelFingerprint,
    changes: [
      ({ endBlock }, n) => (endBlock === null ? { endBlock: n } : DUEL_IN_PROGRESS),
      ({ timedOut }) => ({ timedOut: !timedOut }),
      ({ timeoutBlock }) => ({ timeoutBlock: timeoutBlock + 1 }),
      ({ startBlock }) => ({ startBlock: startBlock + 1 }),
      (_duel, n) => ({ endPower1: String(n) }),
      (_duel, n) => ({ endPower2: String(n) }),
    ],
    noChanges: [
      (_duel, n) => ({ affinity1: n % 5 }),
      ({ isAscensionBattle }) => ({ isAscensionBattle: !isAscensionBattle }),
      ({ timeoutBlock }) => ({ timeoutBlock: String(timeoutBlock) }),
    ],
    spoils: [{ endBlock: -1 }, { timedOut: 'perhaps' }, { wizard1Id: null }],
  },
};

describe.each(Object.entries(KINDS))('of %s', (name, { make, read, factsOf, changes, noChanges, spoils }) => {
  const at = async (before: EntryFingerprints | undefined, list: readonly unknown[]) =>
    diffEntries(before, await decodeEntryList(name, list, read), factsOf);

  test('the first list tells nothing, not even when it is empty', async () => {
    expect((await at(undefined, [make(1), make(2)])).changed).toEqual([]);
    const { fingerprints, changed } = await at(undefined, []);
    expect([changed, (await at(fingerprints, [make(1)])).changed.length]).toEqual([[], 1]);
  });

  test('each change that counts tells its entry as it is now, and no other does', async () => {
    const entry = make(7);
    const { fingerprints } = await at(undefined, [make(6), entry]);
    for (const [i, change] of changes.entries()) {
      const changed = { ...entry, ...change(entry, 300 + i) };
      expect((await at(fingerprints, [make(6), changed])).changed).toEqual([read(changed)]);
    }
    for (const change of noChanges) {
      expect((await at(fingerprints, [{ ...entry, ...change(entry, 44) }, make(6)])).changed).toEqual([]);
    }
  });

  test('what has vanished tells nothing, and is new when it comes again', async () => {
    const { fingerprints } = await at(undefined, [make(1), make(2)]);
    const without = await at(fingerprints, [make(2)]);
    expect(without.changed).toEqual([]);
    expect((await at(without.fingerprints, [make(1), make(2)])).changed).toEqual([read(make(1))]);
  });

  test('what cannot be read tells nothing, and is compared with what it was when it can be read again', async () => {
    for (const spoil of spoils) {
      const { fingerprints } = await at(undefined, [make(1)]);
      const spoilt = await at(fingerprints, [{ ...make(1), ...spoil }]);
      expect(spoilt.changed).toEqual([]);
      expect((await at(spoilt.fingerprints, [make(1)])).changed).toEqual([]);
      const changed = { ...make(1), ...changes[0]!(make(1), 400) };
      expect((await at(spoilt.fingerprints, [changed])).changed).toEqual([read(changed)]);
      // Of two entries with one id the readable one counts, wherever it stands.
      expect((await at((await at(fingerprints, [changed, { ...make(1), ...spoil }])).fingerprints, [changed])).changed).toEqual(
        [],
      );
      expect((await at((await at(fingerprints, [{ ...make(1), ...spoil }, changed])).fingerprints, [changed])).changed).toEqual(
        [],
      );
    }
  });

  test('any history leaves who applies what is told with the list as it is, and tells nothing that he has', async () => {
    const from = newSeed();
    const draw = random(from);
    const below = (n: number) => Math.floor(draw() * n);
    const any = <T>(list: readonly T[]): T => list[below(list.length)]!;
    let list: any[] = [];
    let known: EntryFingerprints | undefined;
    /** What the listener has, and what was in the last list, readable or known from before. */
    const has = new Map<string, string>();
    let last = new Set<string>();
    let next = 1;
    let counter = 1_000;
    let told = 0;
    let silent = 0;
    for (let step = 0; step < runSize(400, 20_000); step++) {
      for (let moves = below(4); moves > 0; moves--) {
        const i = below(list.length);
        const roll = draw();
        if (roll < 0.25 || list.length === 0) list.splice(below(list.length + 1), 0, make(next++));
        else if (roll < 0.35) list.splice(i, 1);
        else if (roll < 0.45) list.reverse();
        else list[i] = { ...list[i], ...any(roll < 0.7 ? noChanges : changes)(list[i], counter++) };
      }
      if (list.length > 12) list = list.slice(4);
      const shown = list.flatMap((entry) => {
        const roll = draw();
        const spoilt = { ...entry, ...any(spoils) };
        if (roll < 0.05) return [spoilt];
        if (roll < 0.07) return [{ ...spoilt, id: undefined }];
        if (roll < 0.09) return [entry, spoilt];
        return roll < 0.11 ? [] : [entry];
      });
      const entries = await decodeEntryList(name, shown, read);
      const readable = entries.filter((entry) => !(entry instanceof InvalidEntry));
      const isFirst = known === undefined;
      const result = await diffEntries(known, entries, factsOf);
      known = result.fingerprints;
      const where = `SEED=${from}, step ${step}`;
      // In the order of the list, each once.
      expect({ where, told: result.changed }).toEqual({
        where,
        told: readable.filter((entry) => result.changed.includes(entry)),
      });
      for (const entry of readable) {
        const facts = JSON.stringify(factsOf(entry));
        const isTold = result.changed.includes(entry);
        if (isFirst || isTold) {
          expect({ where, isNews: isFirst || has.get(entry.id) !== facts || !last.has(entry.id) }).toEqual({
            where,
            isNews: true,
          });
          has.set(entry.id, facts);
        }
        expect({ where, id: entry.id, has: has.get(entry.id) }).toEqual({ where, id: entry.id, has: facts });
        if (isTold) told += 1;
        else silent += 1;
      }
      const before = last;
      last = new Set(readable.map(({ id }) => id));
      for (const entry of entries) {
        if (entry instanceof InvalidEntry && before.has(entry.partial.id)) last.add(entry.partial.id);
      }
      expect({ where, kept: new Set(known.keys()) }).toEqual({ where, kept: last });
    }
    expect([told > 100, silent > 100]).toEqual([true, true]);
  });
});
