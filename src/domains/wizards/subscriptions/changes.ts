import { forEachInSlices } from '../array-slices.ts';
import { type Duel, Malformed, type Told, type Wizard } from '../model.ts';

/** What is compared of an entry. */
export type Facts = readonly (string | boolean | null)[];

/** What was compared of the entries of a list, by their ids. Nothing else is kept of it: it can be long. */
export type Known = ReadonlyMap<string, Facts>;

export const wizardFacts = ({ ownerAddress, power, eliminatedBlockNumber }: Wizard): Facts => [
  ownerAddress,
  power,
  eliminatedBlockNumber,
];

/** The powers too: a reorg can give a duel another outcome at the same height. */
export const duelFacts = (duel: Duel): Facts => [
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
export async function changesIn<T extends { readonly id: string }>(
  before: Known | undefined,
  list: readonly Told<T>[],
  factsOf: (entry: T) => Facts,
): Promise<{ readonly known: Known; readonly changed: readonly T[] }> {
  const known = new Map<string, Facts>();
  const changed: T[] = [];
  await forEachInSlices(list, (entry) => {
    const id = entry instanceof Malformed ? entry.part.id : entry.id;
    const was = id === undefined ? undefined : before?.get(id);
    if (entry instanceof Malformed) {
      if (was && !known.has(id!)) known.set(id!, was);
      return;
    }
    const facts = factsOf(entry);
    const isSame = was?.every((fact, i) => fact === facts[i]) ?? false;
    known.set(entry.id, isSame ? was! : facts);
    if (before && !isSame) changed.push(entry);
  });
  return { known, changed };
}
