import { CALL_EXECUTION_COST } from '../ethereum/call-costs.ts';
import { onAbort } from '../lib/abort.ts';
import type { OperationBudget } from '../lib/operation-budget.ts';
import { computeUnitsOf } from '../upstream/rpc/http/batches.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';
import type { RpcCall, RpcOutcome, RpcSender } from '../upstream/rpc/rpc-call.ts';
import { executesCall } from '../upstream/rpc/rpc-error-rules.ts';
import { toAbortError } from '../upstream/rpc/rpc-errors.ts';
import type { RpcSession } from '../upstream/rpc/session.ts';

/** Maximum cost of the calls of one operation that share a request, and of a shared request: its results are small, and the node is quick. */
const MAX_SHARED_COST = 50;
const MAX_BATCH_COST = 400;

/** Other operations still need the request of an operation that has ended. */
const NEVER_ABORTED = new AbortController().signal;

interface WaitingCalls {
  readonly calls: readonly RpcCall[];
  readonly cost: number;
  readonly resolve: (outcomes: RpcOutcome[]) => void;
}

const costOf = (calls: readonly RpcCall[]): number => calls.reduce((sum, { cost = 1 }) => sum + cost, 0);

/** Whether calls may share a request. The result of a call whose code the request chooses can be large and slow, and would fail the other operations. */
const areShareable = (calls: readonly RpcCall[]): boolean =>
  costOf(calls) <= MAX_SHARED_COST && calls.every(({ method, cost = 1 }) => cost < CALL_EXECUTION_COST && !executesCall(method));

/** Creates the sender of the live queries of one head: the calls that they send in one turn of the event loop are one batch. */
function createSharedSender(session: RpcSession) {
  let waiting: WaitingCalls[] = [];

  const sendBatch = async (batch: readonly WaitingCalls[]): Promise<void> => {
    const outcomes = await session.send(
      batch.flatMap(({ calls }) => calls),
      NEVER_ABORTED,
    );
    let from = 0;
    for (const { calls, resolve } of batch) {
      resolve(outcomes.slice(from, from + calls.length));
      from += calls.length;
    }
  };

  const flush = (): void => {
    const all = waiting;
    waiting = [];
    let batch: WaitingCalls[] = [];
    let sum = 0;
    for (const one of all) {
      if (sum + one.cost > MAX_BATCH_COST) {
        void sendBatch(batch);
        [batch, sum] = [[], 0];
      }
      batch.push(one);
      sum += one.cost;
    }
    void sendBatch(batch);
  };

  return (calls: readonly RpcCall[], signal: Parameters<RpcSender['send']>[1]): Promise<RpcOutcome[]> =>
    new Promise((settle) => {
      const unregister = onAbort(signal, () => settle(calls.map(() => ({ error: toAbortError(signal) }))));
      const resolve = (outcomes: RpcOutcome[]): void => {
        unregister();
        settle(outcomes);
      };
      // All operations of the turn have sent their calls when the next one begins.
      if (waiting.push({ calls, cost: costOf(calls), resolve }) === 1) setImmediate(flush);
    });
}

/** The calls of live queries. All live queries of a head use one session, so that they read from one endpoint and share requests. */
export function createLiveCalls(node: RpcNode) {
  let current:
    | { readonly block: string | undefined; readonly session: RpcSession; readonly sendShared: RpcSender['send'] }
    | undefined;
  return {
    /** The session of a head, and the sender of an operation's calls. Calls that are not shared are sent over a session with the budget of the operation. */
    at(block: string | undefined, budget: OperationBudget | undefined) {
      if (!current || current.block !== block) {
        const session = node.createSession();
        current = { block, session, sendShared: createSharedSender(session) };
      }
      const { session, sendShared } = current;
      let own: RpcSession | undefined;
      const send: RpcSender['send'] = (calls, signal) => {
        if (areShareable(calls)) {
          budget?.recordRequest(calls.length, computeUnitsOf(calls));
          return sendShared(calls, signal);
        }
        own ??= node.createSession({ budget });
        return own.send(calls, signal);
      };
      return { session, send };
    },
  };
}

export type LiveCalls = ReturnType<typeof createLiveCalls>;
