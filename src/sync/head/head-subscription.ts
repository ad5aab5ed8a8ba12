import { GraphError } from '../../errors.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket.ts';
import { BoundedQueue } from '../bounded-queue.ts';
import { chooseFork, type HeadObservation } from '../chain/fork-choice.ts';
import { type AnnouncedHead, readAnnouncedHead } from '../chain/rpc-header.ts';
import type { HeadState } from './head-state.ts';
import { initialLiveness, nextLivenessCheck } from './liveness.ts';
import { runForkChoice } from './rpc-queries.ts';
import type { FollowerTiming } from './timing.ts';

/** Most announcements that wait while an earlier one is looked into: with more, the node's head leads faster to where they lead. */
const MAX_QUEUED_ANNOUNCEMENTS = 128;

export interface HeadSubscriptionOptions {
  readonly connection: NodeConnection;
  readonly headState: HeadState;
  readonly timing: FollowerTiming;
  readonly signal: AbortSignal;
  /** Called when the node has taken the subscription, before anything is believed of it. */
  readonly onSubscribed: () => Promise<unknown>;
}

/** Why following over a connection came to its end, and whether it had gone well until then. */
export interface HeadSubscriptionEnd {
  readonly reason: GraphError;
  readonly wasHealthy: boolean;
}

/**
 * Follows the chain over one connection until that ends: first it subscribes, then it reads the node's head, then it takes what
 * was announced, one thing after the other. Rejects when the subscription cannot be had, and with what is fatal.
 */
export async function followHeadSubscription({
  connection,
  headState,
  timing,
  signal,
  onSubscribed,
}: HeadSubscriptionOptions): Promise<HeadSubscriptionEnd> {
  const mailbox = new BoundedQueue<AnnouncedHead>(MAX_QUEUED_ANNOUNCEMENTS);
  const since = performance.now();
  let ended: GraphError | undefined;
  let heard = 0;
  let overflows = 0;
  connection.ended.then((reason) => {
    ended = reason;
    mailbox.close();
  });
  const end = (reason: GraphError): HeadSubscriptionEnd => ({
    reason,
    wasHealthy: heard > 0 || performance.now() - since > timing.maxBackoffMs,
  });

  await connection.subscribe(['newHeads'], (wire) => {
    const told = readAnnouncedHead(wire);
    if (!told) {
      headState.counts.malformed += 1;
      return;
    }
    heard += 1;
    mailbox.put(told);
  });
  await onSubscribed();

  let vigil = initialLiveness(performance.now());
  const evidenceOf = (head: AnnouncedHead | undefined): HeadObservation => {
    const reporter = headState.source === connection ? 'witness' : 'connection';
    return head
      ? { kind: 'announced', head, reporter, isHeadCheckDue: !vigil.isSilenceCheck }
      : { kind: 'latest', reporter, isOverdue: headState.isOverdue(since) };
  };

  while (!ended) {
    const wait = vigil.nextCheckAt - performance.now();
    const told = wait > 0 ? await mailbox.take(wait) : undefined;
    if (ended) break;
    const evidence = evidenceOf(told);
    // A look in place of announcements that were dropped is not for silence.
    const heardBefore = mailbox.overflows > overflows ? -1 : heard;
    overflows = mailbox.overflows;
    const { result, failure } = await runForkChoice(chooseFork(headState.forkChoiceState, evidence), connection, signal, () => {
      headState.counts.malformed += 1;
    });
    // What a connection says that has ended meanwhile is dropped: its end may be why it said so.
    if (ended) break;
    headState.applyResult(result, connection, Number.POSITIVE_INFINITY);
    const shown = { observation: evidence, outcome: result.outcome, failure, hasAnnounced: heard > heardBefore };
    const next = nextLivenessCheck(vigil, shown, performance.now(), headState.silenceTimeoutMs, timing);
    if (next instanceof GraphError) return end(next);
    vigil = next;
  }
  return end(ended);
}
