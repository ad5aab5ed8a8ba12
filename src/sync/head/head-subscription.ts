import { GraphError } from '../../errors.ts';
import type { Connection } from '../../upstream/rpc/websocket.ts';
import { Mailbox } from '../bounded-queue.ts';
import { type Evidence, judge } from '../chain/fork-choice.ts';
import { readTold, type Told } from '../chain/rpc-header.ts';
import type { Track } from './head-state.ts';
import { beginVigil, keepVigil } from './liveness.ts';
import { settle } from './rpc-queries.ts';
import type { Timing } from './timing.ts';

/** Most announcements that wait while an earlier one is looked into: with more, the node's head leads faster to where they lead. */
const MOST_WAITING = 128;

export interface SocketOptions {
  readonly connection: Connection;
  readonly track: Track;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** Called when the node has taken the subscription, before anything is believed of it. */
  readonly onSubscribed: () => Promise<unknown>;
}

/** Why following over a connection came to its end, and whether it had gone well until then. */
export interface SocketEnd {
  readonly reason: GraphError;
  readonly healthy: boolean;
}

/**
 * Follows the chain over one connection until that ends: first it subscribes, then it reads the node's head, then it takes what
 * was announced, one thing after the other. Rejects when the subscription cannot be had, and with what is fatal.
 */
export async function followSocket({ connection, track, timing, signal, onSubscribed }: SocketOptions): Promise<SocketEnd> {
  const mailbox = new Mailbox<Told>(MOST_WAITING);
  const since = performance.now();
  let ended: GraphError | undefined;
  let heard = 0;
  let overflows = 0;
  connection.ended.then((reason) => {
    ended = reason;
    mailbox.close();
  });
  const end = (reason: GraphError): SocketEnd => ({
    reason,
    healthy: heard > 0 || performance.now() - since > timing.backoffMost,
  });

  await connection.subscribe(['newHeads'], (wire) => {
    const told = readTold(wire);
    if (!told) {
      track.counts.malformed += 1;
      return;
    }
    heard += 1;
    mailbox.put(told);
  });
  await onSubscribed();

  let vigil = beginVigil(performance.now());
  const evidenceOf = (told: Told | undefined): Evidence => {
    const by = track.source === connection ? 'witness' : 'connection';
    return told
      ? { kind: 'announced', told, by, isLookDue: !vigil.isSilent }
      : { kind: 'latest', by, overdue: track.isOverdue(since) };
  };

  while (!ended) {
    const wait = vigil.lookAt - performance.now();
    const told = wait > 0 ? await mailbox.take(wait) : undefined;
    if (ended) break;
    const evidence = evidenceOf(told);
    // A look in place of announcements that were dropped is not for silence.
    const heardBefore = mailbox.overflows > overflows ? -1 : heard;
    overflows = mailbox.overflows;
    const { verdict, failure } = await settle(judge(track.known, evidence), connection, signal, () => {
      track.counts.malformed += 1;
    });
    // What a connection says that has ended meanwhile is dropped: its end may be why it said so.
    if (ended) break;
    track.conclude(verdict, connection, Number.POSITIVE_INFINITY);
    const shown = { evidence, outcome: verdict.outcome, failure, heard: heard > heardBefore };
    const next = keepVigil(vigil, shown, performance.now(), track.silence, timing);
    if (next instanceof GraphError) return end(next);
    vigil = next;
  }
  return end(ended);
}
