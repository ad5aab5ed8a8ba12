/** The fields of notifications as the service description states them. */
const COMMON = { app: 'shop', network: 'ETH_MAINNET', timestamp: '2026-11-01T12:00:00.000Z' };

const HASH = `0x${'ab'.repeat(32)}`;
const BLOCK_HASH = `0x${'cd'.repeat(32)}`;
const SENDER = `0x${'11'.repeat(20)}`;
const RECIPIENT = `0x${'22'.repeat(20)}`;
export const CONTRACT = `0x${'33'.repeat(20)}`;

const pad = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;

export const TRANSACTION = {
  hash: HASH,
  blockHash: BLOCK_HASH,
  blockNumber: '0x10',
  from: SENDER,
  gas: '0x5208',
  gasPrice: '0x3b9aca00',
  input: '0x',
  nonce: '0x7',
  r: '0x1',
  s: '0x2',
  to: RECIPIENT,
  transactionIndex: '0x0',
  v: '0x25',
  value: '0xde0b6b3a7640000',
};

/** A complete body of each type. */
export const BODIES = {
  MINED_TRANSACTION: { ...COMMON, webhookType: 'MINED_TRANSACTION', fullTransaction: TRANSACTION },
  DROPPED_TRANSACTION: {
    ...COMMON,
    webhookType: 'DROPPED_TRANSACTION',
    hash: HASH,
    fullTransaction: { ...TRANSACTION, blockHash: null, blockNumber: null, transactionIndex: null },
  },
  ADDRESS_ACTIVITY: {
    ...COMMON,
    timestamp: null,
    webhookType: 'ADDRESS_ACTIVITY',
    activity: [
      {
        fromAddress: pad(SENDER),
        toAddress: pad(RECIPIENT),
        blockNum: '0x10',
        category: 'token',
        value: 1.5,
        asset: 'MANA',
        rawContract: { rawValue: '0x14d1120d7b160000', address: CONTRACT, decimals: 18 },
      },
    ],
  },
  GAS_PRICE: {
    ...COMMON,
    webhookType: 'GAS_PRICE_ABOVE',
    gasPriceMetadata: {
      fast: 40.5,
      fastest: 60,
      safeLow: 20,
      average: 30,
      block_time: 12.5,
      blockNum: 16,
      speed: 0.9,
      safeLowWait: 10,
      avgWait: 4,
      fastWait: 1,
      fastestWait: 0.5,
    },
  },
  CAPACITY_EXCEEDED: {
    ...COMMON,
    webhookType: 'MINED_TRANSACTION',
    error: 'Monthly capacity limit exceeded. Upgrade your scaling policy to continue receiving notifications.',
  },
} as const;
