import { GraphError } from '../errors.ts';
import { type JsonRpc, type RpcCall, type RpcOutcome, writtenParams } from './jsonrpc.ts';

/** One method of a node: its name, how its parameters are written, how its result is read. */
export interface Method<P extends readonly unknown[], R> {
  /** A function where the parameters decide between twins, as by number and by hash. */
  readonly name: string | ((...args: P) => string);
  readonly params: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape. */
  readonly read: (result: unknown) => R;
}

/** What came of a call, read; the shape of `Promise.allSettled`. */
export type Settled<R> = { readonly value: R } | { readonly error: unknown };

/** One operation's way to a node. */
export interface Calls {
  /** Asks once for equal calls, and sends all calls of a tick together. */
  call<P extends readonly unknown[], R>(method: Method<P, R>, ...args: P): Promise<R>;
  /** The same without a promise: what one needs who waits for several at once. */
  listen<P extends readonly unknown[], R>(method: Method<P, R>, args: P, settle: (settled: Settled<R>) => void): void;
}

/** A call, and who waits for it. */
interface Asked extends RpcCall {
  readonly read: (result: unknown) => unknown;
  readonly listeners: ((settled: Settled<never>) => void)[];
  settled: Settled<never> | undefined;
}

/**
 * Opens an operation's way to a node: the batching transport on which its loaders stand. A tick ends when everything that is
 * already waiting has run: loaders on top of this one dispatch in between, so what they ask for still travels in the same POST.
 */
export function openCalls(rpc: Pick<JsonRpc, 'send'>, signal: AbortSignal): Calls {
  const asked = new Map<string, Asked>();
  let waiting: Asked[] = [];

  const dispatch = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    const outcomes = await rpc.send(calls, signal);
    for (let i = 0; i < calls.length; i++) {
      const { method, read, listeners } = calls[i]!;
      // Whoever listens gave the reader whose value this is.
      const settled = settle(method, read, outcomes[i]!) as Settled<never>;
      calls[i]!.settled = settled;
      for (const listener of listeners) listener(settled);
    }
  };

  const listen: Calls['listen'] = ({ name, params: write, read }, args, settle) => {
    const method = typeof name === 'string' ? name : name(...args);
    const params = write(...args);
    const key = method + writtenParams(params);
    const known = asked.get(key);
    if (known?.settled) settle(known.settled);
    else if (known) known.listeners.push(settle);
    else {
      const call: Asked = { method, params, read, listeners: [settle], settled: undefined };
      asked.set(key, call);
      if (waiting.push(call) === 1) setImmediate(dispatch);
    }
  };

  return {
    listen,
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        listen(method, args, (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.value)));
      }),
  };
}

function settle(method: string, read: (result: unknown) => unknown, outcome: RpcOutcome): Settled<unknown> {
  if ('error' in outcome) return { error: outcome.error };
  try {
    return { value: readAs(method, read, outcome.result) };
  } catch (error) {
    return { error };
  }
}

/** Reads a result, and names the method in the error when it cannot be read. */
export function readAs<R>(method: string, read: (result: unknown) => R, result: unknown): R {
  try {
    return read(result);
  } catch (cause) {
    if (cause instanceof GraphError && cause.extensions.method !== undefined) throw cause;
    throw new GraphError('UPSTREAM_BAD_RESPONSE', `The node's answer to ${method} has another shape than it should.`, {
      method,
      cause,
    });
  }
}
