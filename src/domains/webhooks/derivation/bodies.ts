import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { idFrom } from '../event-id.ts';
import type { AddressActivity, EventContent, GasPriceMetadata, NotifiedTransaction } from '../model.ts';

/** Returns the body of a notification as the service description states it, as JSON. `timestamp`: ISO 8601 in UTC, or null. */
export function bodyOf(content: EventContent, app: string, network: string, timestamp: string | null): string {
  return JSON.stringify({ app, network, webhookType: content.type, timestamp, ...typedFields(content) });
}

/**
 * The id of a delivery, which all its attempts share. It is computed from the registration, the reported fact, and the
 * part unless it is the first part.
 */
export const deliveryId = (registrationId: string, eventId: string, part: number): string =>
  idFrom(JSON.stringify([registrationId, eventId, ...(part === 0 ? [] : [part])]));

/** The fields of a type besides the common fields, in the words of the service description. */
function typedFields(content: EventContent): object {
  switch (content.type) {
    case 'MINED_TRANSACTION':
      return { fullTransaction: transactionBody(content.fullTransaction) };
    case 'DROPPED_TRANSACTION':
      return { hash: content.hash, fullTransaction: transactionBody(content.fullTransaction) };
    case 'ADDRESS_ACTIVITY':
      return { activity: content.activity.map(activityBody) };
    case 'GAS_PRICE':
      return { gasPriceMetadata: gasPriceBody(content.gasPrice) };
    case 'CAPACITY_EXCEEDED':
      return { webhookType: content.webhookType, error: content.error };
  }
}

const transactionBody = ({ inputData: input, ...transaction }: NotifiedTransaction) => ({ ...transaction, input });

/** A transfer: addresses padded to 32 bytes. The service description has no transaction hash. */
const activityBody = ({ from, to, blockNumber, category, value, asset, tokenId, rawContract }: AddressActivity) => ({
  fromAddress: from && word(from),
  toAddress: to && word(to),
  blockNum: blockNumber,
  ...{ category, value, asset },
  // The 32 bytes of the event.
  rawContract:
    category === 'token' && rawContract.rawValue ? { ...rawContract, rawValue: word(rawContract.rawValue) } : rawContract,
  // Named as by hosted notification services; the service description does not show an ERC-721 transfer.
  ...(tokenId && { erc721TokenId: tokenId }),
});

const gasPriceBody = ({ blockTime, blockNumber, ...prices }: GasPriceMetadata) => ({
  ...prices,
  block_time: blockTime,
  blockNum: blockNumber === null ? null : Number(blockNumber),
});

const word = (quantity: Quantity): Data => `0x${quantity.slice(2).padStart(64, '0')}`;
