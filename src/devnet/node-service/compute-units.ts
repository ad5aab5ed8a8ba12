import { NODE_ERROR_CODES, NodeRpcError } from './rpc/rpc-error.ts';

/** The seed's text for a monthly total that is used up. */
const CAPACITY_EXCEEDED_MESSAGE =
  'Monthly compute-unit capacity limit exceeded. Upgrade your scaling policy for continued service.';

export interface ComputeUnitUsage {
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly units: number;
}

/**
 * What one event of a subscription costs. The seed gives no numbers, and says that full pending transactions cost much; these are ours.
 * What a call costs stands with the method.
 */
export const EVENT_UNITS = { newHeads: 10, logs: 10, svc_newFullPendingTransactions: 100 } as const;

/** Compute units by key and calendar month. What was refused because of the capacity is not counted. */
export interface ComputeUnitMeter {
  /** Units a month for each key; null for any number. */
  capacity: number | null;
  /** Counts, or rejects with the capacity error and counts nothing. */
  spend(key: string, units: number): void;
  usage(key: string): ComputeUnitUsage;
}

export function createComputeUnitMeter(capacity: number | null, now: () => number): ComputeUnitMeter {
  const spent = new Map<string, number>();
  const placeOf = (key: string, month: string) => `${month} ${key}`;
  const thisMonth = () => new Date(now()).toISOString().slice(0, 7);
  return {
    capacity,
    spend(key, units) {
      const place = placeOf(key, thisMonth());
      const total = (spent.get(place) ?? 0) + units;
      // What costs nothing is answered even then: whoever is out of units can still ask which chain this is.
      if (units > 0 && this.capacity !== null && total > this.capacity)
        throw new NodeRpcError(NODE_ERROR_CODES.limitExceeded, CAPACITY_EXCEEDED_MESSAGE);
      spent.set(place, total);
    },
    usage(key) {
      const month = thisMonth();
      return { month, units: spent.get(placeOf(key, month)) ?? 0 };
    },
  };
}
