import { type Quantity, toBigInt } from '../../../ethereum/hex.ts';
import { abortableSleep, untilAborted } from '../../../lib/abort.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { BlockWriter } from './block-writer.ts';
import { ChainSync } from './chain-sync.ts';
import { checkWatched } from './dropped-checks.ts';
import type { DerivationOptions, DerivationStatus, DerivationTiming } from './options.ts';
import { PendingWatch } from './pending-watch.ts';
import { checkGasPrices, notifyCapacity, notifyUnwatched } from './rates.ts';
import { createChainReads } from './upstream-calls.ts';

/** The changes of the head, for a task that reads the head itself. */
class HeadChanges {
  readonly #feed: Pick<ChainFeed, 'subscribeHeads'>;
  #unsubscribe: () => void;
  #resolve: () => void = () => {};

  constructor(feed: Pick<ChainFeed, 'subscribeHeads'>) {
    this.#feed = feed;
    this.#unsubscribe = this.#subscribe();
  }

  /** Resolves at the next change after this call. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  stop(): void {
    this.#unsubscribe();
  }

  #subscribe(): () => void {
    return this.#feed.subscribeHeads({
      next: () => this.#resolve(),
      end: (error) => {
        // The blocks of the gap are read from the node.
        if (error.code !== 'GAP_TOO_LARGE') return;
        this.#unsubscribe = this.#subscribe();
        this.#resolve();
      },
    });
  }
}

/** The names that notification services use for public networks. */
const NETWORK_NAMES: Readonly<Record<string, string>> = {
  1: 'ETH_MAINNET',
  10: 'OPT_MAINNET',
  100: 'GNOSIS_MAINNET',
  137: 'MATIC_MAINNET',
  8453: 'BASE_MAINNET',
  17000: 'ETH_HOLESKY',
  42161: 'ARB_MAINNET',
  560048: 'ETH_HOODI',
  11155111: 'ETH_SEPOLIA',
};

/**
 * The name of a network in the body of a notification; `CHAIN_` with the chain id for a network without a name, `CHAIN_UNKNOWN` for a node
 * without a chain id.
 */
export const networkName = (chainId: unknown): string => {
  if (chainId === null) return 'CHAIN_UNKNOWN';
  const id = String(toBigInt(chainId));
  return NETWORK_NAMES[id] ?? `CHAIN_${id}`;
};

interface TermOptions extends DerivationOptions {
  readonly timing: DerivationTiming;
  readonly status: DerivationStatus;
}

/** Derives events until the signal aborts: follows the heads, and makes the checks of each minute. Never rejects. */
export async function leadDerivation(options: TermOptions, signal: AbortSignal): Promise<void> {
  const { node, timing, status, log } = options;
  status.waitingSince = performance.now();
  let hasFailed = false;
  /** Logs the first failure of an outage. */
  const retryLater = async (err: unknown): Promise<void> => {
    if (!signal.aborted && !hasFailed) log.warn({ err }, 'the events of webhooks cannot be derived; retrying');
    hasFailed = true;
    await abortableSleep(timing.retryMs, signal);
  };
  let chainId: Quantity | null | undefined;
  while (chainId === undefined && !signal.aborted) {
    try {
      chainId = await node.chainId(signal);
    } catch (err) {
      await retryLater(err);
    }
  }
  if (chainId === undefined) return;
  const term = new Term(options, chainId, signal);
  const followHeads = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await term.processChanges();
        hasFailed = false;
      } catch (err) {
        await retryLater(err);
      }
    }
  };
  await Promise.all([followHeads(), term.checkEveryMinute()]);
  term.stop();
}

/** The tasks of the server that derives events. */
class Term {
  readonly #options: TermOptions;
  readonly #signal: AbortSignal;
  readonly #notifier: Pick<TermOptions, 'addDeliveries' | 'database' | 'registrations'> & { readonly network: string };
  readonly #readChain: ReturnType<typeof createChainReads>;
  readonly #sync: ChainSync;
  readonly #pending: PendingWatch;
  readonly #heads: HeadChanges;
  readonly #stopQuota: () => void;
  /** Whether the applications were notified since the last check. */
  #isQuotaExceeded = false;

  constructor(options: TermOptions, chainId: Quantity | null, signal: AbortSignal) {
    const { node, feed, database, registrations, addDeliveries, snapshotSources, tokenLists, status, log } = options;
    this.#options = options;
    this.#signal = signal;
    this.#notifier = { network: networkName(chainId), addDeliveries, database, registrations };
    this.#readChain = createChainReads(snapshotSources);
    this.#stopQuota = node.onQuotaExceeded(() => {
      if (this.#isQuotaExceeded) return;
      this.#isQuotaExceeded = true;
      void this.#attempt(notifyCapacity(this.#notifier));
    });
    const writer = new BlockWriter({ ...this.#notifier, status, log });
    this.#sync = new ChainSync({
      ...{ feed, database, readChain: this.#readChain, log, writer },
      network: this.#notifier.network,
      findToken: (contract) => tokenLists.find(chainId, contract),
    });
    this.#pending = new PendingWatch({
      ...{ feed, database, registrations, log },
      onUnwatched: (unwatched) => {
        for (const count of unwatched.values()) status.unwatched += count;
        return this.#attempt(notifyUnwatched(this.#notifier, new Set(unwatched.keys())));
      },
    });
    this.#heads = new HeadChanges(feed);
  }

  /** Processes the chain up to its head, and resolves when the head changes. */
  async processChanges(): Promise<void> {
    const { feed, status } = this.#options;
    const changed = this.#heads.next();
    status.waitingSince ??= performance.now();
    while (await this.#sync.step(this.#signal)) {
      if (this.#signal.aborted) return;
      status.waitingSince = performance.now();
    }
    status.waitingSince = undefined;
    status.height = feed.head?.height;
    await this.#pending.update();
    await untilAborted(changed, this.#signal);
  }

  async checkEveryMinute(): Promise<void> {
    const { feed, follower, timing } = this.#options;
    const checks = { ...this.#notifier, readChain: this.#readChain, missingMs: timing.minuteMs };
    while (!this.#signal.aborted) {
      if (feed.head) await this.#attempt(checkGasPrices(checks, feed.head, this.#signal));
      await this.#attempt(checkWatched(checks, this.#signal));
      // Over a WebSocket, or a notification that has failed.
      if (this.#isQuotaExceeded || follower.status.error?.code === 'UPSTREAM_QUOTA_EXCEEDED') {
        this.#isQuotaExceeded = false;
        await this.#attempt(notifyCapacity(this.#notifier));
      }
      await abortableSleep(timing.minuteMs, this.#signal);
    }
  }

  stop(): void {
    this.#pending.stop();
    this.#heads.stop();
    this.#stopQuota();
  }

  async #attempt(check: Promise<void>): Promise<void> {
    try {
      await check;
    } catch (err) {
      if (!this.#signal.aborted) this.#options.log.debug({ err }, 'a check for webhooks has failed; it is repeated in a minute');
    }
  }
}
