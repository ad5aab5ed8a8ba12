import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { type AnvilRpc, createAnvilRpc } from '../anvil/rpc.ts';
import { createAssetReader, NATIVE_COIN } from './asset-metadata.ts';
import { type BlockContents, readBlockContents } from './block-contents.ts';
import { createChainTracker } from './chain-tracker.ts';
import { createDeliveryQueue } from './delivery-queue.ts';
import { estimateGasPrices, readGasPriceSamples } from './gas-prices.ts';
import {
  activityEntry,
  addressActivityBody,
  gasPriceBody,
  minedTransactionBody,
  type NotificationSource,
} from './notification-bodies.ts';
import { findTransfers } from './transfers.ts';

export interface NotificationServiceOptions {
  /** JSON-RPC URL of the chain. */
  readonly rpcUrl: string;
  /** Name of the application in each body. */
  readonly app: string;
  /** Auth token of the application, which signs the bodies. */
  readonly token: string;
  /** Name of the network in each body. */
  readonly network: string;
  /** Addresses whose transfers and transactions are notified, in any case. */
  readonly addresses: readonly string[];
  /** Milliseconds between two polls of the chain. @default 100 */
  readonly pollIntervalMs?: number;
  /** Delays reads while the chain is pruned. @default runs reads at once */
  readonly withSharedLock?: ReadWriteLock['shared'];
  readonly log: Logger;
}

export interface NotificationService {
  /** Resolves when the service has read the head for the first time: it notifies of later blocks. Stays pending until then. */
  readonly following: Promise<void>;
  /** Sends notifications of new blocks to this URL. Notifications of earlier blocks are not sent. */
  deliverTo(url: string): void;
  /** Stops polling and delivery. Waiting notifications are lost. May be called twice. */
  stop(): Promise<void>;
}

const GAS_PRICE_INTERVAL_MS = 60_000;

/**
 * Starts the described webhook notifications of one application over a chain: address activity and mined transactions for each new block, and
 * gas prices once a minute. If the chain becomes unavailable, it continues after the last block that it has read.
 */
export function startNotificationService(options: NotificationServiceOptions): NotificationService {
  const { rpcUrl, token, addresses, pollIntervalMs = 100, withSharedLock = (task) => task(), log } = options;
  const source: NotificationSource = { app: options.app, network: options.network };
  const stopping = new AbortController();
  const rpc = createAnvilRpc(rpcUrl);
  const tracker = createChainTracker(rpc);
  const queue = createDeliveryQueue({ token, log });
  const readBodies = createBodyReader(rpc, source, new Set(addresses.map((address) => address.toLowerCase())));
  let nextGasPriceAt = Number.NEGATIVE_INFINITY;
  let isUnavailable = false;
  let resolveFollowing = () => {};
  const following = new Promise<void>((resolve) => {
    resolveFollowing = resolve;
  });

  const follow = async () => {
    for (const header of await tracker.readNewHeaders()) {
      if (queue.isOpen) {
        const block = await readBlockContents(rpc, header.hash);
        // A reorg has removed it; the next poll reads the new chain.
        if (!block) return;
        for (const body of await readBodies(block)) queue.push(body);
      }
      tracker.add(header);
    }
    resolveFollowing();
    if (queue.isOpen && performance.now() >= nextGasPriceAt) await sendGasPrices();
  };
  const sendGasPrices = async () => {
    const prices = estimateGasPrices(await readGasPriceSamples(rpc));
    queue.push(gasPriceBody(source, new Date(), prices));
    nextGasPriceAt = performance.now() + GAS_PRICE_INTERVAL_MS;
  };

  const pollUntilStopped = async () => {
    while (!stopping.signal.aborted) {
      try {
        await withSharedLock(follow);
        isUnavailable = false;
      } catch (err) {
        // Logged once for each outage.
        if (!isUnavailable && !stopping.signal.aborted) log.warn({ err }, 'the notification service cannot read the chain');
        isUnavailable = true;
      }
      await delay(pollIntervalMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = pollUntilStopped();

  return {
    following,
    deliverTo: queue.setUrl,
    async stop() {
      stopping.abort();
      await Promise.all([rpc.close(), queue.stop()]);
      await ended;
    },
  };
}

/** Creates a function that returns the notifications of a block: one for all of its transfers, then one for each transaction. */
function createBodyReader(rpc: AnvilRpc, source: NotificationSource, addresses: ReadonlySet<string>) {
  const readAsset = createAssetReader(rpc);
  return async (block: BlockContents): Promise<object[]> => {
    const activity = await Promise.all(
      findTransfers(block, addresses).map(async (transfer) => {
        const asset = transfer.contract === null ? NATIVE_COIN : await readAsset(transfer.contract);
        return activityEntry(block.number, transfer, asset);
      }),
    );
    const sent = block.transactions.filter(({ from }) => addresses.has(from));
    const sentAt = new Date();
    return [
      ...(activity.length > 0 ? [addressActivityBody(source, activity)] : []),
      ...sent.map((transaction) => minedTransactionBody(source, sentAt, transaction)),
    ];
  };
}
