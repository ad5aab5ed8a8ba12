import { type Quantity, toBigInt } from '../../../ethereum/hex.ts';
import type { RpcFeeHistory } from '../../../ethereum/rpc-types.ts';
import { feeHistoryOf } from '../../../snapshot/state-methods.ts';
import type { Head } from '../../../sync/feed.ts';
import type { GasPriceMetadata } from '../model.ts';
import { activeRegistrations } from '../registrations/active-registrations.ts';
import type { GasPriceTrigger, WebhookRegistration } from '../registrations/model.ts';
import { groupBy } from './batches.ts';
import type { ReadChain } from './block-reader.ts';
import { errorNotification } from './derived-notification.ts';
import { type Notifier, notifyAtOnce } from './notifier.ts';
import { MAX_WATCHED } from './watched-transactions.ts';

/** Number of blocks from whose fees the prices follow. */
const SAMPLED_BLOCKS = 20;
/** Percentiles of the tips in a block from which safeLow, average, fast and fastest follow. */
const PERCENTILES = [10, 50, 75, 95] as const;
/** Number of blocks whose gas usage is reported as `speed`. */
const SPEED_BLOCKS = 10;

const SPEED_FIELDS = { SAFE_LOW: 'safeLow', AVERAGE: 'average', FAST: 'fast', FASTEST: 'fastest' } as const;

/**
 * Estimates gas prices in gwei: the base fee of the next block, plus the median over the blocks with transactions of a
 * percentile of their tips. The time between blocks and the waiting times are null, because they do not follow from the
 * fees. Undefined if there is neither a base fee nor a transaction. Source: `eth_feeHistory` up to the block `newest`,
 * with PERCENTILES.
 */
export function gasPriceMetadata(feeHistory: RpcFeeHistory, newest: Quantity): GasPriceMetadata | undefined {
  const { baseFeePerGas, gasUsedRatio, reward } = feeHistory;
  const ratios = gasUsedRatio ?? [];
  const tips = (reward ?? []).filter((_tips, index) => (ratios[index] ?? 0) > 0);
  const baseFee = baseFeePerGas?.at(-1) ?? undefined;
  if (baseFee === undefined && tips.length === 0) return undefined;
  const price = (percentile: number): number => {
    const wei = toBigInt(baseFee ?? '0x0') + (median(tips.map((ofBlock) => toBigInt(ofBlock[percentile]))) ?? 0n);
    return Number(`${wei}e-9`);
  };
  return {
    fast: price(2),
    fastest: price(3),
    safeLow: price(0),
    average: price(1),
    speed: ratios.length === 0 ? null : Math.min(1, ...ratios.slice(-SPEED_BLOCKS)),
    ...{ blockNumber: newest, blockTime: null, safeLowWait: null, avgWait: null, fastWait: null, fastestWait: null },
  };
}

/**
 * Whether the price of a trigger's speed is above or below its threshold. A price equal to the threshold is neither
 * above nor below it.
 */
export function isThresholdReached(prices: GasPriceMetadata, { speed, above, below }: GasPriceTrigger): boolean {
  const price = prices[SPEED_FIELDS[speed]];
  return (above !== null && price > above) || (below !== null && price < below);
}

/** The median; of two middle values, the lower value. Undefined without values. */
function median(values: readonly bigint[]): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/**
 * Notifies the gas price registrations whose threshold the current prices have reached. Sends no call while no gas
 * price registration is active. Source: `eth_feeHistory`.
 */
export async function checkGasPrices(notifier: Notifier, readChain: ReadChain, head: Head): Promise<void> {
  const active = await activeRegistrations(notifier.database.query, 'GAS_PRICE');
  if (active.length === 0) return;
  const feeHistory = await readChain(({ calls }) => calls.call(feeHistoryOf, SAMPLED_BLOCKS, head.number, PERCENTILES));
  const gasPrice = gasPriceMetadata(feeHistory, head.number);
  if (!gasPrice) return;
  const reached = active.filter((registration) => registration.gasPrice && isThresholdReached(gasPrice, registration.gasPrice));
  if (reached.length === 0) return;
  const timestamp = new Date().toISOString();
  const content = { type: 'GAS_PRICE', gasPrice } as const;
  const notifications = [...groupBy(reached, ({ app }) => app)].map(([app, registrations]) => ({
    ...{ app, timestamp, content, part: 0 },
    targets: [{ registrations, content }],
  }));
  await notifyAtOnce(notifier, async () => notifications);
}

const CAPACITY_ERROR =
  'The monthly capacity limit of the node service has been exceeded. Upgrade the scaling policy to continue receiving notifications.';

/**
 * Notifies every active registration that the quota of this server at the node is used up; notifies each application at
 * most once an hour.
 */
export const notifyCapacity = (notifier: Notifier): Promise<void> => notifyError(notifier, CAPACITY_ERROR, () => true);

const WATCHED_ERROR = `The application has ${MAX_WATCHED} pending transactions, which is the limit. Further ones are not watched until these are mined or dropped.`;

/**
 * Notifies the DROPPED_TRANSACTION registrations of applications that some of their pending transactions are not
 * watched; at most once an hour.
 */
export const notifyUnwatched = (notifier: Notifier, apps: ReadonlyMap<string, number>): Promise<void> =>
  notifyError(notifier, WATCHED_ERROR, ({ app, type }) => type === 'DROPPED_TRANSACTION' && apps.has(app));

/**
 * Notifies active registrations of an error, except registrations of applications that this server has notified of the
 * error in the last hour.
 */
function notifyError(notifier: Notifier, error: string, isConcerned: (registration: WebhookRegistration) => boolean) {
  return notifyAtOnce(notifier, async (query) => {
    const timestamp = new Date().toISOString();
    const statement = `select distinct app from webhook_events
       where type = 'CAPACITY_EXCEEDED' and source = 'derived' and received_at > now() - interval '1 hour'
         and chain_id = $1 and content ->> 'error' = $2`;
    const rows = await query<{ app: string }>(statement, [query.chainId, error]);
    const notified = new Set(rows.map(({ app }) => app));
    const due = (await activeRegistrations(query)).filter((one) => !notified.has(one.app) && isConcerned(one));
    return [...groupBy(due, ({ app, type }) => `${type} ${app}`).values()].map((group) =>
      errorNotification({ app: group[0]!.app, timestamp }, group[0]!.type, error, group),
    );
  });
}
