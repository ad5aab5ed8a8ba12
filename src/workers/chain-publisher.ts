import { setImmediate } from 'node:timers/promises';
import type { Chain } from '../app/chain.ts';
import { rejectOnAbort, withTimeout } from '../lib/abort.ts';
import { headOf } from '../sync/chain/canonical-chain.ts';
import { type ChainChannel, encodeError } from './channel.ts';
import type { ChainWorkerHandlers, SharedStatus } from './protocol.ts';

/** Interval at which workers receive the status of the follower. */
const STATUS_INTERVAL_MS = 1_000;

/** The head of a live connection stays fresh without a limit, which JSON cannot express. */
const MAX_FRESH_MS = 3_600_000;

/** Time in which a worker must confirm a message; then it is killed, because it could later serve an old head. */
const CONFIRM_TIMEOUT_MS = 5_000;

/**
 * Publishes the chain of the primary's follower to the workers. No client sees an older head on one connection than
 * before on another: a worker serves a new head only when every other worker knows it too, or makes the operations
 * that start wait until then.
 */
export class ChainPublisher {
  readonly #chain: Chain;
  readonly #members = new Map<number, { readonly channel: ChainChannel<ChainWorkerHandlers>; readonly kill: () => void }>();
  readonly #timer: NodeJS.Timeout;
  readonly #confirmTimeoutMs: number;
  /** The chain as of the last published change. */
  #published: Chain['follower']['history'];
  /** Changes and new workers, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  /** `confirmTimeoutMs`: time in which a worker must confirm a message. */
  constructor(chain: Chain, confirmTimeoutMs = CONFIRM_TIMEOUT_MS) {
    this.#chain = chain;
    this.#confirmTimeoutMs = confirmTimeoutMs;
    const { follower } = chain;
    this.#published = follower.history;
    follower.subscribe((change) => {
      const { history } = follower;
      const isWhole = change.hasGap || this.#published.canonical === undefined;
      this.#enqueue(async () => {
        // First every worker confirms the change, so that workers that hold operations do not wait for a slow worker.
        await this.#confirm((channel) => channel.request('announce', { change, history: isWhole ? history : undefined }));
        await this.#confirm((channel) => channel.request('hold'));
        this.#published = history;
        for (const { channel } of this.#members.values()) channel.send('commit', this.#status);
      });
    });
    // Without new blocks, only this message detects a worker that hangs, whose clients would wait for their responses.
    const sendStatus = () => void this.#confirm((channel) => channel.request('setStatus', this.#status));
    follower.onFreshHead(sendStatus);
    this.#timer = setInterval(sendStatus, STATUS_INTERVAL_MS);
  }

  /** Sends the chain to a worker, and from then on its changes. Resolves when the chain is sent. */
  add(worker: number, channel: ChainChannel<ChainWorkerHandlers>, kill: () => void): Promise<void> {
    return this.#enqueue(async () => {
      const history = this.#published;
      if (history.canonical) {
        channel.send('announce', { change: { removed: [], added: [headOf(history.canonical)], hasGap: false }, history });
        channel.send('commit', this.#status);
      } else channel.send('setStatus', this.#status);
      this.#members.set(worker, { channel, kill });
    });
  }

  remove(worker: number): void {
    this.#members.delete(worker);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(task);
    this.#queue = done;
    return done;
  }

  /** Resolves when every worker has handled a message, has ended, or was killed because it has not. */
  async #confirm(send: (channel: ChainChannel<ChainWorkerHandlers>) => Promise<void>): Promise<void> {
    const confirmations = [...this.#members.values()].map(async ({ channel, kill }) => {
      let hasConfirmed = false;
      const handled = send(channel).then(() => {
        hasConfirmed = true;
      });
      // After a pause of this process its timers run before it reads the confirmation.
      await withTimeout(this.#confirmTimeoutMs, (signal) => rejectOnAbort(handled, signal)).catch(() => setImmediate());
      if (!hasConfirmed) kill();
    });
    await Promise.all(confirmations);
  }

  get #status(): SharedStatus {
    const { follower, feed, lifetimes } = this.#chain;
    const { error, ...status } = follower.status;
    return {
      follower: { ...status, freshMs: Math.min(status.freshMs, MAX_FRESH_MS), error: error && encodeError(error) },
      finalizedHeight: lifetimes.finalizedHeight.value,
      failing: feed.sourceHealth.failing.map(({ source, error: failure }) => ({ source, error: encodeError(failure) })),
    };
  }
}
