import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GraphError } from '../../errors.ts';
import { chooseFork } from '../chain/fork-choice.ts';
import type { HeadState } from './head-state.ts';
import { asTransientError, errorLogFields, type RpcSource, runForkChoice } from './rpc-queries.ts';
import { type FollowerTiming, pollIntervalMs, requestedRetryDelayMs } from './timing.ts';

export interface HeadPollingOptions {
  /** Opens a way to the node for one poll, on which all that the poll asks goes to one place; `skip` passes over so many endpoints. */
  readonly createSource: (options?: { readonly skip: number }) => RpcSource;
  readonly headState: HeadState;
  readonly timing: FollowerTiming;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Asks the source for its chain. Rejects when it is not the one that is served. */
  readonly checkChain: (source: RpcSource, signal: AbortSignal) => Promise<unknown>;
}

/** Follows the chain by asking for the head again and again, until the signal falls. Rejects with what is fatal. */
export async function followByPolling({
  createSource,
  headState,
  timing,
  signal,
  log,
  checkChain,
}: HeadPollingOptions): Promise<void> {
  const since = performance.now();
  log.info('polling the node for its head');
  let checkedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  /** Grows with each head that an endpoint has shown and not confirmed: the next poll goes to another one. */
  let skip = 0;
  while (!signal.aborted) {
    const every = pollIntervalMs(headState.forkChoiceState.canonical, timing);
    const source = createSource({ skip });
    const failure = await poll(source, every).catch(asTransientError);
    if (failure) headState.expireHeadSoon(failure);
    if (failure && !failing) log.warn(errorLogFields(failure), 'a poll of the node has failed; it is polled again');
    failing = failure !== undefined;
    // After a failure it may be another node that answers.
    if (failure) checkedAt = Number.NEGATIVE_INFINITY;
    await sleep(Math.max(every, requestedRetryDelayMs(failure, timing)), undefined, { signal }).catch(() => {});
  }

  async function poll(source: RpcSource, every: number): Promise<GraphError | undefined> {
    if (performance.now() - checkedAt >= timing.chainCheckIntervalMs) {
      await checkChain(source, signal);
      checkedAt = performance.now();
    }
    const isOverdue = headState.isOverdue(since);
    const judging = chooseFork(headState.forkChoiceState, { kind: 'latest', reporter: 'poll', isOverdue });
    const { result, failure } = await runForkChoice(judging, source, signal, () => {
      headState.counts.malformed += 1;
    });
    if (result.outcome === 'unproven' && result.headRefused) skip += 1;
    if (!signal.aborted) headState.applyResult(result, source, every + timing.staleAfterMs);
    return failure;
  }
}
