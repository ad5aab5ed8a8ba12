/** A webhook that the graph is to register for the embedded receiver, with the fields of its mutation. */
export interface WebhookRequest {
  readonly type: 'ADDRESS_ACTIVITY' | 'MINED_TRANSACTION' | 'GAS_PRICE';
  readonly addresses?: readonly string[];
  /** In gwei. */
  readonly gasPrice?: { readonly speed: 'AVERAGE'; readonly above: number };
}

/** The webhooks of the embedded receiver: the activity and the transactions of these accounts, and the gas price each minute. */
export const embeddedWebhooks = (addresses: readonly string[]): readonly WebhookRequest[] => [
  { type: 'ADDRESS_ACTIVITY', addresses },
  { type: 'MINED_TRANSACTION', addresses },
  { type: 'GAS_PRICE', gasPrice: { speed: 'AVERAGE', above: 0 } },
];
