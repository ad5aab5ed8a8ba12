import type { Logger } from 'pino';
import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type Audience, openAudience } from '../../../sync/event-hub.ts';
import type { Feed } from '../../../sync/feed.ts';
import type { Told } from '../model.ts';
import { changesIn, type Facts, type Known } from './changes.ts';

/** What a look at a list has shown. */
export interface Changes<T> {
  /** What is new or has changed, never nothing. */
  readonly entries: readonly T[];
  /** The head that it was looked at for. */
  readonly head: Data;
}

export interface WatchOptions<T> {
  readonly feed: Pick<Feed, 'head' | 'heads'>;
  /** Begins to read the list: gives what reads the whole of it for each head. */
  readonly openList: () => (signal: AbortSignal) => Promise<readonly Told<T>[]>;
  readonly factsOf: (entry: T) => Facts;
  readonly log: Logger;
}

/** A list of the service, looked at for all who want to hear of its changes. They end as the feed ends, and with RESULT_TOO_LARGE. */
export type Watch<T> = Pick<Audience<Changes<T>>, 'join'>;

/** Looks once at first, which tells nothing, and then once for each head, while anybody listens. */
export function openWatch<T extends { readonly id: string }>(options: WatchOptions<T>): Watch<T> {
  let stop: (() => void) | undefined;
  const audience = openAudience<Changes<T>>({
    log: options.log,
    start() {
      stop = look(options, audience);
    },
    stop: () => stop?.(),
  });
  return audience;
}

/** Begins to look; gives what stops it. One look at a time: heads that come meanwhile make one more. */
function look<T extends { readonly id: string }>(
  { feed, openList, factsOf, log }: WatchOptions<T>,
  { tell, end }: Audience<Changes<T>>,
): () => void {
  const list = openList();
  let looking = new AbortController();
  let isOver = false;
  let known: Known | undefined;
  /** For which head there is a look now, and for which one is due. */
  let now: Data | undefined;
  let due = feed.head?.hash;
  let isFailing = false;

  const read = async (): Promise<readonly Told<T>[] | undefined> => {
    // Each look has its own: whoever reads listens to it, for as long as it is there.
    looking = new AbortController();
    try {
      const told = await list(looking.signal);
      isFailing = false;
      return told;
    } catch (error) {
      if (isOver) return undefined;
      // No later look can succeed with the same settings.
      if (error instanceof GraphError && error.code === 'RESULT_TOO_LARGE') {
        end(error);
        return undefined;
      }
      // Once for each outage; what was known stays what the next look is compared with.
      if (!isFailing) log.warn(reasonOf(error), 'the tournament could not be looked at; the next head makes another look');
      isFailing = true;
      return undefined;
    }
  };

  const lookWhileDue = async (): Promise<void> => {
    while (due !== undefined) {
      now = due;
      due = undefined;
      const told = await read();
      if (isOver) return;
      if (!told) continue;
      const { known: seen, changed } = await changesIn(known, told, factsOf);
      if (isOver) return;
      known = seen;
      if (changed.length > 0) tell({ entries: changed, head: now });
    }
    now = undefined;
  };

  const stopHearing = feed.heads({
    next({ removed }) {
      due = feed.head!.hash;
      if (now === undefined) void lookWhileDue();
      // Nothing can be read at a block that is of the chain no more.
      else if (removed.some(({ hash }) => hash === now)) now = due;
    },
    end,
  });
  void lookWhileDue();

  return () => {
    isOver = true;
    stopHearing();
    looking.abort(new GraphError('TIMEOUT', 'Nobody listens any more.'));
  };
}

const reasonOf = (error: unknown): object =>
  error instanceof GraphError ? { code: error.code, reason: error.message } : { err: error };
