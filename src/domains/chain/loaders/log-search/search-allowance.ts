import type { OperationBudget } from '../../../../budget/operation-budget.ts';

/** Maximum number of searches for one page. */
const MAX_SEARCHES_PER_PAGE = 32;
/** A page that is not full after this time ends, because the operation has a deadline. */
const MAX_PAGE_MS = 3_000;
/** Share of the operation's budget that its searches may use, so that the fields of the logs have the rest. */
const BUDGET_SHARE = 0.5;

/** How long the search for one page may continue. */
export interface SearchAllowance {
  recordSearch(): void;
  /** Whether a further search is allowed. */
  hasMore(): boolean;
}

/** Creates the allowance of one page. The first search that succeeds is always allowed, so each page makes progress. */
export function createSearchAllowance(budget: OperationBudget | undefined): SearchAllowance {
  const endsAt = performance.now() + MAX_PAGE_MS;
  let searches = 0;
  return {
    recordSearch() {
      searches += 1;
    },
    hasMore() {
      if (searches >= MAX_SEARCHES_PER_PAGE || performance.now() >= endsAt) return false;
      if (!budget) return true;
      const { spent, upstreamBytes, limits } = budget;
      return spent < BUDGET_SHARE * limits.MAX_COST && upstreamBytes < BUDGET_SHARE * limits.MAX_UPSTREAM_BYTES;
    },
  };
}
