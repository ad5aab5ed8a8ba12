import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../connections.ts';
import type { ListLength } from './field-cost.ts';

/** Length of a page whose only size argument is `first`. */
export const firstPageSize: ListLength = {
  assumed: DEFAULT_PAGE_SIZE,
  slicingArguments: ['first'],
  of(args) {
    const first = Number(args('first') ?? DEFAULT_PAGE_SIZE);
    return Number.isNaN(first) ? DEFAULT_PAGE_SIZE : Math.min(MAX_PAGE_SIZE, Math.max(0, first));
  },
};
