import { expect, test } from '@jest/globals';
import { bodyOf, deliveryId } from '../../../../../src/domains/webhooks/derivation/bodies.ts';
import { gasPriceMetadata, isThresholdReached } from '../../../../../src/domains/webhooks/derivation/rates.ts';
import { networkName } from '../../../../../src/domains/webhooks/derivation/term.ts';
import type { GasPriceMetadata } from '../../../../../src/domains/webhooks/model.ts';
import { decodeNotification } from '../../../../../src/domains/webhooks/receiver/notification.ts';
import { sampleBody } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';

test.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('the body of %s is the documented body', (type) => {
  const { app, network, timestamp, content } = decodeNotification(BODIES[type]);
  const body = JSON.parse(bodyOf(content, app!, network, timestamp));
  if (type === 'ADDRESS_ACTIVITY')
    body.activity[0].rawContract.rawValue = `0x${body.activity[0].rawContract.rawValue.slice(2).replace(/^0+/, '')}`;
  expect(body).toEqual({ ...BODIES[type], ...(type === 'GAS_PRICE' && { webhookType: type }) });
});

test.each(['MINED_TRANSACTION', 'DROPPED_TRANSACTION', 'ADDRESS_ACTIVITY', 'GAS_PRICE'] as const)(
  'the sample of %s is the body of a notification of the application',
  (type) => {
    const body = sampleBody({ app: 'shop', type }, new Date('2026-11-01T12:00:00.000Z'));
    const expected = { app: 'shop', network: 'SAMPLE_NETWORK', timestamp: '2026-11-01T12:00:00.000Z', content: { type } };
    expect(decodeNotification(body)).toMatchObject(expected);
  },
);

test('the body of an ERC-721 transfer has the id of the token, which a receiver decodes', () => {
  const body = {
    ...BODIES.ADDRESS_ACTIVITY,
    activity: [{ ...BODIES.ADDRESS_ACTIVITY.activity[0], category: 'erc721', erc721TokenId: '0x7' }],
  };
  const { app, network, timestamp, content } = decodeNotification(body);
  expect(content).toMatchObject({ activity: [{ category: 'erc721', tokenId: '0x7' }] });
  expect(JSON.parse(bodyOf(content, app!, network, timestamp)).activity).toMatchObject([
    { category: 'erc721', erc721TokenId: '0x7' },
  ]);
});

test('a delivery has another id for another registration and another event', () => {
  const ids = [
    deliveryId('a', 'b', 0),
    deliveryId('a', 'b', 1),
    deliveryId('a', 'c', 0),
    deliveryId('b', 'b', 0),
    deliveryId('ab', '', 0),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(deliveryId('a', 'b', 0)).toMatch(/^[0-9a-f]{32}$/);
});

test.each([
  ['0x1', 'ETH_MAINNET'],
  ['0xaa36a7', 'ETH_SEPOLIA'],
  ['0x539', 'CHAIN_1337'],
])('the network of chain id %s is %s', (chainId, name) => {
  expect(networkName(chainId)).toBe(name);
});

const gwei = (n: number) => `0x${(n * 1e9).toString(16)}`;

test('gas prices are the next base fee and the median tip of the blocks with transactions, and unknown without either', () => {
  const row = (...tips: number[]) => tips.map(gwei);
  const history = {
    oldestBlock: '0x1',
    baseFeePerGas: [gwei(9), gwei(10), gwei(10), gwei(20)],
    gasUsedRatio: [0.5, 0, 0.25],
    reward: [row(1, 2, 3, 4), row(0, 0, 0, 0), row(3, 4, 5, 6)],
  };
  expect(gasPriceMetadata(history, '0x3')).toMatchObject({
    ...{ safeLow: 21, average: 22, fast: 23, fastest: 24, speed: 0, blockNumber: '0x3', blockTime: null, fastestWait: null },
  });
  const empty = { oldestBlock: '0x1', gasUsedRatio: [0], reward: [['0x0', '0x0', '0x0', '0x0']] };
  expect(gasPriceMetadata(empty, '0x1')).toBeUndefined();
});

test.each([
  [{ speed: 'FAST', above: 10, below: null }, false],
  [{ speed: 'FAST', above: 9.9, below: null }, true],
  [{ speed: 'FAST', above: null, below: 10 }, false],
  [{ speed: 'FAST', above: null, below: 10.1 }, true],
  [{ speed: 'FASTEST', above: 10, below: null }, true],
  [{ speed: 'SAFE_LOW', above: 8, below: 2 }, true],
] as const)('the threshold %o at a price of 10 gwei', (trigger, isReached) => {
  const prices = { safeLow: 1, average: 5, fast: 10, fastest: 20 } as GasPriceMetadata;
  expect(isThresholdReached(prices, trigger)).toBe(isReached);
});
