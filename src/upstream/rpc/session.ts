import type { Cancellation } from '../../lib/abort.ts';
import type { GraphError } from '../../lib/errors.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { isRetryable, type PlannedRetry, type RetryBudget, retryAfterMsOf, retryTransient } from '../../lib/retry.ts';
import { isRejection } from './circuit-breaker.ts';
import type { EndpointCapabilities } from './endpoint-capabilities.ts';
import { type RpcCall, type RpcOutcome, serializeParams } from './rpc-call.ts';
import { isUnavailable } from './rpc-errors.ts';

export interface RpcSessionOptions {
  /**
   * Number of preferred endpoints to skip while other endpoints are usable, for a caller to which they have reported a
   * wrong head. @default 0
   */
  readonly skip?: number;
  /** Counts the requests of the session. */
  readonly budget?: OperationBudget | undefined;
}

/** One endpoint of a node. */
export interface NodeEndpoint {
  /** Scheme, host and port; contains no secret. */
  readonly label: string;
  readonly capabilities: EndpointCapabilities;
  /** Whether its circuit breaker is open. */
  readonly isOpen: boolean;
  /** Whether its breaker is closed, and it has not rejected requests recently. */
  readonly isUsable: boolean;
  /** Whether its results have contradicted block headers repeatedly, so that other endpoints are preferred. */
  readonly failsHeaderChecks: boolean;
  /**
   * Sends calls. If the node has several endpoints, first verifies that the endpoint serves their chain. While the
   * breaker is open, each outcome is UPSTREAM_CIRCUIT_OPEN at once. The promise never rejects.
   */
  send(calls: readonly RpcCall[], signal: Cancellation, budget: OperationBudget | undefined): Promise<RpcOutcome[]>;
}

/** State that all sessions of a node share. */
export interface SessionContext {
  /** At least one, in the order of preference. */
  readonly endpoints: readonly NodeEndpoint[];
  readonly retryBudget: RetryBudget;
  /** The error of every call once the node is disabled. */
  readonly fatalError: () => GraphError | undefined;
  /** Counts each repeated batch of calls. */
  readonly counts: { retries: number };
}

/**
 * Access of one operation to a node. Calls go to the first endpoint that responded, so that results come from one
 * endpoint. Retries of mismatched or pruned results, calls of a missing method on a given block, and submissions that
 * were not executed can go to other endpoints. A class because an object literal with a getter is slow to create, and
 * each operation creates a session (docs/decisions/0008).
 */
export class RpcSession {
  readonly #context: SessionContext;
  readonly #skip: number;
  readonly #budget: OperationBudget | undefined;
  /** The endpoint that responded first. */
  #chosen: NodeEndpoint | undefined;
  #firstSend: Promise<unknown> | undefined;

  /** Sends nothing before the first call. */
  constructor(context: SessionContext, { skip = 0, budget }: RpcSessionOptions) {
    this.#context = context;
    this.#skip = skip;
    this.#budget = budget;
  }

  /** Capabilities of the chosen endpoint; before the first response, of the preferred endpoint. */
  get capabilities(): EndpointCapabilities {
    return this.#preferred().capabilities;
  }

  /** Scheme, host and port of the same endpoint. */
  get label(): string {
    return this.#preferred().label;
  }

  /**
   * Sends reads. Retries transient failures within MAX_ATTEMPTS and the retry budget, until the signal aborts. Never
   * rejects.
   */
  send(calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]> {
    const fatal = this.#context.fatalError();
    if (fatal) return Promise.resolve(calls.map(() => ({ error: fatal })));
    // Later calls wait for the first response, because the first response determines the endpoint.
    if (!this.#chosen && this.#firstSend) return this.#firstSend.then(() => this.#sendWithRetries(calls, signal));
    const sent = this.#sendWithRetries(calls, signal);
    this.#firstSend ??= sent;
    return sent;
  }

  /** Sends one call that must not be executed twice. Never rejects. */
  async sendOnce(call: RpcCall, signal: Cancellation): Promise<RpcOutcome> {
    const error = this.#context.fatalError();
    if (error) return { error, unsent: true };
    const first = this.#preferred();
    let [outcome] = await first.send([call], signal, this.#budget);
    for (const endpoint of this.#context.endpoints.filter((other) => other !== first)) {
      if (!(isUnsent(outcome!) || isRejected(outcome!)) || signal.aborted) break;
      [outcome] = await endpoint.send([call], signal, this.#budget);
    }
    return outcome!;
  }

  #preferred(): NodeEndpoint {
    if (this.#chosen) return this.#chosen;
    const { endpoints } = this.#context;
    if (endpoints.length === 1) return endpoints[0]!;
    const usable = byPreference(endpoints.filter(({ isUsable }) => isUsable));
    // Without a usable endpoint, one that has rejected requests may accept them again.
    const candidates = usable.length > 0 ? usable : endpoints.filter(({ isOpen }) => !isOpen);
    return candidates[this.#skip % candidates.length] ?? endpoints[0]!;
  }

  async #sendTo(endpoint: NodeEndpoint, calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]> {
    const outcomes = await endpoint.send(calls, signal, this.#budget);
    if (outcomes.some(isNodeResponse)) this.#chosen ??= endpoint;
    return outcomes;
  }

  async #sendWithRetries(calls: readonly RpcCall[], signal: Cancellation): Promise<RpcOutcome[]> {
    const endpoint = this.#preferred();
    this.#context.retryBudget.deposit();
    const outcomes = await this.#sendTo(endpoint, calls, signal);
    const hasOthers = this.#context.endpoints.length > 1;
    const isRetried = (outcome: RpcOutcome, i: number) =>
      isTransient(outcome, 1) || (hasOthers && (isRejected(outcome) || mayExistElsewhere(calls[i]!, outcome, endpoint)));
    return outcomes.some(isRetried) ? this.#retry(endpoint, calls, outcomes, signal) : outcomes;
  }

  /**
   * Repeats the calls with transient failures: after a backoff on the chosen endpoint, or without a chosen endpoint at
   * once on the next usable endpoint. Without a chosen endpoint, calls that the endpoint rejects move as well. Calls with
   * a mismatched result, for pruned history, or of a missing method move to the next usable endpoint even if one is
   * chosen. Without another usable endpoint, repeats the calls with transient failures or a mismatched result on the same
   * endpoint after a backoff.
   */
  #retry(firstEndpoint: NodeEndpoint, calls: readonly RpcCall[], firstOutcomes: RpcOutcome[], signal: Cancellation) {
    const { endpoints, retryBudget, counts } = this.#context;
    let endpoint = firstEndpoint;
    /** Endpoints without the requested history, or a requested method. */
    const lacking = new Set<NodeEndpoint>();
    /** Positions of the calls that endpoints have lacked. */
    const lacked = new Set<number>();
    const planRetry = (outcomes: RpcOutcome[], attempts: number): PlannedRetry<RpcOutcome[]> | undefined => {
      const indices = [...outcomes.keys()];
      const searched = indices.filter((i) => mayExistElsewhere(calls[i]!, outcomes[i]!, firstEndpoint));
      if (searched.length > 0) lacking.add(endpoint);
      for (const i of searched) lacked.add(i);
      const other = this.#nextUsable(endpoint, lacking);
      const canMove = other !== endpoint && !this.#chosen;
      const isRepeated = (i: number) =>
        isTransient(outcomes[i]!, attempts) ||
        (canMove && isRejected(outcomes[i]!)) ||
        (searched.includes(i) && !lacking.has(other));
      const repeated = indices.filter(isRepeated);
      if (repeated.length === 0) return undefined;
      const isMoved = (i: number) => isMismatch(outcomes[i]!) || isRejected(outcomes[i]!) || searched.includes(i);
      const needsOther = repeated.some(isMoved);
      const moved = repeated.filter((i) => isMoved(i) || lacked.has(i));
      // The other calls wait for their turn at the chosen endpoint: at a tag, the blocks of two endpoints can differ.
      const failed = moved.length > 0 && this.#chosen && other !== endpoint ? moved : repeated;
      const returns = this.#chosen !== undefined && moved.length === 0;
      const next = returns ? this.#chosen! : lacking.has(other) ? endpoint : other;
      const isSameEndpoint = returns || next === endpoint;
      return {
        minDelayMs: isSameEndpoint ? Math.max(...failed.map((i) => requestedDelayMs(outcomes[i]!))) : undefined,
        // The endpoint has responded, so these retries do not prolong an outage.
        isFree: needsOther && !isSameEndpoint,
        isSearch: !lacking.has(next) && failed.every((i) => searched.includes(i)),
        send: async () => {
          endpoint = next;
          counts.retries += 1;
          const repeatedCalls = failed.map((i) => (isPruned(outcomes[i]!) ? { ...calls[i]!, onResult: undefined } : calls[i]!));
          const repeated = await this.#sendTo(next, repeatedCalls, signal);
          failed.forEach((i, position) => {
            outcomes[i] = moreConclusive(outcomes[i]!, repeated[position]!);
            const isMissingEverywhere = isMethodMissing(repeated[position]!) && lacking.size === endpoints.length - 1;
            if (isMissingEverywhere) firstEndpoint.capabilities.unsupportedMethods.set(calls[i]!.method, true);
          });
          return outcomes;
        },
      };
    };
    return retryTransient(firstOutcomes, retryBudget, signal, planRetry);
  }

  #nextUsable(endpoint: NodeEndpoint, lacking: ReadonlySet<NodeEndpoint>): NodeEndpoint {
    const { endpoints } = this.#context;
    const index = endpoints.indexOf(endpoint);
    const others = byPreference([...endpoints.slice(index + 1), ...endpoints.slice(0, index)].filter(({ isUsable }) => isUsable));
    return others.find((other) => !lacking.has(other)) ?? others[0] ?? endpoint;
  }
}

/** The endpoints whose results agree with block headers, then the others. */
const byPreference = (endpoints: readonly NodeEndpoint[]): readonly NodeEndpoint[] =>
  endpoints.toSorted((a, b) => Number(a.failsHeaderChecks) - Number(b.failsHeaderChecks));

/** Whether the node itself has responded, with a result or an error about the call. */
const isNodeResponse = (outcome: RpcOutcome): boolean =>
  !('error' in outcome) || (outcome.rpcError !== undefined && !isUnavailable(outcome.error));

/** Whether the call was certainly not sent, so that another endpoint may receive it. */
const isUnsent = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.unsent === true;

const isMismatch = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.isMismatch === true;

const isPruned = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'HISTORY_PRUNED';

const isRejected = (outcome: RpcOutcome): boolean => 'error' in outcome && isRejection(outcome.error);

const isMethodMissing = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'METHOD_NOT_SUPPORTED';

/** A height, or the hash of a block or of a transaction. */
const BLOCK_REFERENCE = /"0x(?:[0-9a-f]{1,16}|[0-9a-f]{64})"/i;
const BLOCK_TAG = /"(?:latest|pending|safe|finalized|earliest)"/;

/**
 * Whether another endpoint may have what this endpoint lacks: the history of a block, or the method of a call that names its
 * block, unless all endpoints lack the method. At a tag, the blocks of two endpoints can differ.
 */
function mayExistElsewhere({ method, params }: RpcCall, outcome: RpcOutcome, { capabilities }: NodeEndpoint): boolean {
  if (!isMethodMissing(outcome) || capabilities.unsupportedMethods.has(method)) return isPruned(outcome);
  const json = serializeParams(params);
  return BLOCK_REFERENCE.test(json) && !BLOCK_TAG.test(json);
}

/**
 * Returns the next outcome, but keeps HISTORY_PRUNED if the next outcome is null or a permanent error, because neither
 * proves that the history exists nowhere, and METHOD_NOT_SUPPORTED if the next endpoint does not work.
 */
function moreConclusive(first: RpcOutcome, next: RpcOutcome): RpcOutcome {
  if (isMethodMissing(first)) return 'error' in next && (isTransient(next, 1) || isUnavailable(next.error)) ? first : next;
  return isPruned(first) && ('error' in next ? !isTransient(next, 1) : next.result === null) ? first : next;
}

const isTransient = (outcome: RpcOutcome, attempts: number): boolean =>
  'error' in outcome && isRetryable(outcome.error, attempts);

const requestedDelayMs = (outcome: RpcOutcome): number => ('error' in outcome ? retryAfterMsOf(outcome.error) : 0);
