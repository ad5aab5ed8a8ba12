import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GraphError } from '../../errors.ts';
import { judge } from '../chain/fork-choice.ts';
import type { Track } from './head-state.ts';
import { asPassing, factsOf, type Source, settle } from './rpc-queries.ts';
import { pollEvery, retryAfter, type Timing } from './timing.ts';

export interface PollOptions {
  /** Opens a way to the node for one poll, on which all that the poll asks goes to one place; `skip` passes over so many endpoints. */
  readonly open: (options?: { readonly skip: number }) => Source;
  readonly track: Track;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Asks the source for its chain. Rejects when it is not the one that is served. */
  readonly check: (source: Source, signal: AbortSignal) => Promise<unknown>;
}

/** Follows the chain by asking for the head again and again, until the signal falls. Rejects with what is fatal. */
export async function followPolls({ open, track, timing, signal, log, check }: PollOptions): Promise<void> {
  const since = performance.now();
  log.info('polling the node for its head');
  let checkedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  /** Grows with each head that an endpoint has shown and not confirmed: the next poll goes to another one. */
  let skip = 0;
  while (!signal.aborted) {
    const every = pollEvery(track.known.canonical, timing);
    const source = open({ skip });
    const failure = await poll(source, every).catch(asPassing);
    if (failure) track.doubt(failure);
    if (failure && !failing) log.warn(factsOf(failure), 'a poll of the node has failed; it is polled again');
    failing = failure !== undefined;
    // After a failure it may be another node that answers.
    if (failure) checkedAt = Number.NEGATIVE_INFINITY;
    await sleep(Math.max(every, retryAfter(failure, timing)), undefined, { signal }).catch(() => {});
  }

  async function poll(source: Source, every: number): Promise<GraphError | undefined> {
    if (performance.now() - checkedAt >= timing.chainEvery) {
      await check(source, signal);
      checkedAt = performance.now();
    }
    const overdue = track.isOverdue(since);
    const judging = judge(track.known, { kind: 'latest', by: 'poll', overdue });
    const { verdict, failure } = await settle(judging, source, signal, () => {
      track.counts.malformed += 1;
    });
    if (verdict.outcome === 'unproven' && verdict.refused) skip += 1;
    if (!signal.aborted) track.conclude(verdict, source, every + timing.staleAfter);
    return failure;
  }
}
