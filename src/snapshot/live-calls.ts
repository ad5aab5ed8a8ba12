import type { RpcNode } from '../upstream/rpc/node.ts';
import type { RpcCall, RpcOutcome, RpcSender } from '../upstream/rpc/rpc-call.ts';
import type { RpcSession } from '../upstream/rpc/session.ts';

/** Maximum cost of the calls of one operation that share a request with others: a large result must not fail the other operations. */
const MAX_SHARED_COST = 50;

/** Other operations still need the request of an operation that has ended. */
const NEVER_ABORTED = new AbortController().signal;

interface WaitingCalls {
  readonly calls: readonly RpcCall[];
  readonly resolve: (outcomes: Promise<RpcOutcome[]>) => void;
}

/** Creates the sender of the live queries of one head: the calls that they send in one turn of the event loop are one batch. */
function createSharedSender(session: RpcSession): RpcSender['send'] {
  let waiting: WaitingCalls[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    const outcomes = session.send(
      batch.flatMap(({ calls }) => calls),
      NEVER_ABORTED,
    );
    let from = 0;
    for (const { calls, resolve } of batch) {
      const [start, end] = [from, from + calls.length];
      resolve(outcomes.then((all) => all.slice(start, end)));
      from = end;
    }
  };
  return (calls, signal) => {
    if (calls.reduce((sum, { cost = 1 }) => sum + cost, 0) > MAX_SHARED_COST) return session.send(calls, signal);
    return new Promise((resolve) => {
      // All operations of the turn have sent their calls when the next one begins.
      if (waiting.push({ calls, resolve }) === 1) setImmediate(flush);
    });
  };
}

/** The calls of live queries. All live queries of a head use one session, so that they read from one endpoint and share requests. */
export function createLiveCalls(node: RpcNode) {
  let current: { readonly block: string | undefined; readonly session: RpcSession; readonly send: RpcSender['send'] } | undefined;
  return {
    /** The session of a head, and the sender of its calls. */
    at(block: string | undefined) {
      if (!current || current.block !== block) {
        const session = node.createSession();
        current = { block, session, send: createSharedSender(session) };
      }
      return current;
    },
  };
}

export type LiveCalls = ReturnType<typeof createLiveCalls>;
