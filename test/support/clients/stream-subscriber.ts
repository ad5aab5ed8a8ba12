import type { SourceEvent, SourceEventBatch, SourceStream } from '../../../src/graphql/stream.ts';
import type { GraphError } from '../../../src/lib/errors.ts';

/** A subscriber of a `Stream`: it reads the backlog first, then the live events. */
export interface StreamSubscriber<Root> {
  readonly batches: readonly SourceEventBatch<Root>[];
  readonly events: readonly SourceEvent<Root>[];
  /** The error that ended the stream, or true when it completed. */
  readonly ended: GraphError | true | undefined;
  /** Resolves when this many events have arrived; rejects when the stream ends first. */
  waitForEvents(count: number): Promise<readonly SourceEvent<Root>[]>;
  /** Resolves with the end of the stream. */
  waitForEnd(): Promise<GraphError | true>;
  stop(): void;
}

/** Subscribes. */
export function subscribeToStream<Root>({ subscribe, backlog }: SourceStream<Root>): StreamSubscriber<Root> {
  const controller = new AbortController();
  const batches: SourceEventBatch<Root>[] = [];
  const events: SourceEvent<Root>[] = [];
  const waiting: SourceEventBatch<Root>[] = [];
  const watchers = new Set<() => void>();
  let ended: GraphError | true | undefined;
  let ending: GraphError | true | undefined;
  let isReplaying = backlog !== undefined;
  let isPaused = false;
  const live = {
    pause() {
      isPaused = true;
      waiting.length = 0;
    },
    resume() {
      isPaused = false;
    },
  };

  const look = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const take = (batch: SourceEventBatch<Root>) => {
    if (batch.length === 0) throw new Error('a batch has no event');
    batches.push(batch);
    events.push(...batch);
    look();
  };
  const finish = (how: GraphError | true) => {
    if (ended) throw new Error('it ends twice');
    ended = how;
    look();
  };
  const stopStream = subscribe({
    next(batch) {
      if (ending) throw new Error('something is told after the end');
      if (isPaused) return;
      if (isReplaying) waiting.push(batch);
      else take(batch);
    },
    end(error) {
      ending = error ?? true;
      if (!isReplaying) finish(ending);
    },
  });
  const replay = async () => {
    try {
      for await (const batch of backlog!(controller.signal, live)) take(batch);
    } catch (error) {
      stopStream();
      return finish(error as GraphError);
    }
    isReplaying = false;
    for (const batch of waiting) take(batch);
    if (ending) finish(ending);
  };
  if (backlog) void replay();

  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const watcher = () => {
        if (isSo()) resolve();
        else if (ended) reject(ended === true ? new Error('it has ended') : ended);
        else return;
        watchers.delete(watcher);
      };
      watchers.add(watcher);
      watcher();
    });

  return {
    batches,
    events,
    get ended() {
      return ended;
    },
    waitForEvents: (count) => until(() => events.length >= count).then(() => events),
    waitForEnd: () => until(() => ended !== undefined).then(() => ended!),
    stop() {
      controller.abort(new Error('the subscriber is gone'));
      stopStream();
    },
  };
}
