import { GraphError } from '../../lib/errors.ts';
import type { SubscriptionCostLimits } from './subscription-costs.ts';

/** Limits the characters that running subscriptions retain, of each client and of all clients together. */
export class RetainedText {
  /** The characters of each client, and under undefined the characters of all. */
  readonly #sums = new Map<string | undefined, number>();
  readonly #subject: string;
  readonly #limit: number;
  readonly #clientLimit: number;

  /**
   * `subject`: what the text is, in the plural. `limit`: of all clients. The limit of one client is the share of it that
   * MAX_CLIENT_SUBSCRIPTION_COST has in MAX_SERVER_SUBSCRIPTION_COST.
   */
  constructor(subject: string, limit: number, costs: SubscriptionCostLimits) {
    this.#subject = subject;
    this.#limit = limit;
    this.#clientLimit = Math.floor(limit * (costs.MAX_CLIENT_SUBSCRIPTION_COST / costs.MAX_SERVER_SUBSCRIPTION_COST));
  }

  /**
   * Counts text for the client that needs it first; for an unknown client, which is undefined, only the limit of all clients applies.
   * Returns the function that releases the text, which must be called once. Throws TOO_MANY_SUBSCRIPTIONS.
   */
  retain(chars: number, client: string | undefined): () => void {
    this.#check(chars, undefined, 'all clients', this.#limit);
    if (client !== undefined) this.#check(chars, client, 'this client', this.#clientLimit);
    const scopes = new Set([undefined, client]);
    for (const scope of scopes) this.#add(chars, scope);
    return () => {
      for (const scope of scopes) this.#add(-chars, scope);
    };
  }

  #check(chars: number, scope: string | undefined, owner: string, limit: number): void {
    if ((this.#sums.get(scope) ?? 0) + chars <= limit) return;
    const advice = scope === undefined ? 'Try again later' : 'Complete a subscription first';
    const message = `The ${this.#subject} of the running subscriptions of ${owner} would exceed ${limit} characters. ${advice}.`;
    throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit, retryable: true });
  }

  #add(chars: number, scope: string | undefined): void {
    const sum = (this.#sums.get(scope) ?? 0) + chars;
    if (sum > 0) this.#sums.set(scope, sum);
    else this.#sums.delete(scope);
  }
}
