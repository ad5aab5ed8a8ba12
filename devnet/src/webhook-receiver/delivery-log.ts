/** A delivery that the receiver has accepted. */
export interface AcceptedDelivery {
  /** Header `webhook-id`, which all attempts of a delivery share. */
  readonly id: string;
  readonly webhookId: string;
  /** ISO 8601; of the first attempt. */
  readonly receivedAt: string;
  /** The notification. */
  readonly body: unknown;
}

export interface DeliveryLog {
  /** Adds a delivery, unless the log has a delivery with this id. */
  add(delivery: AcceptedDelivery): void;
  /** The newest delivery is first. */
  list(): readonly AcceptedDelivery[];
}

/** Maximum number of deliveries in the log. */
export const MAX_DELIVERIES = 100;

/** Creates a log of the last deliveries. */
export function createDeliveryLog(): DeliveryLog {
  const byId = new Map<string, AcceptedDelivery>();
  return {
    add(delivery) {
      if (byId.has(delivery.id)) return;
      byId.set(delivery.id, delivery);
      const [oldest] = byId.keys();
      if (byId.size > MAX_DELIVERIES) byId.delete(oldest!);
    },
    list: () => [...byId.values()].reverse(),
  };
}
