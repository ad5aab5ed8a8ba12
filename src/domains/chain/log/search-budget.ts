import type { OperationBudget } from '../../../lib/operation-budget.ts';

/** Share of the operation's budget that searches may use, so that the fields of what they find have the rest. */
const SEARCH_SHARE = 0.5;

/** What the searches of an operation may still use; negative where they have used more. */
export interface SearchBudget {
  readonly cost: number;
  readonly upstreamBytes: number;
}

/** Returns what is left of the share of the budget that searches may use; unlimited without a budget. */
export function searchBudgetOf(budget: OperationBudget | undefined): SearchBudget {
  if (!budget) return { cost: Number.POSITIVE_INFINITY, upstreamBytes: Number.POSITIVE_INFINITY };
  const { limits, spent, upstreamBytes } = budget;
  return {
    cost: SEARCH_SHARE * limits.MAX_COST - spent,
    upstreamBytes: SEARCH_SHARE * limits.MAX_UPSTREAM_BYTES - upstreamBytes,
  };
}
