import type { Logger } from 'pino';
import type { DuelFilter } from '../../../generated/wizards.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { EventHub } from '../../../lib/event-hub.ts';
import { OperationBudget } from '../../../lib/operation-budget.ts';
import { ResponseDependencies } from '../../../operation/response-dependencies.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { distinctIds, duelMatcher } from '../service/filters.ts';
import { createServiceReader, type ServiceReader, type WizardServiceClient } from '../service/service-reader.ts';
import { fetchDuels, fetchWizards } from '../service/wizard-service.ts';
import { createListWatch, duelFingerprint, type ListChanges, wizardFingerprint } from './list-watch.ts';

/** The feed whose heads trigger a read of the lists, and the log. */
export interface WizardStreamSources {
  readonly feed: Pick<ChainFeed, 'head' | 'subscribeHeads'>;
  readonly log: Logger;
}

/** The event streams by field of `Subscription`. */
export type WizardStreams = ReturnType<typeof createWizardStreams>;

/** Creates the event streams of one process. The service is read only while there are subscribers. */
export function createWizardStreams({ feed, log }: WizardStreamSources, service: WizardServiceClient) {
  // Shares the operations' cache: an operation executed for an event finds the list in it.
  const reader = (signal: AbortSignal): ServiceReader =>
    createServiceReader(service, {
      operation: { signal, dependencies: new ResponseDependencies(), budget: new OperationBudget() },
      follower: feed,
    });
  const wizards = createListWatch({
    feed,
    log,
    readList: (signal) => fetchWizards(reader(signal), {}),
    fingerprintOf: wizardFingerprint,
  });
  const duels = createListWatch({
    feed,
    log,
    readList: (signal) => fetchDuels(reader(signal), {}),
    fingerprintOf: duelFingerprint,
  });
  return {
    /** Changed wizards, all or the wizards of some ids. Throws BAD_USER_INPUT for more than 500 ids. Source: `GET /wizards` on new heads. */
    wizardUpdates(ids: readonly string[] | null | undefined): SourceStream {
      const requestedIds = distinctIds('ids', ids);
      const idSet = requestedIds && new Set(requestedIds);
      return changesOf('wizardUpdates', wizards, idSet && (({ id }) => idSet.has(id)));
    },
    /** Changed duels whose new state matches a filter. Throws BAD_USER_INPUT for more than 500 wizard ids. Source: `GET /duels` on new heads. */
    duelUpdates: (filter: DuelFilter): SourceStream => changesOf('duelUpdates', duels, duelMatcher(filter)),
  };
}

/** The stream of the changed entries that match. */
const changesOf = <T>(
  fieldName: string,
  watch: EventHub<ListChanges<T>>,
  matches: ((entry: T) => boolean) | undefined,
): SourceStream => ({
  subscribe: ({ next, end }) =>
    watch.subscribe({
      next({ entries, head }) {
        const changed = matches ? entries.filter(matches) : entries;
        if (changed.length > 0) next(changed.map((entry) => ({ root: { [fieldName]: entry }, block: head })));
      },
      end,
    }),
});
