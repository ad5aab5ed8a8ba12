import { GraphError } from '../../lib/errors.ts';
import type { SharedCounts } from '../../lib/shared-counts.ts';

/** Limits of the summed event costs of groups; each property is the setting with the name of the property. */
export type SubscriptionCostLimits = Readonly<Record<(typeof SCOPE_LIMITS)[number]['setting'], number>>;

/** A connection with subscriptions: a WebSocket, or an event stream. Costs are summed by the identity of this object. */
export interface SubscribingConnection {
  /**
   * Key of the client whose connections share a limit; undefined if it is unknown, and then this limit does not apply.
   */
  readonly client: string | undefined;
}

/** A scope in which costs are summed: a connection, a client, or the server. */
type CostScope = object | string;

/** A group with the cost of executing one of its events. */
export interface PricedGroup {
  /** An integer of at least 1, in the unit of MAX_COST. */
  readonly eventCost: number;
  /** Number of the group's subscribers in each scope. */
  readonly subscriberCounts: Map<CostScope, number>;
}

/** The limits of a connection, a client and the server, in this order. */
const SCOPE_LIMITS = [
  { setting: 'MAX_SUBSCRIPTION_COST', subject: 'this connection', retryable: false },
  { setting: 'MAX_CLIENT_SUBSCRIPTION_COST', subject: 'this client', retryable: true },
  { setting: 'MAX_SERVER_SUBSCRIPTION_COST', subject: 'all clients', retryable: true },
] as const;

/** Sums the event costs of the groups in which each connection, each client and the server have subscribers. */
export class SubscriptionCosts {
  readonly #limits: SubscriptionCostLimits;
  readonly #sums = new Map<CostScope, number>();
  readonly #counts: SharedCounts | undefined;

  /** `counts`: the sums of the other processes of the server. */
  constructor(limits: SubscriptionCostLimits, counts?: SharedCounts) {
    this.#limits = limits;
    this.#counts = counts;
  }

  /** The cost of one event of every group with subscribers. */
  get serverSum(): number {
    return this.#sums.get(this) ?? 0;
  }

  /** Throws TOO_MANY_SUBSCRIPTIONS if a subscriber of this group would exceed a limit. */
  check({ eventCost, subscriberCounts }: PricedGroup, connection: SubscribingConnection): void {
    const scopes = [connection, connection.client, this];
    for (const [i, { setting, subject, retryable }] of SCOPE_LIMITS.entries()) {
      const scope = scopes[i];
      if (scope === undefined || subscriberCounts.has(scope)) continue;
      const limit = this.#limits[setting];
      const name = this.#nameOf(scope);
      const others = (name !== undefined && this.#counts?.others(name)) || 0;
      const actual = (this.#sums.get(scope) ?? 0) + others + eventCost;
      if (actual <= limit) continue;
      const advice = scope === this ? 'Try again later' : 'Complete a subscription first';
      const message = `One event of each subscription of ${subject} would cost ${actual}; the limit is ${limit} (${setting}). ${advice}, or select fewer fields.`;
      throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit, actual, setting, retryable });
    }
  }

  /** Counts a subscriber of a group. The group's cost counts once in each scope. */
  add({ eventCost, subscriberCounts }: PricedGroup, connection: SubscribingConnection): void {
    for (const scope of this.#scopesOf(connection)) {
      const count = subscriberCounts.get(scope) ?? 0;
      subscriberCounts.set(scope, count + 1);
      if (count === 0) this.#setSum(scope, (this.#sums.get(scope) ?? 0) + eventCost);
    }
  }

  /** Removes a subscriber that `add` has counted. */
  remove({ eventCost, subscriberCounts }: PricedGroup, connection: SubscribingConnection): void {
    for (const scope of this.#scopesOf(connection)) {
      const count = subscriberCounts.get(scope)! - 1;
      if (count > 0) subscriberCounts.set(scope, count);
      else {
        subscriberCounts.delete(scope);
        this.#setSum(scope, this.#sums.get(scope)! - eventCost);
      }
    }
  }

  #setSum(scope: CostScope, sum: number): void {
    if (sum > 0) this.#sums.set(scope, sum);
    else this.#sums.delete(scope);
    const name = this.#nameOf(scope);
    if (name !== undefined) this.#counts?.set(name, sum);
  }

  /** The name of the sum in the counts of all processes; undefined for a connection, which belongs to one process. */
  #nameOf(scope: CostScope): string | undefined {
    if (scope === this) return 'subscriptions';
    return typeof scope === 'string' ? `subscriptions of ${scope}` : undefined;
  }

  #scopesOf(connection: SubscribingConnection): CostScope[] {
    const { client } = connection;
    return client === undefined ? [connection, this] : [connection, client, this];
  }
}
