import type { Operation } from '../../domain.ts';
import type { JsonText } from '../../executor/index.ts';
import { LEAF_COST } from './field-cost.ts';

/** `extensions.cost`: costs are in the unit of MAX_COST. */
export interface CostReport {
  readonly estimate: number;
  readonly actual: number;
  /** POSTs and GETs to upstreams, and the calls in them; repeated ones count again. */
  readonly requests: number;
  readonly calls: number;
}

/** What an operation was estimated to cost and did cost. `data` is read again for its values: for requests that ask for the cost. */
export function costReport({ estimate = 0, meter }: Pick<Operation, 'estimate' | 'meter'>, data: JsonText | null): CostReport {
  const { spent = 0, requests = 0, calls = 0 } = meter ?? {};
  return { estimate, actual: Math.ceil(spent + LEAF_COST * (data ? countValues(data.toJSON()) : 0)), requests, calls };
}

/** Values as the estimate counts them: each field of each object, and each item of each list in its place. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const part of Object.values(value)) {
    const items = Array.isArray(part) ? part : [part];
    count += items.length;
    for (const item of items) count += countValues(item);
  }
  return count;
}
