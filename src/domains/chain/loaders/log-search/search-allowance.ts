import type { OperationBudget } from '../../../../budget/operation-budget.ts';
import { searchBudgetOf } from '../search-budget.ts';

/** Maximum number of searches for one page. */
const MAX_SEARCHES_PER_PAGE = 32;
/** A page that is not full after this time ends, because the operation has a deadline. */
const MAX_PAGE_MS = 3_000;

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
      const { cost, upstreamBytes } = searchBudgetOf(budget);
      return cost > 0 && upstreamBytes > 0;
    },
  };
}
