import { OperationBudget } from '../../../budget/operation-budget.ts';
import { forEachYielding } from '../../../budget/yielding-loops.ts';
import { type Duel, InvalidEntry, type ServiceEntry, type Wizard } from '../model.ts';

/** The fields of an entry whose change is an update. */
export type EntryFingerprint = readonly (string | boolean | null)[];

/** Fingerprints of a list by entry id. Stored instead of the entries, because the list can be long. */
export type EntryFingerprints = ReadonlyMap<string, EntryFingerprint>;

/** The fields of a wizard that `wizardUpdates` compares. */
export const wizardFingerprint = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): EntryFingerprint => [
  ownerAddress,
  power,
  eliminatedBlockNumber,
];

/** The fields of a duel that `duelUpdates` compares. Includes the powers: a reorg can change the outcome of a duel without changing its end block. */
export const duelFingerprint = (duel: Duel): EntryFingerprint => [
  duel.startBlockNumber,
  duel.endBlockNumber,
  duel.timeoutBlockNumber,
  duel.timedOut,
  duel.endPower1,
  duel.endPower2,
];

/**
 * Returns the entries that are new or changed since the previous list, in list order; none if there is no previous list. An invalid entry
 * keeps its previous fingerprint until it is valid again; the fingerprint of a missing entry is dropped.
 */
export async function diffEntries<T extends { readonly id: string }>(
  previous: EntryFingerprints | undefined,
  list: readonly ServiceEntry<T>[],
  fingerprintOf: (entry: T) => EntryFingerprint,
): Promise<{ readonly fingerprints: EntryFingerprints; readonly changed: readonly T[] }> {
  const fingerprints = new Map<string, EntryFingerprint>();
  const changed: T[] = [];
  await forEachYielding(list, new OperationBudget(), (entry) => {
    const id = entry instanceof InvalidEntry ? entry.partial.id : entry.id;
    const before = id === undefined ? undefined : previous?.get(id);
    if (entry instanceof InvalidEntry) {
      if (before && !fingerprints.has(id!)) fingerprints.set(id!, before);
      return;
    }
    const now = fingerprintOf(entry);
    const isSame = before?.every((value, i) => value === now[i]) ?? false;
    fingerprints.set(entry.id, isSame ? before! : now);
    if (previous && !isSame) changed.push(entry);
  });
  return { fingerprints, changed };
}
