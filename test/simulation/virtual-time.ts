import { createRequire, syncBuiltinESMExports } from 'node:module';
import { install } from '@sinonjs/fake-timers';
import { random } from '../support/random-tests.ts';

/** The time of the world, which runs only between events, and the randomness of a seed. */
export interface VirtualTime {
  /** Milliseconds since the start. */
  readonly now: number;
  /** Returns to the start with the randomness of a seed. Forgets all timers. */
  reset(seed: number): void;
  /** Fires the timers of the next milliseconds, one after the other, and calls `check` after each. */
  run(milliseconds: number, check?: () => void): Promise<void>;
}

const START = Date.UTC(2026, 0, 1);
/** Turns of the event loop after which everything that one timer has caused has happened: the network is inside the process. */
const TURNS_PER_TIMER = 2;

const realTurn = (
  (schedule) => () =>
    new Promise<void>((resolve) => void schedule(resolve))
)(setImmediate);

interface TimerHeap {
  readonly timers: readonly unknown[];
  remove(timer: { readonly heapIndex?: number }): boolean;
  bubbleDown(index: number): void;
}

/**
 * Keeps the timers of fake-timers 15.5 in order: `refresh` changes the time of a timer before its removal from the heap, which then leaves the timer
 * that takes its place above earlier ones.
 */
function correctHeap(clock: { readonly timerHeap?: unknown }): void {
  clearTimeout(setTimeout(() => {}));
  const heap = Object.getPrototypeOf(clock.timerHeap) as TimerHeap;
  const { remove } = heap;
  heap.remove = function (timer) {
    const index = timer.heapIndex;
    const isRemoved = remove.call(this, timer);
    if (isRemoved && index! < this.timers.length) this.bubbleDown(index!);
    return isRemoved;
  };
}

/**
 * Replaces the timers, the clock and the randomness of this process. Import the code that it runs afterwards, so that the bindings of its imports
 * are the replacements.
 */
export function installVirtualTime(): VirtualTime {
  const clock = install({
    now: START,
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'setImmediate',
      'clearImmediate',
      'Date',
      'performance',
    ],
  });
  correctHeap(clock);
  let draw = random(0);
  Math.random = () => draw();
  const crypto = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
  const bytesOf = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(draw() * 256)));
  const randomUUID = () =>
    bytesOf(16)
      .toString('hex')
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5') as `${string}-${string}-${string}-${string}-${string}`;
  // ws masks frames with bytes of a pool that outlives a seed.
  const randomFillSync = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(0);
    return view;
  };
  Object.assign(crypto, { randomUUID, randomBytes: bytesOf, randomFillSync });
  Object.assign(globalThis.crypto, { randomUUID });
  syncBuiltinESMExports();
  AbortSignal.timeout = (ms) => {
    const control = new AbortController();
    setTimeout(() => control.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
    return control.signal;
  };
  return {
    reset(seed) {
      draw = random(seed);
      clock.reset();
    },
    get now() {
      return clock.now - START;
    },
    async run(milliseconds, check = () => {}) {
      const end = clock.now + milliseconds;
      // Ends the run also if nothing else is scheduled.
      setTimeout(() => {}, milliseconds);
      while (clock.now < end) {
        const before = clock.now;
        clock.next();
        if (clock.now < before) throw new Error('the virtual time went back');
        for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await realTurn();
        check();
      }
    },
  };
}
