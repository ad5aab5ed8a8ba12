import { isNullish } from '../../../ethereum/block-results.ts';
import type { MessageCall } from '../../../ethereum/call-object.ts';
import { type LogFilter, MAX_TOPICS } from '../../../ethereum/log-filters.ts';
import { GraphError } from '../../../lib/errors.ts';

/** Throws BAD_USER_INPUT for fees that contradict each other. Nodes report these with different errors, or not at all. */
export function checkCallFees({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: MessageCall): void {
  if (!isNullish(gasPrice) && !(isNullish(maxFeePerGas) && isNullish(maxPriorityFeePerGas))) {
    const message = 'The call has a gas price and EIP-1559 fees. Pass either gasPrice, or maxFeePerGas and maxPriorityFeePerGas.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  if (!isNullish(maxFeePerGas) && !isNullish(maxPriorityFeePerGas) && BigInt(maxPriorityFeePerGas) > BigInt(maxFeePerGas)) {
    const message = 'maxPriorityFeePerGas is above maxFeePerGas. Pass a priority fee of at most maxFeePerGas, which includes it.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
}

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
