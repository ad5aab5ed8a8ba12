import type { GasPriceTrigger, WebhookRegistration } from './model.ts';

/** A row of the table of registrations, without its tokens. */
export interface RegistrationRow {
  readonly id: string;
  readonly app: string;
  readonly type: WebhookRegistration['type'];
  readonly url: string;
  readonly active: boolean;
  readonly gas_price: GasPriceTrigger | null;
  readonly confirmations: number;
  readonly created_at: Date;
}

/** The columns of a row, of the table `webhooks`. Never the tokens. */
export const REGISTRATION_COLUMNS =
  'webhooks.id, webhooks.app, webhooks.type, webhooks.url, webhooks.active, webhooks.gas_price, webhooks.confirmations, webhooks.created_at';

/** The registration of a row. Its addresses are rows of another table, except that a GAS_PRICE has none. */
export const toRegistration = (row: RegistrationRow): WebhookRegistration => ({
  id: row.id,
  app: row.app,
  type: row.type,
  url: row.url,
  active: row.active,
  gasPrice: row.gas_price,
  confirmations: row.confirmations,
  createdAt: row.created_at.toISOString(),
  ...(row.type === 'GAS_PRICE' && { addresses: [] }),
});
