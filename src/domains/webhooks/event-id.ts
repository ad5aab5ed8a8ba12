import { createHash } from 'node:crypto';
import type { AddressActivity, EventContent, Notification } from './model.ts';

/** Bytes of an id: enough that no two facts share one by chance. */
const ID_BYTES = 16;

/**
 * Returns the id of an event, from what happened: the type, and the transaction, block and position that it names. The time of a notification is
 * part of the id only where nothing else tells two events apart; the day replaces a missing time of a capacity error. The network is not part of
 * the id of a transaction, because two senders may spell it differently.
 */
export function eventId({ app, network, timestamp, content }: Notification, receivedAt: Date): string {
  const facts = factsOf(content, network, timestamp, receivedAt);
  const hash = createHash('sha256').update(JSON.stringify([content.type, app, ...facts]));
  return hash.digest('hex').slice(0, 2 * ID_BYTES);
}

function factsOf(content: EventContent, network: string, timestamp: string | null, receivedAt: Date): readonly unknown[] {
  switch (content.type) {
    case 'MINED_TRANSACTION':
      return [content.fullTransaction.hash, content.fullTransaction.blockHash];
    case 'DROPPED_TRANSACTION':
      return [content.hash];
    case 'ADDRESS_ACTIVITY':
      return [network, ...content.activity.map(activityFacts)];
    case 'GAS_PRICE':
      return [network, timestamp, content.gasPrice];
    case 'CAPACITY_EXCEEDED':
      return [network, timestamp ?? receivedAt.toISOString().slice(0, 10), content.error, content.webhookType];
  }
}

const activityFacts = ({
  blockNumber,
  transactionHash,
  from,
  to,
  category,
  asset,
  value,
  tokenId,
  rawContract,
}: AddressActivity) => [
  blockNumber,
  transactionHash,
  from,
  to,
  category,
  rawContract.address,
  // Only native coins may lack the exact amount.
  rawContract.rawValue ?? value,
  asset,
  ...(tokenId ? [tokenId] : []),
];
