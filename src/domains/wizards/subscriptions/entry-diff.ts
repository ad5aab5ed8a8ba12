import { type Duel, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';
import { forEachInSlices } from '../service/array-slices.ts';

/** What is compared of an entry. */
export type EntryFingerprint = readonly (string | boolean | null)[];

/** What was compared of the entries of a list, by their ids. Nothing else is kept of it: it can be long. */
export type EntryFingerprints = ReadonlyMap<string, EntryFingerprint>;

export const wizardFingerprint = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): EntryFingerprint => [
  ownerAddress,
  power,
  eliminatedBlockNumber,
];

/** The powers too: a reorg can give a duel another outcome at the same height. */
export const duelFingerprint = (duel: Duel): EntryFingerprint => [
  duel.startBlockNumber,
  duel.endBlockNumber,
  duel.timeoutBlockNumber,
  duel.timedOut,
  duel.endPower1,
  duel.endPower2,
];

/**
 * What a list has that it did not have before, or had otherwise, in its own order; nothing where there is no before. An entry that cannot be
 * read now is compared with what it was when it can be again. What has vanished is forgotten.
 */
export async function diffEntries<T extends { readonly id: string }>(
  before: EntryFingerprints | undefined,
  list: readonly ServiceEntry<T>[],
  factsOf: (entry: T) => EntryFingerprint,
): Promise<{ readonly fingerprints: EntryFingerprints; readonly changed: readonly T[] }> {
  const fingerprints = new Map<string, EntryFingerprint>();
  const changed: T[] = [];
  await forEachInSlices(list, (entry) => {
    const id = entry instanceof InvalidEntry ? entry.partial.id : entry.id;
    const was = id === undefined ? undefined : before?.get(id);
    if (entry instanceof InvalidEntry) {
      if (was && !fingerprints.has(id!)) fingerprints.set(id!, was);
      return;
    }
    const facts = factsOf(entry);
    const isSame = was?.every((fact, i) => fact === facts[i]) ?? false;
    fingerprints.set(entry.id, isSame ? was! : facts);
    if (before && !isSame) changed.push(entry);
  });
  return { fingerprints, changed };
}
