import type { CallMeter } from '../call-meter.ts';
import type { InFlightRequests, Settled } from '../in-flight-requests.ts';
import { type HttpRpcTransport, type RpcCall, serializeParams } from './http-transport.ts';

/** Where an answer lies in the chain: it is true for as long as that block is of the chain. */
export interface BlockPointer {
  readonly number: string;
  readonly hash: string;
}

/** One method of a node: its name, how its parameters are written, how its result is read. */
export interface RpcMethod<P extends readonly unknown[], R> {
  /** A function where the parameters decide between twins, as by number and by hash. */
  readonly name: string | ((...args: P) => string);
  /** Left out where the arguments are the parameters. */
  readonly params?: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for one that does not fit the arguments. */
  readonly read: (result: unknown, ...args: P) => R;
  /** As `ResultReader.confirmsEmpty`. */
  readonly confirmsEmpty?: boolean;
  /** Whether an answer stays true for ever, because it was asked at a block hash. */
  readonly isImmutable?: (...args: P) => boolean;
  /** Where the answer lies, if that is what decides how long it is true. */
  readonly inclusionBlock?: (result: R, ...args: P) => BlockPointer | undefined;
  /** What a call costs in the unit of MAX_COST; 1 when left out. */
  readonly cost?: (...args: P) => number;
}

/** What all operations remember of a node's answers. */
export interface SharedResultCache {
  /** An answer that is still true, and where it lies if that decides how long. */
  get(key: string): { readonly value: unknown; readonly block?: BlockPointer | undefined } | undefined;
  /** Keeps an answer, for ever or for as long as its place is of the chain; tells whether it is kept. */
  set(key: string, value: unknown, place?: BlockPointer): boolean;
  /** Calls in flight of all operations, by method and parameters. */
  readonly inFlight: InFlightRequests;
}

/** One operation's way to a node. */
export interface OperationCalls {
  /** Asks once for equal calls, and sends all calls of a tick together. */
  call<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<R>;
  /** The same without a promise: what one needs who waits for several at once. */
  callWithCallback<P extends readonly unknown[], R>(
    method: RpcMethod<P, R>,
    args: P,
    settle: (settled: Settled<R>) => void,
  ): void;
  /** Asks anew, whatever has been answered or asked before. */
  refetch<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): Promise<R>;
  /** What is remembered of a call; undefined when the node would have to be asked. */
  getCached<P extends readonly unknown[], R>(method: RpcMethod<P, R>, ...args: P): { readonly value: R } | undefined;
  /** Keeps an answer that was had under another name as the fact that it is. */
  cachePermanently<P extends readonly unknown[], R>(method: RpcMethod<P, R>, value: R, ...args: P): void;
  /** Keeps an answer for as long as a block is of the chain, on which all of it depends. */
  cacheWhileCanonical<P extends readonly unknown[], R>(method: RpcMethod<P, R>, value: R, place: BlockPointer, ...args: P): void;
}

/** A call, and who waits for it. */
interface PendingCall extends RpcCall {
  readonly paramsJson: string;
  readonly reader: RpcMethod<readonly unknown[], unknown>;
  readonly args: readonly unknown[];
  /** Whether its answer is one that may be kept. */
  readonly isCacheable: boolean;
  readonly listeners: ((settled: Settled<never>) => void)[];
  settled: Settled<never> | undefined;
}

/**
 * Opens an operation's way to a node: the batching transport on which its loaders stand. A tick ends when everything that is
 * already waiting has run: loaders on top of this one dispatch in between, so what they ask for still travels in the same POST.
 * With a memory, what is remembered is there at once, and what another operation waits for is waited for together. `onVolatile` is
 * told when something is read that does not stay as it is. `meter` counts the calls: once it is exhausted, no call is sent.
 */
export function createOperationCalls(
  rpc: Pick<HttpRpcTransport, 'send'>,
  signal: AbortSignal,
  memory?: SharedResultCache,
  onVolatile?: () => void,
  meter?: CallMeter,
): OperationCalls {
  /** By method, then by parameters as they are written. */
  const asked = new Map<string, Map<string, PendingCall>>();
  let waiting: PendingCall[] = [];

  /** Keeps an answer if it stays true, and tells whether it did. An empty list may be a node's way to say that it lacks the block. */
  const keep = ({ method, paramsJson, reader, args, isCacheable }: PendingCall, settled: Settled<unknown>): boolean => {
    if (!isCacheable || 'error' in settled || settled.value === null) return false;
    if (Array.isArray(settled.value) && settled.value.length === 0) return false;
    if (reader.isImmutable) return memory!.set(method + paramsJson, settled.value);
    const place = reader.inclusionBlock!(settled.value, ...args);
    return place !== undefined && memory!.set(method + paramsJson, settled.value, place);
  };

  const conclude = (call: PendingCall, settled: Settled<never>): void => {
    call.settled = settled;
    if (!keep(call, settled)) onVolatile?.();
    for (const listener of call.listeners) listener(settled);
  };

  const dispatch = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    const outcomes = meter?.isExhausted ? calls.map(() => ({ error: meter.error })) : await rpc.send(calls, signal);
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]!;
      const outcome = outcomes[i]!;
      // Whoever listens gave the reader whose value this is.
      const settled = ('error' in outcome ? { error: outcome.error } : { value: outcome.result }) as Settled<never>;
      conclude(call, settled);
      // A failure may be the end of this operation alone, so it is not shared.
      if (call.isCacheable) memory!.inFlight.settle(call.method + call.paramsJson, 'error' in settled ? undefined : settled);
    }
  };

  const send = (call: PendingCall): void => {
    if (call.isCacheable) memory!.inFlight.add(call.method + call.paramsJson);
    if (meter) meter.spent += call.reader.cost ? call.reader.cost(...call.args) : 1;
    if (waiting.push(call) === 1) setImmediate(dispatch);
  };

  /** What ends the waiting for others when this operation ends: one listener on its signal, however many calls are waited for. */
  const waits = new Set<() => void>();
  const giveUp = (): void => {
    for (const give of [...waits]) give();
  };

  /** Joins an equal call in flight of another operation; sends the call itself when that one fails. */
  const join = (call: PendingCall): void => {
    const once = (settled: Settled<unknown> | undefined): void => {
      if (!waits.delete(give)) return;
      if (waits.size === 0) signal.removeEventListener('abort', giveUp);
      if (settled === undefined && !signal.aborted) send(call);
      else conclude(call, (settled ?? { error: signal.reason }) as Settled<never>);
    };
    const give = () => once({ error: signal.reason });
    if (waits.size === 0) signal.addEventListener('abort', giveUp, { once: true });
    waits.add(give);
    memory!.inFlight.join(call.method + call.paramsJson, once);
  };

  const start = <P extends readonly unknown[], R>(
    method: RpcMethod<P, R>,
    args: P,
    params: readonly unknown[],
    isAnew: boolean,
    settle: (settled: Settled<R>) => void,
  ): void => {
    const name = methodNameOf(method, args);
    const paramsJson = write(params);
    const reader = method as unknown as PendingCall['reader'];
    const isCacheable =
      memory !== undefined && (method.isImmutable ? method.isImmutable(...args) : method.inclusionBlock !== undefined);
    // Most calls have one listener, and a list that is written with it has no more room than that.
    const call: PendingCall = {
      method: name,
      params,
      paramsJson,
      reader,
      args,
      isCacheable,
      listeners: [settle],
      settled: undefined,
    };
    askedOf(name).set(paramsJson, call);
    if (isCacheable && !isAnew && memory.inFlight.has(name + paramsJson)) join(call);
    else send(call);
  };

  const askedOf = (name: string): Map<string, PendingCall> => {
    const known = asked.get(name);
    if (known) return known;
    const made = new Map<string, PendingCall>();
    asked.set(name, made);
    return made;
  };

  /** Who asks several things of the same parameters, one after the other, has them written once. */
  const last = { params: undefined as readonly unknown[] | undefined, written: '' };
  const write = (params: readonly unknown[]): string => {
    if (params !== last.params) {
      last.params = params;
      last.written = serializeParams(params);
    }
    return last.written;
  };

  const remembered = <P extends readonly unknown[], R>(
    method: RpcMethod<P, R>,
    args: P,
    params: readonly unknown[],
  ): { readonly value: R } | undefined =>
    memory && (method.isImmutable || method.inclusionBlock)
      ? (memory.get(methodNameOf(method, args) + write(params)) as { readonly value: R } | undefined)
      : undefined;

  const keyOf = <P extends readonly unknown[], R>(method: RpcMethod<P, R>, args: P): string =>
    methodNameOf(method, args) + write(paramsOf(method, args));

  const callWithCallback: OperationCalls['callWithCallback'] = (method, args, settle) => {
    const params = paramsOf(method, args);
    const before = asked.get(methodNameOf(method, args))?.get(write(params));
    if (before?.settled) return settle(before.settled);
    if (before) return void before.listeners.push(settle);
    const known = remembered(method, args, params);
    if (known) settle(known);
    else start(method, args, params, false, settle);
  };

  const promise = <R>(ask: (settle: (settled: Settled<R>) => void) => void): Promise<R> =>
    new Promise((resolve, reject) => {
      ask((settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value)));
    });

  return {
    callWithCallback,
    call: (method, ...args) => promise((settle) => callWithCallback(method, args, settle)),
    refetch: (method, ...args) => promise((settle) => start(method, args, paramsOf(method, args), true, settle)),
    cachePermanently(method, value, ...args) {
      if (method.isImmutable?.(...args)) memory?.set(keyOf(method, args), value);
    },
    cacheWhileCanonical(method, value, place, ...args) {
      memory?.set(keyOf(method, args), value, place);
    },
    getCached: (method, ...args) => remembered(method, args, paramsOf(method, args)),
  };
}

/** The parameters of a call. */
export const paramsOf = <P extends readonly unknown[], R>({ params }: RpcMethod<P, R>, args: P): readonly unknown[] =>
  params ? params(...args) : args;

const methodNameOf = <P extends readonly unknown[], R>({ name }: RpcMethod<P, R>, args: P): string =>
  typeof name === 'string' ? name : name(...args);
