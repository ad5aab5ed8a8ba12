import type { Quantity } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { type Duel, entryOrError, InvalidEntry, type ServiceEntry } from '../model.ts';
import { recordOf } from '../rounds.ts';
import { createServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import type { WizardStreams } from '../subscriptions/index.ts';
import { duelLoader } from './duels.ts';
import { wizardLoader } from './wizards.ts';

/** What the loaders of all operations share. */
export interface WizardLoaderSources {
  readonly service: WizardServiceClient;
  /** The streams of the tournament. */
  readonly streams: WizardStreams;
}

export type WizardLoaders = ReturnType<typeof wizardLoaders>;

/** Everything of the tournament that one operation asks for. */
export function wizardLoaders({ service, streams }: WizardLoaderSources, view: Snapshot) {
  const read = createServiceReader(service, view);
  const wizards = wizardLoader(read);
  const duels = duelLoader(read);

  return {
    live: streams,

    /** One wizard as it is now; null when the id is unknown. */
    wizard: wizards.wizard,
    /** All wizards to which a filter applies. */
    wizards: wizards.list,
    /** Those of an account, now. */
    wizardsOf: wizards.of,
    /** One duel; null when the id is unknown. */
    duel: duels.duel,
    /** All duels to which a filter applies. */
    duels: duels.list,
    /** Those of a wizard; of all wizards of a tick they are one GET. */
    duelsOf: duels.of,
    /** Those that began, or ended, at a height. */
    duelsAt: duels.at,

    /** The duel in progress that a wizard is in; the one that began last, were there several. */
    async activeDuel(id: string): Promise<Duel | null> {
      const told = await duels.of(id, { excludeFinished: true });
      const active = told.filter((one) => !(one instanceof InvalidEntry)) as readonly Duel[];
      // Whether one that cannot be read is the one, nobody knows.
      if (active.length === 0) throwIfInvalid(told);
      return active.reduce<Duel | null>((last, one) => (last && !isLater(one, last) ? last : one), null);
    },

    /** How the duels of a wizard ended. Rejects when one of them cannot be read: a count without it would be wrong. */
    async record(id: string) {
      const told = await duels.of(id, {});
      throwIfInvalid(told);
      return recordOf(id, told as readonly Duel[]);
    },

    /** Whether a height has been reached at the operation's head. */
    async isReached(number: Quantity): Promise<boolean> {
      const head = await view.pin.head();
      return BigInt(number) <= BigInt(head.number);
    },
  };
}

const isLater = (one: Duel, other: Duel): boolean => BigInt(one.startBlockNumber) > BigInt(other.startBlockNumber);

function throwIfInvalid(told: readonly ServiceEntry<Duel>[]): void {
  const malformed = told.find((one) => one instanceof InvalidEntry);
  if (malformed) throw entryOrError(malformed);
}
