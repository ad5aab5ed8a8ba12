import type { Logger } from 'pino';
import { GraphError } from '../../../errors.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { Duel, Wizard } from '../model.ts';
import { distinctIds, distinctWizardIds, filterDuels } from '../service/filters.ts';
import { createServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import { fetchWizards, type ServiceReader } from '../service/wizard-service.ts';
import { createDuelListReader } from './duel-list-reader.ts';
import { duelFingerprint, wizardFingerprint } from './entry-diff.ts';
import { createListWatch, type ListWatch } from './list-watch.ts';

/** What tells that it is time to look at the tournament again. */
export interface WizardStreamSources {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  readonly log: Logger;
}

export interface WizardUpdates {
  readonly wizardUpdates: Wizard;
}

export interface DuelUpdates {
  readonly duelUpdates: Duel;
}

/** The streams of the tournament, by the field of `Subscription` that gives each. */
export type WizardStreams = ReturnType<typeof createWizardStreams>;

/** Opens the streams of one process. Nothing is asked until somebody subscribes. */
export function createWizardStreams({ feed, log }: WizardStreamSources, service: WizardServiceClient) {
  /** As operations read, so that those over an event find what the look has brought. */
  const reader = (signal: AbortSignal): ServiceReader =>
    createServiceReader(service, { operation: { signal, isVolatile: true }, follower: feed });
  const wizards = createListWatch({
    feed,
    log,
    createListReader: () => (signal) => fetchWizards(reader(signal), {}),
    fingerprintOf: wizardFingerprint,
  });
  const duels = createListWatch({
    feed,
    log,
    createListReader: () => createDuelListReader(reader, () => feed.head?.height),
    fingerprintOf: duelFingerprint,
  });
  return {
    wizardUpdates: (ids: readonly string[] | null | undefined) => wizardUpdates(wizards, ids),
    duelUpdates: (filter: DuelFilter) => duelUpdates(duels, filter),
  };
}

/** Wizards that have changed, those of some ids. Throws BAD_USER_INPUT for too many. Source: the watch of the list of wizards. */
function wizardUpdates(watch: ListWatch<Wizard>, ids: readonly string[] | null | undefined): SourceStream<WizardUpdates> {
  const wanted = distinctIds('ids', ids);
  const isWanted = new Set(wanted);
  return {
    subscribe: ({ next, end }) =>
      watch.subscribe({
        next({ entries, head }) {
          const told = wanted ? entries.filter(({ id }) => isWanted.has(id)) : entries;
          if (told.length > 0) next(told.map((wizard) => ({ root: { wizardUpdates: wizard }, block: head })));
        },
        end,
      }),
  };
}

/** Duels that have changed, those that a filter applies to then. Throws BAD_USER_INPUT for too many ids. Source: the watch of the list of duels. */
function duelUpdates(watch: ListWatch<Duel>, filter: DuelFilter): SourceStream<DuelUpdates> {
  distinctWizardIds(filter);
  return {
    subscribe: ({ next, end }) =>
      watch.subscribe({
        next({ entries, head }) {
          const told = filterDuels(entries, filter) as readonly Duel[];
          if (told.length > 0) next(told.map((duel) => ({ root: { duelUpdates: duel }, block: head })));
        },
        end,
      }),
  };
}

const throwNotSupported = (): never => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The chain is not followed here, so nothing says when to look at the tournament.');
};

/** Where the chain is not followed, both are refused. */
export const UNSUPPORTED_WIZARD_STREAMS: WizardStreams = { wizardUpdates: throwNotSupported, duelUpdates: throwNotSupported };
