import type { Quantity } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type Duel, entryOrError, InvalidEntry, type ServiceEntry } from '../model.ts';
import { recordOf } from '../rounds.ts';
import { createServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import type { WizardStreams } from '../subscriptions/index.ts';
import { duelLoader } from './duels.ts';
import { wizardLoader } from './wizards.ts';

/** State that the loaders of all operations share. */
export interface WizardLoaderSources {
  readonly service: WizardServiceClient;
  readonly streams: WizardStreams;
}

export type WizardLoaders = ReturnType<typeof wizardLoaders>;

/** Creates the wizard loaders of one operation. */
export function wizardLoaders({ service, streams }: WizardLoaderSources, snapshot: Snapshot) {
  const read = createServiceReader(service, snapshot);
  const wizards = wizardLoader(read);
  const duels = duelLoader(read);

  return {
    streams,

    /** One wizard; null if the id is unknown. */
    wizard: wizards.wizard,
    /** All wizards that match a filter. */
    wizards: wizards.list,
    /** The wizards of an owner that match a filter. */
    wizardsOf: wizards.of,
    /** One duel; null if the id is unknown. */
    duel: duels.duel,
    /** All duels that match a filter. */
    duels: duels.list,
    /** The duels of a wizard that match a filter. One GET for all wizards of a page. */
    duelsOf: duels.of,
    /** The duels that started or ended at a height. */
    duelsAt: duels.at,

    /** The duel in progress of a wizard, the one that started last if there are several; null if there is none. */
    async activeDuel(id: string): Promise<Duel | null> {
      const entries = await duels.of(id, { excludeFinished: true });
      const active = entries.filter((entry) => !(entry instanceof InvalidEntry)) as readonly Duel[];
      // An invalid entry may be the active duel.
      if (active.length === 0) throwIfInvalid(entries);
      return active.reduce<Duel | null>((last, duel) => (last && !startsLater(duel, last) ? last : duel), null);
    },

    /** Counts the duels of a wizard by outcome. Rejects if one of them is invalid, since the counts would then be wrong. */
    async record(id: string) {
      const entries = await duels.of(id, {});
      throwIfInvalid(entries);
      return recordOf(id, entries as readonly Duel[]);
    },

    /** Whether a height is at or below the operation's head. */
    async isReached(number: Quantity): Promise<boolean> {
      const head = await snapshot.pin.head();
      return BigInt(number) <= BigInt(head.number);
    },
  };
}

const startsLater = (duel: Duel, other: Duel): boolean => BigInt(duel.startBlockNumber) > BigInt(other.startBlockNumber);

function throwIfInvalid(entries: readonly ServiceEntry<Duel>[]): void {
  const invalid = entries.find((entry) => entry instanceof InvalidEntry);
  if (invalid) throw entryOrError(invalid);
}
