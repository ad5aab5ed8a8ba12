import { hash, randomBytes } from 'node:crypto';
import type { AddressActivity, EventContent, Notification } from './model.ts';

/** Number of bytes of an id: enough to avoid collisions. */
const ID_BYTES = 16;

/** Returns the id that follows from a text. */
export const idFrom = (text: string): string => hash('sha256', text, 'hex').slice(0, 2 * ID_BYTES);

/**
 * Returns the id of an event. The id follows from the type, transaction, block, position and time that the notification
 * names, so that equal notifications have equal ids even if their bytes differ. The network is not part of the id of a
 * transaction, because two senders may spell the name of the network differently; the id of a further chain is, because two forks of one
 * history have equal transactions.
 */
export const eventId = ({ app, network, chainId, timestamp, content }: Notification): string =>
  idFrom(JSON.stringify([content.type, app, ...factsOf(content, network, timestamp), ...(chainId ? [{ chainId }] : [])]));

/**
 * Whether an equal notification may report a new fact: this notification names no time, and its fact can occur more
 * than once in the chain. Two equal transfers of one transaction are in one notification.
 */
export function mayRecur({ timestamp, content }: Pick<Notification, 'timestamp' | 'content'>): boolean {
  if (timestamp !== null || content.type === 'MINED_TRANSACTION') return false;
  return content.type !== 'ADDRESS_ACTIVITY' || content.activity.some(({ transactionHash }) => transactionHash === null);
}

/**
 * Returns the id of an event that may recur. The id is random, because nothing in the notification identifies the
 * event.
 */
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
