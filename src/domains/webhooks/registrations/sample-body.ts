import type { WebhookRegistration } from './model.ts';

/** Values of the samples, which are of no real chain. */
const SENDER = `0x${'11'.repeat(20)}`;
const RECIPIENT = `0x${'22'.repeat(20)}`;
const CONTRACT = `0x${'33'.repeat(20)}`;
const HASH = `0x${'ab'.repeat(32)}`;

const padded = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`;

const TRANSACTION = {
  hash: HASH,
  nonce: '0x7',
  blockHash: `0x${'cd'.repeat(32)}`,
  blockNumber: '0x10',
  transactionIndex: '0x0',
  from: SENDER,
  to: RECIPIENT,
  value: '0xde0b6b3a7640000',
  gasPrice: '0x3b9aca00',
  gas: '0x5208',
  input: '0x',
  v: '0x25',
  r: '0x1',
  s: '0x2',
};

const DROPPED_TRANSACTION = { ...TRANSACTION, blockHash: null, blockNumber: null, transactionIndex: null };

const ACTIVITY = {
  fromAddress: padded(SENDER),
  toAddress: padded(RECIPIENT),
  blockNum: '0x10',
  category: 'token',
  value: 1.5,
  asset: 'SAMPLE',
  rawContract: { rawValue: '0x14d1120d7b160000', address: CONTRACT, decimals: 18 },
};

const GAS_PRICES = {
  fast: 40,
  fastest: 60,
  safeLow: 20,
  average: 30,
  block_time: 12,
  blockNum: 16,
  speed: 0.9,
  safeLowWait: 10,
  avgWait: 4,
  fastWait: 1,
  fastestWait: 0.5,
};

/** The body of a test: that of a notification of the registration's type, with sample values. */
export function sampleBody({ app, type }: Pick<WebhookRegistration, 'app' | 'type'>, sentAt: Date): object {
  const common = { app, network: 'SAMPLE_NETWORK', timestamp: sentAt.toISOString(), webhookType: type };
  switch (type) {
    case 'MINED_TRANSACTION':
      return { ...common, fullTransaction: TRANSACTION };
    case 'DROPPED_TRANSACTION':
      return { ...common, hash: HASH, fullTransaction: DROPPED_TRANSACTION };
    case 'ADDRESS_ACTIVITY':
      return { ...common, activity: [ACTIVITY] };
    case 'GAS_PRICE':
      return { ...common, gasPriceMetadata: GAS_PRICES };
  }
}
