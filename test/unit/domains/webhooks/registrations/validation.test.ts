import { expect, test } from '@jest/globals';
import type { WebhookRegistration } from '../../../../../src/domains/webhooks/registrations/model.ts';
import {
  type RegistrationRules,
  validateChanges,
  validateNewRegistration,
} from '../../../../../src/domains/webhooks/registrations/validation.ts';
import type { CreateWebhookInput, UpdateWebhookInput } from '../../../../../src/generated/webhooks.ts';
import { GraphError } from '../../../../../src/lib/errors.ts';

const RULES: RegistrationRules = { maxAddresses: 3, receiverUrls: { allowsPrivate: false, exempt: new Set() } };
const URL = 'https://receiver.example.com/hooks';
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);

const MINED: CreateWebhookInput = { type: 'MINED_TRANSACTION', url: URL, addresses: addresses(1) };
const GAS_PRICE: CreateWebhookInput = { type: 'GAS_PRICE', url: URL, gasPrice: { speed: 'FAST', above: 50 } };

/** The error that a function throws. */
function errorOf(run: () => unknown): GraphError {
  try {
    run();
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a registration of addresses is accepted without duplicates, and waits for one block by default', () => {
  const input = { ...MINED, addresses: [...addresses(2), ...addresses(2)] };
  expect(validateNewRegistration(input, RULES)).toEqual({
    type: 'MINED_TRANSACTION',
    url: URL,
    gasPrice: null,
    confirmations: 1,
    addresses: addresses(2),
  });
});

test('a registration of gas prices is accepted with one threshold or two', () => {
  expect(validateNewRegistration(GAS_PRICE, RULES)).toMatchObject({
    gasPrice: { speed: 'FAST', above: 50, below: null },
    addresses: [],
  });
  const both = { ...GAS_PRICE, gasPrice: { speed: 'SAFE_LOW', above: 50, below: 0 } } as const;
  expect(validateNewRegistration(both, RULES).gasPrice).toEqual({ speed: 'SAFE_LOW', above: 50, below: 0 });
});

test.each<[string, string, CreateWebhookInput]>([
  ['a capacity registration', '`input.type`', { ...MINED, type: 'CAPACITY_EXCEEDED' }],
  ['a URL without encryption', '`input.url`', { ...MINED, url: 'http://receiver.example.com' }],
  ['a text that is no URL', '`input.url`', { ...MINED, url: 'receiver' }],
  ['a URL with U+0000', '`input.url`', { ...MINED, url: `${URL}\0` }],
  ['a URL with a lone surrogate', '`input.url`', { ...MINED, url: `${URL}\ud800` }],
  ['a URL with a password', '`input.url`', { ...MINED, url: 'https://user:password@receiver.example.com' }],
  ['no addresses', '`input.addresses`', { ...MINED, addresses: null }],
  ['an empty list of addresses', '`input.addresses`', { ...MINED, type: 'DROPPED_TRANSACTION', addresses: [] }],
  ['addresses of gas prices', '`input.addresses`', { ...GAS_PRICE, addresses: addresses(1) }],
  ['a threshold of transactions', '`input.gasPrice`', { ...MINED, gasPrice: { speed: 'FAST', above: 1 } }],
  ['gas prices without a threshold', '`input.gasPrice`', { ...GAS_PRICE, gasPrice: null }],
  ['a threshold without a price', '`input.gasPrice`', { ...GAS_PRICE, gasPrice: { speed: 'FAST', above: null } }],
  ['a negative price', '`input.gasPrice.below`', { ...GAS_PRICE, gasPrice: { speed: 'FAST', below: -1 } }],
  ['no confirmations', '`input.confirmations`', { ...MINED, confirmations: 0 }],
  ['too many confirmations', '`input.confirmations`', { ...MINED, confirmations: 65 }],
])('a new registration with %s is rejected by the name of the field', (_case, field, input) => {
  const { code, message } = errorOf(() => validateNewRegistration(input, RULES));
  expect([code, message.startsWith(`Invalid ${field}`)]).toEqual(['BAD_USER_INPUT', true]);
});

test('too many addresses are rejected with the limit, the number and the setting', () => {
  const { extensions } = errorOf(() => validateNewRegistration({ ...MINED, addresses: addresses(4) }, RULES));
  expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', limit: 3, actual: 4, setting: 'MAX_WEBHOOK_ADDRESSES' });
});

test('changes that are omitted or null leave a registration as it is', () => {
  const nothing = {
    ...{ url: undefined, active: undefined, gasPrice: undefined, confirmations: undefined },
    ...{ addAddresses: [], removeAddresses: [] },
  };
  expect(validateChanges({ id: '1' }, { type: 'ADDRESS_ACTIVITY' }, RULES)).toEqual(nothing);
  const nulls = { id: '1', url: null, active: null, gasPrice: null, confirmations: null, addAddresses: null };
  expect(validateChanges(nulls, { type: 'GAS_PRICE' }, RULES)).toEqual(nothing);
});

test.each<[string, string, WebhookRegistration['type'], Partial<UpdateWebhookInput>]>([
  ['a private URL scheme', '`input.url`', 'MINED_TRANSACTION', { url: 'file:///etc/passwd' }],
  ['addresses of gas prices', '`input.addAddresses`', 'GAS_PRICE', { addAddresses: addresses(1) }],
  ['removed addresses of gas prices', '`input.removeAddresses`', 'GAS_PRICE', { removeAddresses: addresses(1) }],
  ['a threshold of transactions', '`input.gasPrice`', 'DROPPED_TRANSACTION', { gasPrice: { speed: 'FAST', above: 1 } }],
  ['too many new addresses', '`input.addAddresses`', 'ADDRESS_ACTIVITY', { addAddresses: addresses(4) }],
  [
    'an address that is added and removed',
    '`input.removeAddresses`',
    'ADDRESS_ACTIVITY',
    { addAddresses: addresses(2), removeAddresses: addresses(1) },
  ],
  ['negative confirmations', '`input.confirmations`', 'MINED_TRANSACTION', { confirmations: -1 }],
])('a change with %s is rejected by the name of the field', (_case, field, type, changes) => {
  const { code, message } = errorOf(() => validateChanges({ id: '1', ...changes }, { type }, RULES));
  expect([code, message.startsWith(`Invalid ${field}`)]).toEqual(['BAD_USER_INPUT', true]);
});
