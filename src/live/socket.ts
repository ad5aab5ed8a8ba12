import { GraphError } from '../errors.ts';
import type { Connection } from '../upstream/jsonrpc-ws.ts';
import { settle } from './ask.ts';
import { type Evidence, judge } from './follow.ts';
import { readTold, type Told } from './head.ts';
import { Mailbox } from './mailbox.ts';
import { recheckAfter, type Timing } from './timing.ts';
import type { Track } from './track.ts';

/** Most announcements that wait while an earlier one is looked into: with more, the node's head leads faster to where they lead. */
const MOST_WAITING = 128;
/** A node that so often in a row cannot prove what it says is left for another. */
const MOST_MISSES = 10;

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

  const evidenceOf = (told: Told | undefined): Evidence => {
    const by = track.source === connection ? 'witness' : 'connection';
    return told ? { kind: 'announced', told, by } : { kind: 'latest', by, overdue: track.isOverdue(since) };
  };

  let misses = 0;
  /** Whether the next look at the node's head is because nothing was heard for long. */
  let isSilent = false;
  let lookAt = performance.now();
  while (!ended) {
    const wait = lookAt - performance.now();
    const told = wait > 0 ? await mailbox.take(wait) : undefined;
    if (ended) break;
    const evidence = evidenceOf(told);
    const heardBefore = heard;
    const { verdict, failure } = await settle(judge(track.known, evidence), connection, signal, () => {
      track.counts.malformed += 1;
    });
    // What a connection says that has ended meanwhile is dropped: its end may be why it said so.
    if (ended) break;
    track.conclude(verdict, connection, Number.POSITIVE_INFINITY);
    const { outcome } = verdict;
    if (evidence.kind === 'latest') {
      if (failure?.code === 'UPSTREAM_TIMEOUT') return end(failure);
      if (isSilent && outcome === 'moved' && heard === heardBefore) return end(mute());
      if (evidence.overdue && outcome === 'behind') return end(laggard());
    }
    if (outcome === 'unproven' || outcome === 'rival') {
      if (misses > MOST_MISSES) return end(failure ?? laggard());
      isSilent = false;
      const soon = performance.now() + recheckAfter(misses, timing);
      if (evidence.kind === 'latest') misses += 1;
      // Announcements that come to nothing, however many, do not put off the look that clears them up.
      lookAt = evidence.kind === 'latest' ? soon : Math.min(lookAt, soon);
    } else if (evidence.kind === 'latest' || outcome === 'confirmed' || outcome === 'moved') {
      isSilent = true;
      misses = 0;
      lookAt = performance.now() + track.silence;
    }
  }
  return end(ended);
}

const mute = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has new heads and does not announce them.');
const laggard = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has not come as far as it was before.');
