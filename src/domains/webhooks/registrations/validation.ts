import type { Data } from '../../../ethereum/hex.ts';
import type { CreateWebhookInput, GasPriceTriggerInput, UpdateWebhookInput } from '../../../generated/webhooks.ts';
import { GraphError } from '../../../lib/errors.ts';
import { checkReceiverUrl, type ReceiverUrlOptions } from '../delivery/receiver-url.ts';
import type { GasPriceTrigger, WebhookRegistration } from './model.ts';

/** Maximum number of blocks that a notification can wait for. */
export const MAX_CONFIRMATIONS = 64;

/** The limits of a registration. */
export interface RegistrationRules {
  /** MAX_WEBHOOK_ADDRESSES. */
  readonly maxAddresses: number;
  readonly receiverUrls: ReceiverUrlOptions;
}

/** The checked values of a new registration. */
export type NewRegistration = Pick<WebhookRegistration, 'type' | 'url' | 'gasPrice' | 'confirmations'> & {
  /** Distinct; empty for GAS_PRICE. */
  readonly addresses: readonly Data[];
};

/** The checked changes of a registration; undefined leaves a value as it is. */
export type RegistrationChanges = ReturnType<typeof validateChanges>;

/** Checks the input of `createWebhook`. Throws BAD_USER_INPUT that names the first invalid field. */
export function validateNewRegistration(input: CreateWebhookInput, rules: RegistrationRules): NewRegistration {
  const { type, url } = input;
  if (type === 'CAPACITY_EXCEEDED')
    throw invalidInput('type', 'Every webhook receives CAPACITY_EXCEEDED. Pass another type of notification.');
  checkReceiverUrl(url, rules.receiverUrls);
  const addresses = distinct(input.addresses);
  const confirmations = input.confirmations ?? 1;
  checkConfirmations(confirmations);
  if (type === 'GAS_PRICE') {
    if (addresses.length > 0) throw noAddressesError('addresses');
    if (!input.gasPrice) throw invalidInput('gasPrice', 'GAS_PRICE needs it. Pass a speed, and `above` or `below`.');
    return { type, url, gasPrice: validateTrigger(input.gasPrice), confirmations, addresses };
  }
  if (input.gasPrice) throw noGasPriceError(type);
  if (addresses.length === 0) throw invalidInput('addresses', `${type} needs them. Pass at least one address.`);
  checkAddressCount('addresses', addresses.length, rules.maxAddresses);
  return { type, url, gasPrice: null, confirmations, addresses };
}

/**
 * Checks the input of `updateWebhook` for a registration. Throws BAD_USER_INPUT that names the first invalid field.
 * Does not check the number of addresses after the update, because it depends on the stored addresses.
 */
export function validateChanges(
  input: UpdateWebhookInput,
  { type }: Pick<WebhookRegistration, 'type'>,
  rules: RegistrationRules,
) {
  const url = input.url ?? undefined;
  if (url !== undefined) checkReceiverUrl(url, rules.receiverUrls);
  const confirmations = input.confirmations ?? undefined;
  if (confirmations !== undefined) checkConfirmations(confirmations);
  const [addAddresses, removeAddresses] = [distinct(input.addAddresses), distinct(input.removeAddresses)];
  if (type === 'GAS_PRICE') {
    if (addAddresses.length > 0) throw noAddressesError('addAddresses');
    if (removeAddresses.length > 0) throw noAddressesError('removeAddresses');
  } else if (input.gasPrice) throw noGasPriceError(type);
  checkAddressCount('addAddresses', addAddresses.length, rules.maxAddresses);
  const removed = new Set(removeAddresses);
  const both = addAddresses.find((address) => removed.has(address));
  if (both !== undefined) throw invalidInput('removeAddresses', `${both} is in \`addAddresses\`, too. Pass it in one of them.`);
  const gasPrice = input.gasPrice ? validateTrigger(input.gasPrice) : undefined;
  return { url, active: input.active ?? undefined, gasPrice, confirmations, addAddresses, removeAddresses };
}

/** BAD_USER_INPUT: a registration has too many addresses. */
export function checkAddressCount(field: string, actual: number, limit: number): void {
  if (actual <= limit) return;
  const message = `Invalid \`input.${field}\`. Pass at most ${limit} addresses for one webhook.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit, actual, setting: 'MAX_WEBHOOK_ADDRESSES' });
}

/** BAD_USER_INPUT: names the field of the input and the accepted values. */
export const invalidInput = (field: string, message: string): GraphError =>
  new GraphError('BAD_USER_INPUT', `Invalid \`input.${field}\`. ${message}`);

const noAddressesError = (field: string): GraphError =>
  invalidInput(field, 'A webhook of type GAS_PRICE has no addresses. Omit it.');

const noGasPriceError = (type: string): GraphError =>
  invalidInput('gasPrice', `Only GAS_PRICE has a threshold, and the type is ${type}. Omit it.`);

const distinct = (addresses: readonly Data[] | null | undefined): readonly Data[] => [...new Set(addresses ?? [])];

function checkConfirmations(confirmations: number): void {
  if (confirmations < 1 || confirmations > MAX_CONFIRMATIONS)
    throw invalidInput('confirmations', `Pass a number from 1 to ${MAX_CONFIRMATIONS}.`);
}

function validateTrigger({ speed, above = null, below = null }: GasPriceTriggerInput): GasPriceTrigger {
  if (above === null && below === null) throw invalidInput('gasPrice', 'Pass `above` or `below`, in gwei.');
  for (const [field, price] of Object.entries({ above, below })) {
    if (price !== null && price < 0) throw invalidInput(`gasPrice.${field}`, 'Pass a price in gwei, 0 or greater.');
  }
  return { speed, above, below };
}
