import { createHash, randomBytes } from 'node:crypto';
import type { AddressActivity, EventContent, Notification } from './model.ts';

/** Bytes of an id: enough that no two facts share one by chance. */
const ID_BYTES = 16;

/**
 * Returns the id of an event, from what its notification names: the type, and the transaction, block, position and time. Equal notifications in
 * other bytes have the same id. The network is not part of the id of a transaction, because two senders may spell it differently.
 */
export function eventId({ app, network, timestamp, content }: Notification): string {
  const hash = createHash('sha256').update(JSON.stringify([content.type, app, ...factsOf(content, network, timestamp)]));
  return hash.digest('hex').slice(0, 2 * ID_BYTES);
}

/**
 * Whether an equal notification may report something new: this one names no time, and a block does not include what it reports once alone. Two
 * equal transfers of one transaction are in one notification.
 */
export function mayRecur({ timestamp, content }: Pick<Notification, 'timestamp' | 'content'>): boolean {
  if (timestamp !== null || content.type === 'MINED_TRANSACTION') return false;
  return content.type !== 'ADDRESS_ACTIVITY' || content.activity.some(({ transactionHash }) => transactionHash === null);
}

/** Returns the id of an event that may recur. It is random, since nothing that the notification names is its own. */
export const recurringEventId = (): string => randomBytes(ID_BYTES).toString('hex');

function factsOf(content: EventContent, network: string, timestamp: string | null): readonly unknown[] {
  switch (content.type) {
    case 'MINED_TRANSACTION':
      return [content.fullTransaction.hash, content.fullTransaction.blockHash];
    case 'DROPPED_TRANSACTION':
      return [content.hash, timestamp];
    case 'ADDRESS_ACTIVITY':
      return [network, ...(timestamp === null ? [] : [timestamp]), ...content.activity.map(activityFacts)];
    case 'GAS_PRICE':
      return [network, timestamp, content.gasPrice];
    case 'CAPACITY_EXCEEDED':
      return [network, timestamp, content.error, content.webhookType];
  }
}

const activityFacts = (transfer: AddressActivity) => [
  transfer.blockNumber,
  transfer.transactionHash,
  transfer.from,
  transfer.to,
  transfer.category,
  transfer.rawContract.address,
  // Only native coins may lack the exact amount.
  transfer.rawContract.rawValue ?? transfer.value,
  transfer.asset,
  ...(transfer.tokenId ? [transfer.tokenId] : []),
];
