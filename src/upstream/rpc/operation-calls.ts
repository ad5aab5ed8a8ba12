import { type Cancellation, onAbort } from '../../lib/abort.ts';
import { forEachYielding, type OperationBudget } from '../../lib/operation-budget.ts';
import type { HttpRpcTransport } from './http/transport.ts';
import {
  type BlockPointer,
  createParamsSerializer,
  hasFound,
  methodNameOf,
  paramsKeyOf,
  paramsOf,
  type RpcCall,
  type RpcMethod,
  type Settled,
} from './rpc-call.ts';
import { claimCalls, type ResultObserver, type SharedCall, type SharedResultCache } from './shared-results.ts';

type Callback<R> = (settled: Settled<R>) => void;

/** The JSON-RPC calls of one operation. */
export interface OperationCalls {
  /** Sends a call; equal calls are sent once, and all calls of a tick are sent together. */
  call<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<R>;
  /** Callback variant of `call`; avoids one promise for each call. */
  callWithCallback<P extends readonly unknown[], R>(method: RpcMethod<P, R>, args: P, settle: Callback<R>): void;
  /** Sends a call whose result is read with `call` later; resolves when the call has settled, even with an error. */
  prefetch<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<void>;
  /** Whether the operation has queued, joined or sent an equal call whose result it has not released. */
  isSent<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): boolean;
  /** Sends a call even if its result is cached or an equal call is in flight. */
  refetch<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<R>;
  /** Releases the result of a settled call, so that it can be freed. An equal call is sent again unless its result is cached. */
  release<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): void;
  /** Returns the cached result of a call; undefined if no result is cached. */
  getCached<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): { readonly value: R } | undefined;
  /** Caches `value`, the result of another call, for this call. Does nothing unless `args` name a block hash. */
  cachePermanently<P extends readonly unknown[], R>(method: RpcMethod<P, R>, value: R, ...args: P): void;
  /** Caches a result that depends on one block, while that block is canonical. */
  cacheWhileCanonical<P extends readonly unknown[], R>(method: RpcMethod<P, R>, value: R, block: BlockPointer, ...args: P): void;
}

/** Passed to the observer for a result that was cached under the key of its call. */
const CACHED = {};
/** A method whose types only the caller knows. Its reader returns the type that the listeners expect. */
type AnyMethod = RpcMethod<readonly unknown[], unknown>;
type Args = readonly unknown[];

/** A call of the operation with its listeners. */
interface PendingCall extends RpcCall, SharedCall {
  readonly paramsJson: string;
  readonly reader: AnyMethod;
  readonly args: readonly unknown[];
  readonly cost: number;
  readonly listeners: Callback<never>[];
  settled: Settled<never> | undefined;
  onResult: RpcCall['onResult'];
}

/**
 * Creates the call queue of one operation, below its loaders. It sends the calls of a tick in one batch, after all pending microtasks: loaders
 * above it dispatch in microtasks, so their calls are part of that batch. With a cache, cached results need no call, and equal calls of several
 * operations share one request. `observer` receives each result. `budget` adds up the cost of the calls; once it is exhausted, no call is sent.
 */
export function createOperationCalls(
  transport: Pick<HttpRpcTransport, 'send'>,
  signal: Cancellation,
  cache?: SharedResultCache,
  observer?: ResultObserver,
  budget?: OperationBudget,
): OperationCalls {
  /** The calls of this operation, by method name and then by the key of the parameters. */
  const callsByMethod = new Map<string, Map<string, PendingCall>>();
  const serializeOnce = createParamsSerializer();
  const keyOnce = (params: Args): string => paramsKeyOf(serializeOnce(params));
  const queue: PendingCall[] = [];
  let isDispatchScheduled = false;
  /** Number of responses whose results are being passed to the listeners. */
  let settlingBatches = 0;

  /** Caches a result and returns whether it is cached. */
  const cacheResult = ({ key, reader, args, isCacheable }: PendingCall, settled: Settled<unknown>): boolean => {
    if (!isCacheable || !hasFound(settled)) return false;
    if (reader.blockHash) return cache!.set(key, settled.value);
    const block = reader.inclusionBlock!(settled.value, ...args);
    return block !== undefined && cache!.set(key, settled.value, block);
  };

  const settleCall = (call: PendingCall, settled: Settled<never>): void => {
    if (budget) budget.pendingNodeCalls -= 1;
    call.settled = settled;
    // The closure of `onResult` retains the outcomes of all calls of the batch.
    call.onResult = undefined;
    const cached = cacheResult(call, settled) ? CACHED : undefined;
    observer?.onResult(call.reader, call.args, settled, call.key, cached);
    for (const listener of call.listeners) listener(settled);
    // The promises of the listeners retain the result, and the batch retains the call until all its calls have settled.
    call.listeners.length = 0;
  };

  /** Settles a call that this operation has sent, and the equal calls of other operations that have joined it. */
  const settleSent = (call: PendingCall, settled: Settled<never>): void => {
    settleCall(call, settled);
    // The failure may be the abort of this operation, so it is not shared.
    if (call.isCacheable) cache!.inFlight.settle(call.key, 'error' in settled ? undefined : settled);
  };

  const dispatch = async (): Promise<void> => {
    let calls: readonly PendingCall[] = queue.splice(0);
    if (cache?.inFlight.claim) calls = await claimCalls(cache.inFlight, calls, join);
    if (calls.length === 0) return;
    let isSettling = false;
    const beginSettling = (): void => {
      budget?.beginTurn();
      if (!isSettling) settlingBatches += 1;
      isSettling = true;
    };
    const onResult = (call: RpcCall, result: unknown): void => {
      beginSettling();
      settleSent(call as PendingCall, { value: result } as Settled<never>);
    };
    for (const call of calls) call.onResult = onResult;
    const outcomes = budget?.error ? calls.map(() => ({ error: budget.error! })) : await transport.send(calls, signal);
    beginSettling();
    await forEachYielding(calls, budget, (call, i) => {
      if (call.settled) return;
      const outcome = outcomes[i]!;
      // The reader of the method returned the value, so it has the type that the listeners expect.
      settleSent(call, ('error' in outcome ? { error: outcome.error } : { value: outcome.result }) as Settled<never>);
    }).catch((error: unknown) => {
      // The budget is exhausted.
      for (const call of calls) if (!call.settled) settleSent(call, { error });
    });
    settlingBatches -= 1;
    if (queue.length > 0) scheduleDispatch();
  };

  /** While a response settles, schedules nothing: the calls that follow from its results share one batch. */
  const scheduleDispatch = (): void => {
    if (settlingBatches > 0 || isDispatchScheduled) return;
    isDispatchScheduled = true;
    setImmediate(() => {
      isDispatchScheduled = false;
      void dispatch();
    });
  };

  const send = (call: PendingCall): void => {
    if (call.isCacheable) cache!.inFlight.add(call.key);
    budget?.addCost(call.cost);
    queue.push(call);
    scheduleDispatch();
  };

  /** Joins an equal call in flight of another operation or process; sends the call itself when the other call fails. */
  const join = (call: PendingCall): void => {
    const settleOnce = (settled: Settled<unknown> | undefined): void => {
      if (!unregister()) return;
      if (settled === undefined && !signal.aborted) send(call);
      else settleCall(call, (settled ?? { error: signal.reason }) as Settled<never>);
    };
    const unregister = onAbort(signal, () => settleOnce(undefined));
    // The other call may have settled while another process was asked.
    if (!cache!.inFlight.join(call.key, settleOnce) || signal.aborted) settleOnce(undefined);
  };

  const start = (method: AnyMethod, args: Args, params: Args, key: string, isRefetch: boolean, settle: Callback<never>): void => {
    const name = methodNameOf(method, args);
    const paramsJson = serializeOnce(params);
    if (budget) budget.pendingNodeCalls += 1;
    const isCacheable =
      cache !== undefined && (method.blockHash ? method.blockHash(...args) !== undefined : method.inclusionBlock !== undefined);
    const call: PendingCall = {
      method: name,
      params,
      paramsJson,
      key,
      reader: method,
      args,
      cost: method.cost ? method.cost(...args) : 1,
      isCacheable,
      isRefetch,
      // Most calls have one listener; an array literal has no spare capacity.
      listeners: [settle],
      settled: undefined,
      onResult: undefined,
    };
    const callsOfMethod = callsByMethod.get(name) ?? new Map<string, PendingCall>();
    callsByMethod.set(name, callsOfMethod.set(keyOnce(params), call));
    if (isCacheable && !isRefetch && cache.inFlight.has(key)) join(call);
    else send(call);
  };

  const cachedResult = (method: AnyMethod, args: Args, key: string): { readonly value: unknown } | undefined => {
    if (!cache || !(method.blockHash || method.inclusionBlock)) return undefined;
    const cached = cache.get(key);
    if (cached) observer?.onResult(method, args, cached, key, cached);
    return cached;
  };

  /** Caches the result of a call that the operation knows from another call. */
  const confirm = (key: string, value: unknown, block: BlockPointer | undefined): void => {
    cache?.set(key, value, block);
    observer?.onConfirmed(key, block);
  };

  const keyOf = (method: AnyMethod, args: Args): string => methodNameOf(method, args) + keyOnce(paramsOf(method, args));

  const sentCall = (method: AnyMethod, args: Args): PendingCall | undefined =>
    callsByMethod.get(methodNameOf(method, args))?.get(keyOnce(paramsOf(method, args)));

  const callWithCallback = (method: AnyMethod, args: Args, settle: Callback<never>): void => {
    const params = paramsOf(method, args);
    const name = methodNameOf(method, args);
    const paramsKey = keyOnce(params);
    const earlierCall = callsByMethod.get(name)?.get(paramsKey);
    const key = name + paramsKey;
    const settled = earlierCall ? earlierCall.settled : cachedResult(method, args, key);
    if (settled) settle(settled as Settled<never>);
    else if (earlierCall) earlierCall.listeners.push(settle);
    else start(method, args, params, key, false, settle);
  };

  const toPromise = (run: (settle: Callback<never>) => void): Promise<unknown> =>
    new Promise((resolve, reject) => run((settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value))));

  const calls = {
    callWithCallback,
    call: (method: AnyMethod, ...args: Args) => toPromise((settle) => callWithCallback(method, args, settle)),
    prefetch: (method: AnyMethod, ...args: Args) =>
      new Promise<void>((resolve) => callWithCallback(method, args, () => resolve())),
    isSent: (method: AnyMethod, ...args: Args) => sentCall(method, args) !== undefined,
    refetch: (method: AnyMethod, ...args: Args) =>
      toPromise((settle) => start(method, args, paramsOf(method, args), keyOf(method, args), true, settle)),
    release(method: AnyMethod, ...args: Args) {
      const call = sentCall(method, args);
      if (!call?.settled) return;
      callsByMethod.get(call.method)!.delete(keyOnce(call.params));
      call.settled = { error: undefined };
    },
    cachePermanently(method: AnyMethod, value: unknown, ...args: Args) {
      if (method.blockHash?.(...args) !== undefined) confirm(keyOf(method, args), value, undefined);
    },
    cacheWhileCanonical: (method: AnyMethod, value: unknown, block: BlockPointer, ...args: Args) =>
      confirm(keyOf(method, args), value, block),
    getCached: (method: AnyMethod, ...args: Args) => cachedResult(method, args, keyOf(method, args)),
  };
  return calls as unknown as OperationCalls;
}
