import { createHash } from 'node:crypto';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { AddressActivity, EventContent, GasPriceMetadata, NotifiedTransaction } from '../model.ts';

/** Returns the body of a notification as the service description states it, as JSON. `timestamp`: ISO 8601 in UTC, or null. */
export function bodyOf(content: EventContent, app: string, network: string, timestamp: string | null): string {
  return JSON.stringify({ app, network, ...typedFields(content, timestamp) });
}

/** The id of a delivery, which all its attempts share: of the registration, of what happened, and of the part unless it is the first. */
export const deliveryId = (registrationId: string, eventId: string, part: number): string =>
  createHash('sha256')
    .update(JSON.stringify([registrationId, eventId, ...(part === 0 ? [] : [part])]))
    .digest('hex')
    .slice(0, 32);

function typedFields(content: EventContent, timestamp: string | null): object {
  switch (content.type) {
    case 'MINED_TRANSACTION':
      return { webhookType: content.type, timestamp, fullTransaction: transactionBody(content.fullTransaction) };
    case 'DROPPED_TRANSACTION':
      return {
        webhookType: content.type,
        timestamp,
        hash: content.hash,
        fullTransaction: transactionBody(content.fullTransaction),
      };
    case 'ADDRESS_ACTIVITY':
      return { webhookType: content.type, timestamp, activity: content.activity.map(activityBody) };
    case 'GAS_PRICE':
      return { webhookType: content.type, timestamp, gasPriceMetadata: gasPriceBody(content.gasPrice) };
    case 'CAPACITY_EXCEEDED':
      return { webhookType: content.webhookType, timestamp, error: content.error };
  }
}

/** The transaction object of the service description, in the order of its fields. */
const transactionBody = (transaction: NotifiedTransaction) => ({
  blockHash: transaction.blockHash,
  blockNumber: transaction.blockNumber,
  from: transaction.from,
  gas: transaction.gas,
  gasPrice: transaction.gasPrice,
  hash: transaction.hash,
  input: transaction.inputData,
  nonce: transaction.nonce,
  to: transaction.to,
  transactionIndex: transaction.transactionIndex,
  value: transaction.value,
  v: transaction.v,
  r: transaction.r,
  s: transaction.s,
});

/** A transfer: addresses padded to 32 bytes. The service description has no transaction hash. */
const activityBody = ({ from, to, blockNumber, category, value, asset, tokenId, rawContract }: AddressActivity) => ({
  fromAddress: from && padded(from),
  toAddress: to && padded(to),
  blockNum: blockNumber,
  category,
  value,
  asset,
  rawContract: {
    // The 32 bytes of the event.
    rawValue: category === 'token' ? rawContract.rawValue && word(rawContract.rawValue) : rawContract.rawValue,
    address: rawContract.address,
    decimals: rawContract.decimals,
  },
  // Named as by hosted notification services; the service description does not show an ERC-721 transfer.
  ...(tokenId && { erc721TokenId: tokenId }),
});

const gasPriceBody = (prices: GasPriceMetadata) => ({
  fast: prices.fast,
  fastest: prices.fastest,
  safeLow: prices.safeLow,
  average: prices.average,
  block_time: prices.blockTime,
  blockNum: prices.blockNumber === null ? null : Number(prices.blockNumber),
  speed: prices.speed,
  safeLowWait: prices.safeLowWait,
  avgWait: prices.avgWait,
  fastWait: prices.fastWait,
  fastestWait: prices.fastestWait,
});

const word = (quantity: Quantity): Data => `0x${quantity.slice(2).padStart(64, '0')}`;
const padded = (address: Data): Data => word(address);
