import type { Operation } from '../../domain.ts';
import type { JsonText } from '../../executor/index.ts';
import { LEAF_COST } from './field-cost.ts';

/** `extensions.cost`: costs are in the unit of MAX_COST. */
export interface CostReport {
  readonly estimate: number;
  readonly actual: number;
  /** Number of POSTs and GETs to upstreams, and of the calls in them, retries included. */
  readonly requests: number;
  readonly calls: number;
  /** Compute units of those calls, as hosted nodes bill them; 0 for GETs. */
  readonly computeUnits: number;
}

/**
 * Reports the estimated and the actual cost of an operation. Parses `data` to count its values, so use it only when the client requests the
 * report.
 */
export function costReport({ estimate = 0, budget }: Pick<Operation, 'estimate' | 'budget'>, data: JsonText | null): CostReport {
  const { spent = 0, requests = 0, calls = 0, computeUnits = 0 } = budget ?? {};
  const actual = Math.ceil(spent + LEAF_COST * (data ? countValues(data.toJSON()) : 0));
  return { estimate, actual, requests, calls, computeUnits };
}

/** Counts values as the estimate does: each field of each object, and for a list each item instead of the field. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const property of Object.values(value)) {
    const items = Array.isArray(property) ? property : [property];
    count += items.length;
    for (const item of items) count += countValues(item);
  }
  return count;
}
