import { NODE_ERROR_CODES, NodeRpcError } from './rpc/rpc-error.ts';

/** The documented message for an exhausted monthly capacity. */
const CAPACITY_EXCEEDED_MESSAGE =
  'Monthly compute-unit capacity limit exceeded. Upgrade your scaling policy for continued service.';

export interface ComputeUnitUsage {
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly units: number;
}

/**
 * Compute units of one event of a subscription. The service description has no numbers and states that full pending transactions are
 * expensive. The units of a call are defined with its method.
 */
export const EVENT_UNITS = { newHeads: 10, logs: 10, svc_newFullPendingTransactions: 100 } as const;

/** Counts compute units by key and calendar month. Rejected calls are not counted. */
export interface ComputeUnitMeter {
  /** Monthly units of each key; null for no limit. */
  capacity: number | null;
  /** Adds units, or throws the capacity error. */
  spend(key: string, units: number): void;
  usage(key: string): ComputeUnitUsage;
}

export function createComputeUnitMeter(capacity: number | null, now: () => number): ComputeUnitMeter {
  const spent = new Map<string, number>();
  const entryKey = (key: string, month: string) => `${month} ${key}`;
  const thisMonth = () => new Date(now()).toISOString().slice(0, 7);
  return {
    capacity,
    spend(key, units) {
      const entry = entryKey(key, thisMonth());
      const total = (spent.get(entry) ?? 0) + units;
      // Calls without units succeed without capacity, for example `eth_chainId`.
      if (units > 0 && this.capacity !== null && total > this.capacity)
        throw new NodeRpcError(NODE_ERROR_CODES.limitExceeded, CAPACITY_EXCEEDED_MESSAGE);
      spent.set(entry, total);
    },
    usage(key) {
      const month = thisMonth();
      return { month, units: spent.get(entryKey(key, month)) ?? 0 };
    },
  };
}
