import { compareIntegers, type Quantity } from '../../../ethereum/hex.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import { forEachYielding } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type Duel, InvalidEntry, type ServiceEntry } from '../model.ts';
import type { EntryList } from '../pages.ts';
import { DuelRecord, winnerIdOf } from '../rounds.ts';
import { createServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import type { WizardStreams } from '../subscriptions/index.ts';
import { duelLoader } from './duels.ts';
import { wizardLoader } from './wizards.ts';

export type WizardLoaders = ReturnType<typeof wizardLoaders>;

/** Creates the wizard loaders of one operation. All operations share `service` and `streams`. */
export function wizardLoaders(service: WizardServiceClient, streams: WizardStreams, snapshot: Snapshot) {
  const read = createServiceReader(service, snapshot);
  const duels = duelLoader(read);

  /** The duel in progress of a wizard, the one that started last if there are several; null if there is none. */
  const activeDuels = createEntityLoader(async (id: string) => {
    let active: Duel | null = null;
    let invalid: InvalidEntry<Duel> | undefined;
    await forEachEntry(await duels.duelsOf(id, { excludeFinished: true }), (entry) => {
      if (entry instanceof InvalidEntry) invalid ??= entry;
      else if (!active || startsLater(entry, active)) active = entry;
    });
    // An invalid entry may be the active duel.
    if (!active && invalid) throw invalid.error;
    return active;
  }, byId);

  /** Counts the duels of a wizard by outcome. Rejects if one of them is invalid, since the counts would then be wrong. */
  const records = createEntityLoader(async ({ id, filter }: { readonly id: string; readonly filter: DuelFilter }) => {
    const record = new DuelRecord();
    let isComplete = true;
    await forEachEntry(await duels.duelsOf(id, filter), (entry) => {
      if (entry instanceof InvalidEntry) throw entry.error;
      if (!record.add(id, entry)) isComplete = false;
    });
    return isComplete ? record : null;
  }, byIdAndFilter);

  /** Counts the duels that each wizard has won. Rejects if one of them is invalid. */
  const winCounts = createEntityLoader(async (filter: DuelFilter) => {
    const counts = new Map<string, number>();
    await forEachEntry(await duels.duels(filter), (entry) => {
      if (entry instanceof InvalidEntry) throw entry.error;
      const winner = winnerIdOf(entry);
      if (winner) counts.set(winner, (counts.get(winner) ?? 0) + 1);
    });
    return counts;
  }, JSON.stringify);

  return Object.assign(wizardLoader(read), duels, {
    streams,
    activeDuel: (id: string) => activeDuels.load(id),
    record: (id: string, filter: DuelFilter) => records.load({ id, filter }),
    winCounts: (filter: DuelFilter) => winCounts.load(filter),
    /** Whether a height is at or below the operation's head. */
    isReached: (number: Quantity): Promise<boolean> => snapshot.pin.isReached(number),
  });
}

const byId = (id: string): string => id;
const byIdAndFilter = (key: { readonly id: string; readonly filter: DuelFilter }): string => JSON.stringify(key);

const startsLater = (duel: Duel, other: Duel): boolean => compareIntegers(duel.startBlockNumber, other.startBlockNumber) > 0;

/** Calls `step` for each entry of a list. */
const forEachEntry = ({ items, matches, budget }: EntryList<Duel>, step: (entry: ServiceEntry<Duel>) => void): Promise<void> =>
  forEachYielding(items, budget, (entry) => {
    if (!matches || matches(entry)) step(entry);
  });
