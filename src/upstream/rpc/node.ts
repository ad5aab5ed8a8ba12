import type { Logger } from 'pino';
import { GraphError } from '../../errors.ts';
import { quantity } from '../../ethereum/decoders.ts';
import type { Quantity } from '../../ethereum/hex.ts';
import type { CallMeter } from '../call-meter.ts';
import { backoff, isRetryable, MAX_ATTEMPTS, RetryBudget } from '../retry.ts';
import { type EndpointCapabilities, type RpcEndpoint, withCircuitBreaker } from './circuit-breaker.ts';
import { createHttpRpcTransport, type RpcCall, type RpcOutcome } from './http-transport.ts';
import { sendWithLogFilterDialect } from './log-filter-dialect.ts';
import { createOperationCalls } from './operation-calls.ts';

/** One operation's hold on a node. It stays on the endpoint that answered first, so that its parts come from one place. */
export interface RpcSession {
  /** What is known of the endpoint that this session is on. */
  readonly capabilities: EndpointCapabilities;
  /** Reads; what fails for a passing reason is asked again, inside the signal's time. Never rejects. */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
  /** One call that must not be made twice. Never rejects. */
  sendOnce(call: RpcCall, signal: AbortSignal): Promise<RpcOutcome>;
}

export interface RpcSessionOptions {
  /** Passes over this many of the preferred endpoints while others are usable; for callers to whom these have shown a wrong head. */
  readonly skip?: number;
  /** Counts what the session sends. */
  readonly meter?: CallMeter | undefined;
}

export interface RpcNodeStatus {
  /** Rounds of calls that were asked again since they had failed for a passing reason. */
  readonly retries: number;
  /** Entries of answers that belonged to no call. */
  readonly unmatchedResponses: number;
  /** Endpoints that are left alone because they have failed. */
  readonly unavailableEndpoints: number;
}

/** A node behind one or several endpoints, which must all serve the same chain. */
export interface RpcNode {
  /** The endpoints' hosts, without anything secret. */
  readonly label: string;
  createSession(options?: RpcSessionOptions): RpcSession;
  /** The chain that is served; asked once. */
  chainId(signal: AbortSignal): Promise<Quantity>;
  /** Asks every endpoint in use for its chain. Rejects when none answers, and for ever once one has changed its chain. */
  verifyChain(signal: AbortSignal): Promise<void>;
  readonly status: RpcNodeStatus;
  /** Nothing is asked of it any more: every call fails for this reason, for ever. */
  disable(reason: GraphError): void;
  close(): Promise<void>;
}

export interface RpcNodeOptions {
  /** In the order of preference. */
  readonly urls: readonly string[];
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
  readonly log: Logger;
}

const chainIdMethod = { name: 'eth_chainId', params: () => [], read: quantity };

interface EndpointState {
  readonly rpc: RpcEndpoint;
  /** Its chain, once it has told it. */
  chainId: Quantity | undefined;
  /** Resolves when it has been found to serve the right chain. */
  readonly verifyChain: (signal: AbortSignal) => Promise<void>;
}

/** A class for its getter, of which an object made for each operation had better have none (docs/decisions/0008). */
class StickySession implements RpcSession {
  readonly send: RpcSession['send'];
  readonly sendOnce: RpcSession['sendOnce'];
  readonly #facts: () => EndpointCapabilities;

  constructor(facts: () => EndpointCapabilities, { send, sendOnce }: Pick<RpcSession, 'send' | 'sendOnce'>) {
    this.#facts = facts;
    this.send = send;
    this.sendOnce = sendOnce;
  }

  get capabilities(): EndpointCapabilities {
    return this.#facts();
  }
}

/** Opens a node. Nothing is sent until the first call or check. */
export function createRpcNode({ urls, maxBatchSize, timeoutMs, log }: RpcNodeOptions): RpcNode {
  const budget = new RetryBudget();
  let served: Quantity | undefined;
  let fatal: GraphError | undefined;

  const counts = { retries: 0, unmatchedResponses: 0 };
  const onUnmatchedResponse = () => {
    counts.unmatchedResponses += 1;
  };

  const placeAt = (url: string): EndpointState => {
    const direct = createHttpRpcTransport({ url, maxBatchSize, timeoutMs, onUnmatchedResponse });
    const verifyChain = async (signal: AbortSignal) => {
      const told = await createOperationCalls(direct, signal).call(chainIdMethod);
      served ??= told;
      if (told !== served && place.chainId !== undefined) {
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
      place.chainId = told;
    };
    const rpc = withCircuitBreaker(direct, verifyChain);
    const place: EndpointState = { rpc, chainId: undefined, verifyChain };
    return place;
  };
  const places = urls.map(placeAt);

  /** Sends to one endpoint, which has told its chain before anything is believed of it. */
  const sendTo = async (
    place: EndpointState,
    calls: readonly RpcCall[],
    signal: AbortSignal,
    meter: CallMeter | undefined,
  ): Promise<RpcOutcome[]> => {
    if (place.chainId === undefined && !place.rpc.isOpen && places.length > 1) {
      try {
        await place.verifyChain(signal);
      } catch (error) {
        return calls.map(() => ({ error: error as GraphError, unsent: true }));
      }
    }
    const { rpc } = place;
    return sendWithLogFilterDialect((some) => rpc.send(some, signal, meter), calls, rpc.capabilities.logFilterDialect);
  };

  const createSession = ({ skip = 0, meter }: RpcSessionOptions = {}): RpcSession => {
    let chosen: EndpointState | undefined;
    let choosing: Promise<unknown> | undefined;
    const inUse = () => {
      const usable = places.filter(({ rpc }) => !rpc.isOpen);
      return usable[skip % usable.length];
    };
    const preferred = () => chosen ?? (skip === 0 ? places.find(({ rpc }) => !rpc.isOpen) : inUse()) ?? places[0]!;

    const send = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> => {
      const place = preferred();
      budget.deposit();
      const outcomes = await sendTo(place, calls, signal, meter);
      if (outcomes.some(isNodeResponse)) chosen ??= place;
      return outcomes.some((outcome) => isTransient(outcome, 1)) ? retry(place, calls, outcomes, signal) : outcomes;
    };

    /**
     * Asks again for what failed for a passing reason: elsewhere at once while nothing ties the operation, else after a wait. What the endpoint
     * sent wrong is asked of the next one in any case.
     */
    const retry = async (
      first: EndpointState,
      calls: readonly RpcCall[],
      outcomes: RpcOutcome[],
      signal: AbortSignal,
    ): Promise<RpcOutcome[]> => {
      let place = first;
      for (let tries = 1; tries < MAX_ATTEMPTS && !signal.aborted; tries++) {
        const todo = [...outcomes.keys()].filter((i) => isTransient(outcomes[i]!, tries));
        if (todo.length === 0) break;
        const isWrong = todo.some((i) => isMismatch(outcomes[i]!));
        const next = chosen && !isWrong ? chosen : after(place);
        // Requests that leave an endpoint because of its wrong results add nothing to an outage.
        if (!(isWrong && next !== place) && !budget.tryWithdraw()) break;
        if (next === place && !(await backoff(tries, maxRetryAfterMs(todo, outcomes), signal))) break;
        place = next;
        counts.retries += 1;
        const got = await sendTo(
          place,
          todo.map((i) => calls[i]!),
          signal,
          meter,
        );
        if (got.some(isNodeResponse)) chosen ??= place;
        todo.forEach((i, at) => {
          outcomes[i] = got[at]!;
        });
      }
      return outcomes;
    };

    const after = (place: EndpointState): EndpointState => {
      const others = [...places.slice(places.indexOf(place) + 1), ...places.slice(0, places.indexOf(place))];
      return others.find(({ rpc }) => !rpc.isOpen) ?? place;
    };

    return new StickySession(() => preferred().rpc.capabilities, {
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
    createSession,
    async chainId(signal) {
      if (served === undefined) await verify(signal);
      return served!;
    },
    verifyChain: verify,
    get status() {
      return { ...counts, unavailableEndpoints: places.filter(({ rpc }) => rpc.isOpen).length };
    },
    disable(reason) {
      fatal ??= reason;
    },
    async close() {
      await Promise.all(places.map(({ rpc }) => rpc.close()));
    },
  };

  async function verify(signal: AbortSignal): Promise<void> {
    if (fatal) throw fatal;
    const [first, ...others] = places as [EndpointState, ...EndpointState[]];
    // The first endpoint says which chain is meant, unless it is away.
    const results = await Promise.allSettled([first.verifyChain(signal)]);
    results.push(...(await Promise.allSettled(others.map(({ verifyChain }) => verifyChain(signal)))));
    if (fatal) throw fatal;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure && !results.some((result) => result.status === 'fulfilled')) throw failure.reason;
  }
}

/** Whether the node itself has answered, be it with an error. */
const isNodeResponse = (outcome: RpcOutcome): boolean => !('error' in outcome) || outcome.rpcError !== undefined;

/** Whether a call certainly never left, so that it may go elsewhere. */
const isUnsent = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.unsent === true;

const isMismatch = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.isMismatch === true;

const isTransient = (outcome: RpcOutcome, tries: number): boolean => 'error' in outcome && isRetryable(outcome.error, tries);

const maxRetryAfterMs = (at: readonly number[], outcomes: readonly RpcOutcome[]): number =>
  Math.max(0, ...at.map((i) => retryAfterMsOf(outcomes[i]!)));

const retryAfterMsOf = (outcome: RpcOutcome): number =>
  'error' in outcome ? Number(outcome.error.extensions.retryAfterMs ?? 0) : 0;
