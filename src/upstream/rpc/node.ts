import type { Logger } from 'pino';
import { GraphError } from '../../errors.ts';
import { quantity } from '../../ethereum/decoders.ts';
import type { Quantity } from '../../ethereum/hex.ts';
import type { CallMeter } from '../call-meter.ts';
import { backoff, isWorthRetrying, RetryBudget, TRIES } from '../retry.ts';
import { type GuardedRpc, guard, type NodeFacts } from './circuit-breaker.ts';
import { openJsonRpc, type RpcCall, type RpcOutcome } from './http-batches.ts';
import { sendLogFilters } from './log-filter-name.ts';
import { openCalls } from './operation-calls.ts';

/** One operation's hold on a node. It stays on the endpoint that answered first, so that its parts come from one place. */
export interface Session {
  /** What is known of the endpoint that this session is on. */
  readonly facts: NodeFacts;
  /** Reads; what fails for a passing reason is asked again, inside the signal's time. Never rejects. */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /** One call that must not be made twice. Never rejects. */
  sendOnce(call: RpcCall, signal: AbortSignal): Promise<RpcOutcome>;
}

export interface SessionOptions {
  /** Passes over this many of the preferred endpoints while others are usable; for callers to whom these have shown a wrong head. */
  readonly skip?: number;
  /** Counts what the session sends. */
  readonly meter?: CallMeter | undefined;
}

export interface NodeStatus {
  /** Rounds of calls that were asked again since they had failed for a passing reason. */
  readonly retries: number;
  /** Entries of answers that belonged to no call. */
  readonly strays: number;
  /** Endpoints that are left alone because they have failed. */
  readonly away: number;
}

/** A node behind one or several endpoints, which must all serve the same chain. */
export interface Node {
  /** The endpoints' hosts, without anything secret. */
  readonly label: string;
  open(options?: SessionOptions): Session;
  /** The chain that is served; asked once. */
  chainId(signal: AbortSignal): Promise<Quantity>;
  /** Asks every endpoint in use for its chain. Rejects when none answers, and for ever once one has changed its chain. */
  verify(signal: AbortSignal): Promise<void>;
  readonly status: NodeStatus;
  /** Nothing is asked of it any more: every call fails for this reason, for ever. */
  end(reason: GraphError): void;
  close(): Promise<void>;
}

export interface NodeOptions {
  /** In the order of preference. */
  readonly urls: readonly string[];
  readonly batch: number;
  readonly timeoutMs: number;
  readonly log: Logger;
}

const chainIdOf = { name: 'eth_chainId', params: () => [], read: quantity };

interface Place {
  readonly rpc: GuardedRpc;
  /** Its chain, once it has told it. */
  chain: Quantity | undefined;
  /** Resolves when it has been found to serve the right chain. */
  readonly check: (signal: AbortSignal) => Promise<void>;
}

/** A class for its getter, of which an object made for each operation had better have none (docs/decisions/0008). */
class OpenSession implements Session {
  readonly send: Session['send'];
  readonly sendOnce: Session['sendOnce'];
  readonly #facts: () => NodeFacts;

  constructor(facts: () => NodeFacts, { send, sendOnce }: Pick<Session, 'send' | 'sendOnce'>) {
    this.#facts = facts;
    this.send = send;
    this.sendOnce = sendOnce;
  }

  get facts(): NodeFacts {
    return this.#facts();
  }
}

/** Opens a node. Nothing is sent until the first call or check. */
export function openNode({ urls, batch, timeoutMs, log }: NodeOptions): Node {
  const budget = new RetryBudget();
  let served: Quantity | undefined;
  let fatal: GraphError | undefined;

  const counts = { retries: 0, strays: 0 };
  const onStray = () => {
    counts.strays += 1;
  };

  const placeAt = (url: string): Place => {
    const direct = openJsonRpc({ url, batch, timeoutMs, onStray });
    const check = async (signal: AbortSignal) => {
      const told = await openCalls(direct, signal).call(chainIdOf);
      served ??= told;
      if (told !== served && place.chain !== undefined) {
        fatal = new GraphError(
          'UPSTREAM_CHAIN_CHANGED',
          `The node served chain ${Number(served)} and now serves chain ${Number(told)}.`,
        );
        log.fatal({ node: direct.label, served, told }, 'the node has changed its chain; nothing is answered any more');
      }
      if (told !== served) {
        log.error({ node: direct.label, served, told }, 'this endpoint serves another chain, so it is not used');
        throw fatal ?? new GraphError('UPSTREAM_UNAVAILABLE', 'An endpoint of the node serves another chain than the first one.');
      }
      place.chain = told;
    };
    const rpc = guard(direct, check);
    const place: Place = { rpc, chain: undefined, check };
    return place;
  };
  const places = urls.map(placeAt);

  /** Sends to one endpoint, which has told its chain before anything is believed of it. */
  const sendTo = async (
    place: Place,
    calls: readonly RpcCall[],
    signal: AbortSignal,
    meter: CallMeter | undefined,
  ): Promise<RpcOutcome[]> => {
    if (place.chain === undefined && !place.rpc.isOpen && places.length > 1) {
      try {
        await place.check(signal);
      } catch (error) {
        return calls.map(() => ({ error: error as GraphError, unsent: true }));
      }
    }
    const { rpc } = place;
    return sendLogFilters((some) => rpc.send(some, signal, meter), calls, rpc.facts.logFilterName);
  };

  const open = ({ skip = 0, meter }: SessionOptions = {}): Session => {
    let chosen: Place | undefined;
    let choosing: Promise<unknown> | undefined;
    const inUse = () => {
      const usable = places.filter(({ rpc }) => !rpc.isOpen);
      return usable[skip % usable.length];
    };
    const preferred = () => chosen ?? (skip === 0 ? places.find(({ rpc }) => !rpc.isOpen) : inUse()) ?? places[0]!;

    const send = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> => {
      const place = preferred();
      budget.earn();
      const outcomes = await sendTo(place, calls, signal, meter);
      if (outcomes.some(isAnswer)) chosen ??= place;
      return outcomes.some((outcome) => isPassing(outcome, 1)) ? retry(place, calls, outcomes, signal) : outcomes;
    };

    /**
     * Asks again for what failed for a passing reason: elsewhere at once while nothing ties the operation, else after a wait. What the endpoint
     * sent wrong is asked of the next one in any case.
     */
    const retry = async (
      first: Place,
      calls: readonly RpcCall[],
      outcomes: RpcOutcome[],
      signal: AbortSignal,
    ): Promise<RpcOutcome[]> => {
      let place = first;
      for (let tries = 1; tries < TRIES && !signal.aborted; tries++) {
        const todo = [...outcomes.keys()].filter((i) => isPassing(outcomes[i]!, tries));
        if (todo.length === 0) break;
        const isWrong = todo.some((i) => isMismatch(outcomes[i]!));
        const next = chosen && !isWrong ? chosen : after(place);
        // Requests that leave an endpoint because of its wrong results add nothing to an outage.
        if (!(isWrong && next !== place) && !budget.spend()) break;
        if (next === place && !(await backoff(tries, longestWait(todo, outcomes), signal))) break;
        place = next;
        counts.retries += 1;
        const got = await sendTo(
          place,
          todo.map((i) => calls[i]!),
          signal,
          meter,
        );
        if (got.some(isAnswer)) chosen ??= place;
        todo.forEach((i, at) => {
          outcomes[i] = got[at]!;
        });
      }
      return outcomes;
    };

    const after = (place: Place): Place => {
      const others = [...places.slice(places.indexOf(place) + 1), ...places.slice(0, places.indexOf(place))];
      return others.find(({ rpc }) => !rpc.isOpen) ?? place;
    };

    return new OpenSession(() => preferred().rpc.facts, {
      async send(calls, signal) {
        if (fatal) return calls.map(() => ({ error: fatal! }));
        // What comes meanwhile waits for the first answer to say where this operation is at home.
        if (!chosen && choosing) await choosing;
        const sent = send(calls, signal);
        choosing ??= sent;
        return sent;
      },
      async sendOnce(call, signal) {
        if (fatal) return { error: fatal, unsent: true };
        const first = preferred();
        let [outcome] = await sendTo(first, [call], signal, meter);
        for (const place of places.filter((other) => other !== first)) {
          if (!isUnsent(outcome!) || signal.aborted) break;
          [outcome] = await sendTo(place, [call], signal, meter);
        }
        return outcome!;
      },
    });
  };

  return {
    label: places.map(({ rpc }) => rpc.label).join(', '),
    open,
    async chainId(signal) {
      if (served === undefined) await verify(signal);
      return served!;
    },
    verify,
    get status() {
      return { ...counts, away: places.filter(({ rpc }) => rpc.isOpen).length };
    },
    end(reason) {
      fatal ??= reason;
    },
    async close() {
      await Promise.all(places.map(({ rpc }) => rpc.close()));
    },
  };

  async function verify(signal: AbortSignal): Promise<void> {
    if (fatal) throw fatal;
    const [first, ...others] = places as [Place, ...Place[]];
    // The first endpoint says which chain is meant, unless it is away.
    const results = await Promise.allSettled([first.check(signal)]);
    results.push(...(await Promise.allSettled(others.map(({ check }) => check(signal)))));
    if (fatal) throw fatal;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure && !results.some((result) => result.status === 'fulfilled')) throw failure.reason;
  }
}

/** Whether the node itself has answered, be it with an error. */
const isAnswer = (outcome: RpcOutcome): boolean => !('error' in outcome) || outcome.wire !== undefined;

/** Whether a call certainly never left, so that it may go elsewhere. */
const isUnsent = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.unsent === true;

const isMismatch = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.isMismatch === true;

const isPassing = (outcome: RpcOutcome, tries: number): boolean => 'error' in outcome && isWorthRetrying(outcome.error, tries);

const longestWait = (at: readonly number[], outcomes: readonly RpcOutcome[]): number =>
  Math.max(0, ...at.map((i) => waitOf(outcomes[i]!)));

const waitOf = (outcome: RpcOutcome): number => ('error' in outcome ? Number(outcome.error.extensions.retryAfterMs ?? 0) : 0);
