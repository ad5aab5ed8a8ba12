import type { Logger } from 'pino';
import { GraphError } from '../../../errors.ts';
import type { DuelFilter } from '../../../generated/wizards.ts';
import type { Stream } from '../../../graphql/stream.ts';
import type { Feed } from '../../../sync/feed.ts';
import { duelsMatching, idsIn, idsOf } from '../filters.ts';
import { openReader, type WizardService } from '../loaders/service-reader.ts';
import type { Duel, Wizard } from '../model.ts';
import { type Read, wizardsBy } from '../service.ts';
import { duelFacts, wizardFacts } from './changes.ts';
import { openDuelList } from './duel-list.ts';
import { openWatch, type Watch } from './watcher.ts';

/** What tells that it is time to look at the tournament again. */
export interface LiveSources {
  readonly feed: Pick<Feed, 'head' | 'heads'>;
  readonly log: Logger;
}

export interface WizardUpdates {
  readonly wizardUpdates: Wizard;
}

export interface DuelUpdates {
  readonly duelUpdates: Duel;
}

/** The streams of the tournament, by the field of `Subscription` that gives each. */
export type Live = ReturnType<typeof openLive>;

/** Opens the streams of one process. Nothing is asked until somebody subscribes. */
export function openLive({ feed, log }: LiveSources, service: WizardService) {
  /** As operations read, so that those over an event find what the look has brought. */
  const reader = (signal: AbortSignal): Read => openReader(service, { operation: { signal, isVolatile: true }, follower: feed });
  const wizards = openWatch({ feed, log, openList: () => (signal) => wizardsBy(reader(signal), {}), factsOf: wizardFacts });
  const duels = openWatch({ feed, log, openList: () => openDuelList(reader, () => feed.head?.height), factsOf: duelFacts });
  return {
    wizardUpdates: (ids: readonly string[] | null | undefined) => wizardUpdates(wizards, ids),
    duelUpdates: (filter: DuelFilter) => duelUpdates(duels, filter),
  };
}

/** Wizards that have changed, those of some ids. Throws BAD_USER_INPUT for too many. Source: the watch of the list of wizards. */
function wizardUpdates(watch: Watch<Wizard>, ids: readonly string[] | null | undefined): Stream<WizardUpdates> {
  const wanted = idsOf('ids', ids);
  const isWanted = new Set(wanted);
  return {
    open: ({ next, end }) =>
      watch.join({
        next({ entries, head }) {
          const told = wanted ? entries.filter(({ id }) => isWanted.has(id)) : entries;
          if (told.length > 0) next(told.map((wizard) => ({ root: { wizardUpdates: wizard }, block: head })));
        },
        end,
      }),
  };
}

/** Duels that have changed, those that a filter applies to then. Throws BAD_USER_INPUT for too many ids. Source: the watch of the list of duels. */
function duelUpdates(watch: Watch<Duel>, filter: DuelFilter): Stream<DuelUpdates> {
  idsIn(filter);
  return {
    open: ({ next, end }) =>
      watch.join({
        next({ entries, head }) {
          const told = duelsMatching(entries, filter) as readonly Duel[];
          if (told.length > 0) next(told.map((duel) => ({ root: { duelUpdates: duel }, block: head })));
        },
        end,
      }),
  };
}

const refuse = (): never => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The chain is not followed here, so nothing says when to look at the tournament.');
};

/** Where the chain is not followed, both are refused. */
export const NO_LIVE: Live = { wizardUpdates: refuse, duelUpdates: refuse };
