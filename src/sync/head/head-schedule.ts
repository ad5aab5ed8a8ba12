import { type CanonicalChain, medianBlockTimeMs } from '../chain/canonical-chain.ts';
import type { Follower } from './follower.ts';

/** Block time of Ethereum. Bounds the age of responses on a chain that mines on demand, whose median block time predicts nothing. */
const MAX_BLOCK_TIME_MS = 12_000;

/** When the next head is expected. */
export class HeadSchedule {
  readonly #follower: Pick<Follower, 'window'>;
  #changedAt = performance.now();
  /** The expected block time of the window that it was computed for: a window is replaced as a whole. */
  #blockTime: { readonly window: CanonicalChain; readonly ms: number } | undefined;

  constructor(follower: Pick<Follower, 'window' | 'subscribe'>) {
    this.#follower = follower;
    follower.subscribe(() => {
      this.#changedAt = performance.now();
    });
  }

  /** The largest number of whole seconds that end before the next head is expected; 0 if it is due, or the block time is unknown. */
  get secondsToNextHead(): number {
    const { window } = this.#follower;
    if (!window) return 0;
    // For each head, not for each response.
    if (this.#blockTime?.window !== window) this.#blockTime = { window, ms: expectedBlockTimeMs(window) };
    const restMs = this.#changedAt + this.#blockTime.ms - performance.now();
    return Math.max(0, Math.ceil(restMs / 1_000) - 1);
  }
}

/** The median block time, or the last interval if that is shorter: the chain may have become faster. */
function expectedBlockTimeMs(window: CanonicalChain): number {
  const median = medianBlockTimeMs(window);
  const last = medianBlockTimeMs(window.slice(-2) as unknown as CanonicalChain);
  return median === undefined || last === undefined ? 0 : Math.min(median, last, MAX_BLOCK_TIME_MS);
}
