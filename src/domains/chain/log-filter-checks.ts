import { GraphError } from '../../errors.ts';
import { type LogFilter, MAX_TOPICS } from '../../ethereum/log-filters.ts';

/** Maximum number of alternatives in one list of a subscription's filter; geth has the same limit. */
const MAX_FILTER_VALUES = 1_000;

/** Throws BAD_USER_INPUT for a filter with more topic positions than a log can have. */
export function checkTopics({ topics }: LogFilter): void {
  if (!topics || topics.length <= MAX_TOPICS) return;
  const message = `The filter has ${topics.length} topic positions. Pass at most ${MAX_TOPICS}: a log has no more topics.`;
  throw new GraphError('BAD_USER_INPUT', message);
}

/** Throws BAD_USER_INPUT for a filter that would be too expensive to match against every new log. */
export function checkSubscriptionFilter(filter: LogFilter): void {
  checkTopics(filter);
  const { addresses, topics } = filter;
  const actual = Math.max(...[addresses, ...(topics ?? [])].map((list) => list?.length ?? 0));
  if (actual <= MAX_FILTER_VALUES) return;
  const message = `A list of the filter has ${actual} values. Pass at most ${MAX_FILTER_VALUES} addresses, and as many topics per position.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_FILTER_VALUES, actual });
}
