import { toBigInt } from '../../../ethereum/hex.ts';
import { abortableSleep, untilAborted } from '../../../lib/abort.ts';
import { transactionBy } from '../../../snapshot/state-methods.ts';
import { activeFor } from '../registrations/active-registrations.ts';
import { transactionCountOf } from '../rpc-methods.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../store/chain-statements.ts';
import { groupBy } from './batches.ts';
import { createChainReads, type ReadChain } from './block-reader.ts';
import { createBlockWriter } from './block-writer.ts';
import { createChainSync } from './chain-sync.ts';
import { readTip } from './derived-blocks.ts';
import type { DerivedNotification } from './derived-notification.ts';
import { transactionNotifications } from './notifications.ts';
import { type Notifier, notifyAtOnce } from './notifier.ts';
import type { DerivationOptions, DerivationStatus, DerivedChain } from './options.ts';
import { createPendingWatch } from './pending-watch.ts';
import { checkGasPrices, notifyCapacity, notifyUnwatched } from './rates.ts';
import {
  type CheckedTransaction,
  markMissing,
  readContents,
  readWatched,
  unwatchOld,
  unwatchTransactions,
} from './watched-transactions.ts';

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

/** Symbols of the native coins that are not ether, by chain id. */
const NATIVE_ASSETS: Readonly<Record<string, string>> = { 100: 'xDAI', 137: 'POL' };

/**
 * The name of a network in the body of a notification; `CHAIN_` with the chain id for a network without a name, `CHAIN_UNKNOWN` for a node
 * without a chain id.
 */
export const networkName = (chainId: unknown): string => {
  if (chainId === null) return 'CHAIN_UNKNOWN';
  const id = String(toBigInt(chainId));
  return NETWORK_NAMES[id] ?? `CHAIN_${id}`;
};

/** Number of pauses between reads after which the node has no chain id: a node that fails for a moment responds with an error, too. */
const UNKNOWN_CHAIN_PAUSES = 10;

interface TermOptions extends DerivedChain, Required<DerivationOptions> {
  readonly status: DerivationStatus;
  /** Aborts when the server stops or is no longer the deriving server. */
  readonly signal: AbortSignal;
}

/** Derives the events of a chain until the signal aborts: follows the heads, and runs the checks of each minute. Never rejects. */
export async function leadDerivation(options: TermOptions): Promise<void> {
  const { node, follower, feed, snapshotSources, tokenLists, timing, status, signal, tracesBlocks, log } = options;
  status.waitingSince = performance.now();
  let hasFailed = false;
  /** Repeats a step. Resolves with its first result that is not undefined, or when the signal aborts. */
  const repeat = async <T>(step: () => Promise<T | undefined>): Promise<T | undefined> => {
    while (!signal.aborted) {
      try {
        const result = await step();
        hasFailed = false;
        if (result !== undefined) return result;
      } catch (err) {
        // Log only the first failure of an outage.
        if (!signal.aborted && !hasFailed) log.warn({ err }, 'the events of webhooks cannot be derived; retrying');
        hasFailed = true;
        await abortableSleep(timing.retryMs, signal);
      }
    }
    return undefined;
  };
  const readId = async () => {
    const id = await node.chainId(signal);
    if (id !== null || performance.now() - status.waitingSince! > UNKNOWN_CHAIN_PAUSES * timing.retryMs) return id;
    return void (await abortableSleep(timing.retryMs, signal));
  };
  const chainId = options.chainId === DEFAULT_CHAIN ? await repeat(readId) : options.chainId;
  if (chainId === undefined) return;
  const network = networkName(chainId);
  const database = statementsOfChain(options.database, options.chainId);
  const notifier = { database, network };
  const readChain = createChainReads(snapshotSources, signal);
  const findToken = (contract: string) => tokenLists.find(chainId, contract);
  const writer = createBlockWriter({ ...notifier, status, log });
  const nativeAsset = NATIVE_ASSETS[Number(chainId)];
  const step = createChainSync({ ...notifier, feed, readChain, findToken, nativeAsset, tracesBlocks, writer, log });

  const attempt = (check: Promise<void>): Promise<void> =>
    check.catch((err) => {
      if (!signal.aborted) log.debug({ err }, 'a check for webhooks has failed; it is repeated in a minute');
    });
  const pending = createPendingWatch({
    ...{ feed, database, log },
    onUnwatched(unwatched) {
      for (const count of unwatched.values()) status.unwatched += count;
      return attempt(notifyUnwatched(notifier, unwatched));
    },
  });
  /** Whether the applications were notified since the last check. */
  let isQuotaExceeded = false;
  const stopQuota = node.onQuotaExceeded(() => {
    if (isQuotaExceeded) return;
    isQuotaExceeded = true;
    void attempt(notifyCapacity(notifier));
  });
  let onHead = (): void => {};
  const subscribeHeads = (): (() => void) =>
    feed.subscribeHeads({
      next: () => onHead(),
      end(error) {
        // The blocks of the gap are read from the node.
        if (error.code !== 'GAP_TOO_LARGE') return;
        unsubscribeHeads = subscribeHeads();
        onHead();
      },
    });
  let unsubscribeHeads = subscribeHeads();

  /** Processes the chain up to its head, and resolves when the head changes. */
  const processChanges = async (): Promise<undefined> => {
    const changed = new Promise<void>((resolve) => {
      onHead = resolve;
    });
    status.waitingSince ??= performance.now();
    while (await step()) {
      if (signal.aborted) return;
      status.waitingSince = performance.now();
    }
    status.waitingSince = undefined;
    status.height = feed.head?.height;
    await pending.update();
    await untilAborted(changed, signal);
  };

  const checkEveryMinute = async (): Promise<void> => {
    while (!signal.aborted) {
      if (feed.head) await attempt(checkGasPrices(notifier, readChain, feed.head));
      await attempt(checkWatched(notifier, readChain, timing.minuteMs));
      // The status of the follower covers a quota error over a WebSocket, and a notification that has failed.
      if (isQuotaExceeded || follower.status.error?.code === 'UPSTREAM_QUOTA_EXCEEDED') {
        isQuotaExceeded = false;
        await attempt(notifyCapacity(notifier));
      }
      await abortableSleep(timing.minuteMs, signal);
    }
  };

  await Promise.all([repeat(processChanges), checkEveryMinute()]);
  pending.stop();
  unsubscribeHeads();
  stopQuota();
}

/**
 * Checks the watched transactions in parts, with one POST for each part. A transaction is dropped if the node lacks it
 * in two checks, at least a minute apart, while its nonce is unused: a transaction that is merely late is still in the
 * pool of the node. Source: `eth_getTransactionByHash`, and `eth_getTransactionCount` of the senders of transactions
 * that were missing before.
 */
async function checkWatched(notifier: Notifier, readChain: ReadChain, missingMs: number): Promise<void> {
  const { query } = notifier.database;
  await unwatchOld(query);
  const failures: unknown[] = [];
  // The other parts may contain transactions of other applications.
  for (const part of await readWatched(query))
    await checkPart(notifier, readChain, missingMs, part).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function checkPart(notifier: Notifier, readChain: ReadChain, missingMs: number, watched: readonly CheckedTransaction[]) {
  const { query } = notifier.database;
  const checks = await readChain(({ calls }) =>
    Promise.all(
      watched.map(async (checked) => {
        const { hash, sender, missingSince } = checked;
        const [transaction, count] = await Promise.all([
          calls.refetch(transactionBy, hash),
          missingSince ? calls.call(transactionCountOf, sender) : undefined,
        ]);
        return { ...checked, isMissing: transaction === null, blockNumber: transaction?.blockNumber, count };
      }),
    ),
  );
  const tip = await readTip(query);
  const now = new Date();
  // The transaction was mined before the server received it as pending, so no later block settles it.
  const mined = checks.filter(({ blockNumber }) => blockNumber && tip && toBigInt(blockNumber) <= tip.height);
  await unwatchTransactions(query, mined);
  const missing = checks.filter(({ isMissing }) => isMissing);
  await markMissing(query, watched, missing, now);
  const dropped = missing.filter(
    ({ nonce, missingSince, count }) =>
      missingSince !== null &&
      now.getTime() - missingSince.getTime() >= missingMs &&
      count !== undefined &&
      toBigInt(count) <= toBigInt(nonce),
  );
  for await (const transactions of readContents(query, dropped)) {
    const groups = await activeFor(query, [...new Set(transactions.map(({ from }) => from))]);
    const notifications: DerivedNotification[] = [];
    for (const own of groupBy(groups, ({ app }) => app).values())
      for await (const notification of transactionNotifications('DROPPED_TRANSACTION', transactions, own, now.toISOString()))
        notifications.push(notification);
    await notifyAtOnce(notifier, async (locked) => {
      // Meanwhile, a block has included or replaced the other transactions.
      const open = await unwatchTransactions(locked, transactions);
      return notifications.filter(({ content }) => !('hash' in content) || open.has(content.hash));
    });
  }
}
