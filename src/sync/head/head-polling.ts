import { abortableSleep, onAbort } from '../../lib/abort.ts';
import type { GraphError } from '../../lib/errors.ts';
import { createOutageLog } from '../../lib/outage-log.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { FollowContext } from './rpc-queries.ts';
import { asTransientError, runForkChoice } from './rpc-queries.ts';
import { PollSchedule, pollIntervalMs, requestedRetryDelayMs } from './timing.ts';

/** Number of poll intervals between two checks of the chain id, unless blocks without a link to the followed chain arrive. */
const CHAIN_CHECK_POLLS = 16;

interface HeadPollingOptions extends FollowContext {
  /**
   * Creates the RPC session of one poll: all its requests reach one endpoint. `skip`: number of preferred endpoints to
   * skip.
   */
  readonly createSource: (options?: { readonly skip: number }) => RpcSender;
}

/**
 * Creates the polling of a follower, which starts `delayMs` after the call of `start`. A fatal error is passed to
 * `onFailure`.
 */
export function createHeadPolling(options: HeadPollingOptions, delayMs: number, onFailure: (error: GraphError) => void) {
  let controller: AbortController | undefined;
  let done = Promise.resolve();
  let isRunning = false;

  const run = async (signal: AbortSignal): Promise<void> => {
    isRunning = await abortableSleep(delayMs, signal);
    if (isRunning) await followByPolling({ ...options, signal }).catch(onFailure);
    isRunning = false;
  };

  return {
    /** Starts polling after the delay, unless `stop` is called before. Does nothing when polling is running or scheduled. */
    start(): void {
      if (controller || options.signal.aborted) return;
      const started = new AbortController();
      controller = started;
      done = run(started.signal).finally(onAbort(options.signal, () => started.abort(options.signal.reason)));
    },
    /** Stops polling; resolves when it has ended. */
    async stop(): Promise<void> {
      controller?.abort();
      controller = undefined;
      await done;
    },
    get isRunning(): boolean {
      return isRunning;
    },
  };
}

/** Polls the node, permanently or while its WebSocket is disconnected. */
export type HeadPolling = ReturnType<typeof createHeadPolling>;

/** Follows the chain by polling the node's head until the signal aborts. Rejects with fatal errors only. */
async function followByPolling(options: HeadPollingOptions): Promise<void> {
  const { createSource, headState, timing, signal, log, checkChain } = options;
  const startedAt = performance.now();
  log.info('polling the node for its head');
  let chainCheckedAt = Number.NEGATIVE_INFINITY;
  /** Whether the last head of the node belongs to the followed chain. */
  let isLinked = false;
  const outage = createOutageLog(log, 'polling the node for its head failed; polling continues', 'the node responds again');
  /**
   * Incremented for each head that an endpoint returns but does not confirm, so that the next poll uses another
   * endpoint.
   */
  let skip = 0;
  const schedule = new PollSchedule();
  let delayMs: number;
  while (!signal.aborted) {
    delayMs = pollIntervalMs(headState.forkChoiceState.canonical, timing);
    const source = createSource({ skip });
    const failure = await poll(source).catch(asTransientError);
    if (failure) headState.expireHeadSoon(failure);
    if (!signal.aborted) outage.record(failure, failure?.code === 'INTERNAL_SERVER_ERROR' ? failure : undefined);
    // After a failure, another node may respond, so check the chain id again.
    if (failure) chainCheckedAt = Number.NEGATIVE_INFINITY;
    await abortableSleep(Math.max(delayMs, requestedRetryDelayMs(failure, timing)), signal);
  }

  async function poll(source: RpcSender): Promise<GraphError | undefined> {
    if (performance.now() - chainCheckedAt >= Math.max(timing.chainCheckIntervalMs, isLinked ? CHAIN_CHECK_POLLS * delayMs : 0)) {
      await checkChain(source, signal);
      chainCheckedAt = performance.now();
    }
    const observation = { kind: 'latest', reporter: 'poll', isOverdue: headState.isOverdue(startedAt) } as const;
    const { result, failure } = await runForkChoice(headState, observation, source, signal);
    if (result.outcome === 'unverified' && result.isUnconfirmed) skip += 1;
    isLinked = result.outcome === 'confirmed' || result.outcome === 'moved' || result.outcome === 'behind';
    // Another chain may have replaced the followed one.
    if (result.outcome === 'moved' && result.change.hasGap) await checkChain(source, signal);
    delayMs = schedule.delayMs(result.state.canonical, performance.now(), timing);
    if (!signal.aborted) headState.applyResult(result, source, delayMs + timing.staleAfterMs);
    return failure;
  }
}
