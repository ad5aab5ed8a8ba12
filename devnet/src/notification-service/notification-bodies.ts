import { toQuantity, zeroPadValue } from 'ethers';
import { fixTransaction } from '../node-service/behaviour/anvil-fixes.ts';
import type { AssetMetadata } from './asset-metadata.ts';
import type { MinedTransaction } from './block-contents.ts';
import type { GasPrices } from './gas-prices.ts';
import type { Transfer } from './transfers.ts';

/** The fields that every notification has. */
export interface NotificationSource {
  /** Name of the application. */
  readonly app: string;
  readonly network: string;
}

/** The fields of a transaction object, as the service description lists them. */
const TRANSACTION_FIELDS = [
  'blockHash',
  'blockNumber',
  'from',
  'gas',
  'gasPrice',
  'hash',
  'input',
  'nonce',
  'to',
  'transactionIndex',
  'value',
  'v',
  'r',
  's',
] as const;

/** Body for a transaction that was included in a block. */
export function minedTransactionBody(source: NotificationSource, sentAt: Date, transaction: MinedTransaction) {
  const fixed = fixTransaction(transaction);
  return {
    ...source,
    webhookType: 'MINED_TRANSACTION',
    timestamp: sentAt.toISOString(),
    fullTransaction: Object.fromEntries(TRANSACTION_FIELDS.map((field) => [field, fixed[field] ?? null])),
  };
}

/** Body for the transfers of a block. Its timestamp is null, as in the service description. */
export const addressActivityBody = (source: NotificationSource, activity: readonly ActivityEntry[]) => ({
  ...source,
  webhookType: 'ADDRESS_ACTIVITY',
  timestamp: null,
  activity,
});

/** A transfer in the format of the service description. */
export type ActivityEntry = ReturnType<typeof activityEntry>;

/** Converts a transfer of the block with this number (0x-hex). `value` and `decimals` are null if the contract has no decimals. */
export function activityEntry(blockNum: string, transfer: Transfer, { symbol, decimals: stated }: AssetMetadata) {
  const { category, from, to, contract, rawValue, tokenId } = transfer;
  // ERC-721 has no decimals.
  const decimals = category === 'erc721' ? 0 : stated;
  return {
    fromAddress: zeroPadValue(from, 32),
    toAddress: zeroPadValue(to, 32),
    blockNum,
    category,
    // Parsed as a decimal number, so that it is the nearest double.
    value: decimals === null ? null : Number(`${BigInt(rawValue)}e-${decimals}`),
    asset: symbol,
    rawContract: { rawValue, address: contract, decimals },
    ...(tokenId !== undefined && { erc721TokenId: toQuantity(tokenId) }),
  };
}

/** Body for the gas prices at a block. */
export const gasPriceBody = (source: NotificationSource, sentAt: Date, gasPriceMetadata: GasPrices) => ({
  ...source,
  webhookType: 'GAS_PRICE',
  timestamp: sentAt.toISOString(),
  gasPriceMetadata,
});
