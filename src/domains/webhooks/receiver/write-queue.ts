import { Sleeper } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { nextTurn } from '../../../lib/operation-budget.ts';
import type { NewWebhookEvent } from '../model.ts';
import type { EventStore } from '../store/event-store.ts';

/** Maximum number of events and of bytes in one transaction. A single event may have more bytes. */
const MAX_BATCH = { count: 500, bytes: 1024 * 1024 };
/** Maximum number and size of the waiting notifications: of all applications together, and of one application. */
const MAX_WAITING = { count: 10_000, bytes: 256 * 1024 * 1024 };
const MAX_WAITING_OF_APP = { count: 5_000, bytes: 128 * 1024 * 1024 };
/** Delay before a rejected notification is sent again, and before bodies are marked as answered after a failure. */
const RETRY_AFTER_MS = 1_000;

/** A notification whose signature is verified. */
export interface SignedNotification {
  readonly app: string;
  /** Size of the body. */
  readonly bytes: number;
  /** Decodes the body, when its turn has come. An error rejects the notification. */
  readonly read: () => NewWebhookEvent;
  /** Whether the sender can still receive a response. */
  readonly isConnected: () => boolean;
}

interface WaitingNotification extends SignedNotification {
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A notification after `read`, and after its transaction with `isNew`. */
interface ReadNotification extends WaitingNotification {
  readonly event: NewWebhookEvent;
  readonly isNew?: boolean;
}

/** Number and size of the waiting notifications, of one application or of all applications. */
type Size = Record<'count' | 'bytes', number>;

/** The waiting notifications of one application, in their order. */
type Queue = Size & { readonly notifications: WaitingNotification[] };

/**
 * Writes notifications in turns of their applications. Notifications that arrive during a transaction share the next
 * transactions, so that a burst costs few commits, and one application delays another by one transaction. An event is
 * acknowledged after its commit.
 */
export class WriteQueue {
  readonly #insert: EventStore['insert'];
  /** By application, in the order of their turns. */
  readonly #queues = new Map<string, Queue>();
  readonly #total: Size = { count: 0, bytes: 0 };
  #isWriting = false;

  constructor(insert: EventStore['insert']) {
    this.#insert = insert;
  }

  /**
   * Resolves, after the commit, with whether the event is new. Rejects with OVERLOADED when too many notifications
   * wait, and with the error of `read`.
   */
  write(notification: SignedNotification): Promise<boolean> {
    const { app, bytes } = notification;
    const queue = this.#queues.get(app) ?? { notifications: [], count: 0, bytes: 0 };
    if (isFull(this.#total, bytes, MAX_WAITING) || isFull(queue, bytes, MAX_WAITING_OF_APP))
      return Promise.reject(overloadedError('Too many notifications wait to be stored.'));
    return new Promise((resolve, reject) => {
      queue.notifications.push({ ...notification, resolve, reject });
      this.#queues.set(app, queue);
      for (const size of [queue, this.#total]) change(size, 1, bytes);
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    let answered: readonly ReadNotification[] = [];
    while (this.#total.count > 0 || answered.length > 0) answered = await this.#writeBatch(this.#takeBatch(), answered);
    this.#isWriting = false;
  }

  /**
   * Takes one notification of each application in turn, and decodes it: a megabyte takes 20 ms. Takes one of several
   * equal notifications that may recur: each is an event, and the record of a body belongs to one event.
   */
  #takeBatch(): readonly ReadNotification[] {
    const batch: ReadNotification[] = [];
    const bodies = new Set<string>();
    const delayed: [app: string, queue: Queue][] = [];
    for (const taken: Size = { count: 0, bytes: 0 }; taken.count < MAX_BATCH.count; ) {
      const [turn] = this.#queues;
      if (!turn) break;
      const [app, queue] = turn;
      const waiting = queue.notifications[0]!;
      const { bytes } = waiting;
      if (taken.count > 0 && taken.bytes + bytes > MAX_BATCH.bytes) break;
      this.#queues.delete(app);
      try {
        const event = waiting.read();
        const body = event.bodyHash.toString('hex');
        if (event.mayRecur && bodies.has(body)) {
          queue.notifications[0] = { ...waiting, read: () => event };
          delayed.push(turn);
          continue;
        }
        bodies.add(body);
        batch.push({ ...waiting, event });
      } catch (error) {
        waiting.reject(error);
      }
      queue.notifications.shift();
      change(taken, 1, bytes);
      for (const size of [queue, this.#total]) change(size, -1, -bytes);
      if (queue.count > 0) this.#queues.set(app, queue);
    }
    for (const [app, queue] of delayed) this.#queues.set(app, queue);
    return batch;
  }

  /** Returns the stored notifications, which the next transaction marks as answered. */
  async #writeBatch(batch: readonly ReadNotification[], answered: readonly ReadNotification[]) {
    if (batch.length === 0 && answered.length === 0) {
      // All notifications were invalid. Requests have a turn before the next notifications are decoded.
      await nextTurn(this);
      return [];
    }
    try {
      const results = await this.#insert(
        batch.map(({ event }) => event),
        () => answered.filter(({ isConnected }) => isConnected()).map(({ event }) => event.bodyHash),
      );
      for (const { resolve, isNew } of answered) resolve(isNew!);
      const stored = batch.flatMap((read, i) => {
        const isNew = results[i];
        if (isNew === undefined) read.reject(overloadedError('An equal notification is being stored.'));
        // For an event that may recur, the sender receives the response only after the body is marked as answered:
        // every server treats a later equal body as a new event.
        else if (read.event.mayRecur) return [{ ...read, isNew }];
        else read.resolve(isNew);
        return [];
      });
      return keepConnected(stored);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      if (batch.length === 0) await new Sleeper().sleep(RETRY_AFTER_MS);
      // No error: if the bodies were marked before the connection was lost, the repeats of these senders would be events.
      return keepConnected(answered);
    }
  }
}

/** Returns the notifications whose senders can still receive a response. The others are done: an unmarked body recognises their repeats. */
function keepConnected(stored: readonly ReadNotification[]): readonly ReadNotification[] {
  const connected: ReadNotification[] = [];
  for (const read of stored) {
    if (read.isConnected()) connected.push(read);
    else read.resolve(read.isNew!);
  }
  return connected;
}

const isFull = (size: Size, bytes: number, max: Readonly<Size>): boolean =>
  size.count >= max.count || size.bytes + bytes > max.bytes;

function change(size: Size, count: number, bytes: number): void {
  size.count += count;
  size.bytes += bytes;
}

const overloadedError = (problem: string): GraphError =>
  new GraphError('OVERLOADED', `${problem} Send it again after ${RETRY_AFTER_MS} ms.`, { retryAfterMs: RETRY_AFTER_MS });
