import type { CallMeter } from '../call-meter.ts';
import { type JsonRpc, type RpcCall, writtenParams } from './http-batches.ts';

/** Where an answer lies in the chain: it is true for as long as that block is of the chain. */
export interface Place {
  readonly number: string;
  readonly hash: string;
}

/** One method of a node: its name, how its parameters are written, how its result is read. */
export interface Method<P extends readonly unknown[], R> {
  /** A function where the parameters decide between twins, as by number and by hash. */
  readonly name: string | ((...args: P) => string);
  /** Left out where the arguments are the parameters. */
  readonly params?: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for one that does not fit the arguments. */
  readonly read: (result: unknown, ...args: P) => R;
  /** As `ResultReader.confirmsEmpty`. */
  readonly confirmsEmpty?: boolean;
  /** Whether an answer stays true for ever, because it was asked at a block hash. */
  readonly isFact?: (...args: P) => boolean;
  /** Where the answer lies, if that is what decides how long it is true. */
  readonly placeOf?: (result: R, ...args: P) => Place | undefined;
  /** What a call costs in the unit of MAX_COST; 1 when left out. */
  readonly cost?: (...args: P) => number;
}

/** What came of a call, read; the shape of `Promise.allSettled`. */
export type Settled<R> = { readonly value: R } | { readonly error: unknown };

/** What all operations remember of a node's answers. */
export interface Memory {
  /** An answer that is still true, and where it lies if that decides how long. */
  get(key: string): { readonly value: unknown; readonly place?: Place | undefined } | undefined;
  /** Keeps an answer, for ever or for as long as its place is of the chain; tells whether it is kept. */
  keep(key: string, value: unknown, place?: Place): boolean;
  /** Calls that some operation waits for, with the others that wait for the same. */
  readonly underway: Map<string, ((settled: Settled<unknown>) => void)[]>;
}

/** One operation's way to a node. */
export interface Calls {
  /** Asks once for equal calls, and sends all calls of a tick together. */
  call<P extends readonly unknown[], R>(method: Method<P, R>, ...args: P): Promise<R>;
  /** The same without a promise: what one needs who waits for several at once. */
  listen<P extends readonly unknown[], R>(method: Method<P, R>, args: P, settle: (settled: Settled<R>) => void): void;
  /** Asks anew, whatever has been answered or asked before. */
  again<P extends readonly unknown[], R>(method: Method<P, R>, ...args: P): Promise<R>;
  /** What is remembered of a call; undefined when the node would have to be asked. */
  known<P extends readonly unknown[], R>(method: Method<P, R>, ...args: P): { readonly value: R } | undefined;
  /** Keeps an answer that was had under another name as the fact that it is. */
  learn<P extends readonly unknown[], R>(method: Method<P, R>, value: R, ...args: P): void;
  /** Keeps an answer for as long as a block is of the chain, on which all of it depends. */
  hold<P extends readonly unknown[], R>(method: Method<P, R>, value: R, place: Place, ...args: P): void;
}

/** A call, and who waits for it. */
interface Asked extends RpcCall {
  readonly written: string;
  readonly reader: Method<readonly unknown[], unknown>;
  readonly args: readonly unknown[];
  /** Whether its answer is one that may be kept. */
  readonly isKept: boolean;
  readonly listeners: ((settled: Settled<never>) => void)[];
  settled: Settled<never> | undefined;
}

/**
 * Opens an operation's way to a node: the batching transport on which its loaders stand. A tick ends when everything that is
 * already waiting has run: loaders on top of this one dispatch in between, so what they ask for still travels in the same POST.
 * With a memory, what is remembered is there at once, and what another operation waits for is waited for together. `onVolatile` is
 * told when something is read that does not stay as it is. `meter` counts the calls: once it is exhausted, no call is sent.
 */
export function openCalls(
  rpc: Pick<JsonRpc, 'send'>,
  signal: AbortSignal,
  memory?: Memory,
  onVolatile?: () => void,
  meter?: CallMeter,
): Calls {
  /** By method, then by parameters as they are written. */
  const asked = new Map<string, Map<string, Asked>>();
  let waiting: Asked[] = [];

  /** Keeps an answer if it stays true, and tells whether it did. An empty list may be a node's way to say that it lacks the block. */
  const keep = ({ method, written, reader, args, isKept }: Asked, settled: Settled<unknown>): boolean => {
    if (!isKept || 'error' in settled || settled.value === null) return false;
    if (Array.isArray(settled.value) && settled.value.length === 0) return false;
    if (reader.isFact) return memory!.keep(method + written, settled.value);
    const place = reader.placeOf!(settled.value, ...args);
    return place !== undefined && memory!.keep(method + written, settled.value, place);
  };

  const conclude = (call: Asked, settled: Settled<never>): void => {
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
      if (call.isKept) tellOthers(memory!, call.method + call.written, settled);
    }
  };

  const send = (call: Asked): void => {
    if (call.isKept) {
      const key = call.method + call.written;
      memory!.underway.set(key, memory!.underway.get(key) ?? []);
    }
    if (meter) meter.spent += call.reader.cost ? call.reader.cost(...call.args) : 1;
    if (waiting.push(call) === 1) setImmediate(dispatch);
  };

  /** What ends the waiting for others when this operation ends: one listener on its signal, however many calls are waited for. */
  const waits = new Set<() => void>();
  const giveUp = (): void => {
    for (const give of [...waits]) give();
  };

  /** Waits for what another operation has asked; should that fail, which may be that operation's own end, asks itself. */
  const join = (call: Asked, others: ((settled: Settled<unknown>) => void)[]): void => {
    const once = (settled: Settled<unknown>): void => {
      if (!waits.delete(give)) return;
      if (waits.size === 0) signal.removeEventListener('abort', giveUp);
      if ('error' in settled && !signal.aborted) send(call);
      else conclude(call, settled as Settled<never>);
    };
    const give = () => once({ error: signal.reason });
    if (waits.size === 0) signal.addEventListener('abort', giveUp, { once: true });
    waits.add(give);
    others.push(once);
  };

  const start = <P extends readonly unknown[], R>(
    method: Method<P, R>,
    args: P,
    params: readonly unknown[],
    isAnew: boolean,
    settle: (settled: Settled<R>) => void,
  ): void => {
    const name = nameOf(method, args);
    const written = write(params);
    const reader = method as unknown as Asked['reader'];
    const isKept = memory !== undefined && (method.isFact ? method.isFact(...args) : method.placeOf !== undefined);
    // Most calls have one listener, and a list that is written with it has no more room than that.
    const call: Asked = { method: name, params, written, reader, args, isKept, listeners: [settle], settled: undefined };
    askedOf(name).set(written, call);
    const others = isKept && !isAnew ? memory.underway.get(name + written) : undefined;
    if (others) join(call, others);
    else send(call);
  };

  const askedOf = (name: string): Map<string, Asked> => {
    const known = asked.get(name);
    if (known) return known;
    const made = new Map<string, Asked>();
    asked.set(name, made);
    return made;
  };

  /** Who asks several things of the same parameters, one after the other, has them written once. */
  const last = { params: undefined as readonly unknown[] | undefined, written: '' };
  const write = (params: readonly unknown[]): string => {
    if (params !== last.params) {
      last.params = params;
      last.written = writtenParams(params);
    }
    return last.written;
  };

  const remembered = <P extends readonly unknown[], R>(
    method: Method<P, R>,
    args: P,
    params: readonly unknown[],
  ): { readonly value: R } | undefined =>
    memory && (method.isFact || method.placeOf)
      ? (memory.get(nameOf(method, args) + write(params)) as { readonly value: R } | undefined)
      : undefined;

  const keyOf = <P extends readonly unknown[], R>(method: Method<P, R>, args: P): string =>
    nameOf(method, args) + write(paramsOf(method, args));

  const listen: Calls['listen'] = (method, args, settle) => {
    const params = paramsOf(method, args);
    const before = asked.get(nameOf(method, args))?.get(write(params));
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
    listen,
    call: (method, ...args) => promise((settle) => listen(method, args, settle)),
    again: (method, ...args) => promise((settle) => start(method, args, paramsOf(method, args), true, settle)),
    learn(method, value, ...args) {
      if (method.isFact?.(...args)) memory?.keep(keyOf(method, args), value);
    },
    hold(method, value, place, ...args) {
      memory?.keep(keyOf(method, args), value, place);
    },
    known: (method, ...args) => remembered(method, args, paramsOf(method, args)),
  };
}

/** The parameters of a call. */
export const paramsOf = <P extends readonly unknown[], R>({ params }: Method<P, R>, args: P): readonly unknown[] =>
  params ? params(...args) : args;

const nameOf = <P extends readonly unknown[], R>({ name }: Method<P, R>, args: P): string =>
  typeof name === 'string' ? name : name(...args);

/** Tells the operations that wait for the same call. */
function tellOthers({ underway }: Memory, key: string, settled: Settled<unknown>): void {
  const others = underway.get(key);
  underway.delete(key);
  for (const tell of others ?? []) tell(settled);
  // What has held them may itself be kept in memory for a while.
  if (others) others.length = 0;
}
