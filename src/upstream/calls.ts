import DataLoader from 'dataloader';
import { GraphError } from '../errors.ts';
import type { JsonRpc, RpcCall } from './jsonrpc.ts';

/** One method of a node: its name, how its parameters are written, how its result is read. */
export interface Method<P extends readonly unknown[], R> {
  /** A function where the parameters decide between twins, as by number and by hash. */
  readonly name: string | ((...args: P) => string);
  readonly params: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape. */
  readonly read: (result: unknown) => R;
}

/** One operation's way to a node. */
export interface Calls {
  /** Asks once for equal calls, and sends all calls of a tick together. */
  call<P extends readonly unknown[], R>(method: Method<P, R>, ...args: P): Promise<R>;
}

const keyOf = ({ method, params }: RpcCall): string => method + JSON.stringify(params);

/**
 * Opens an operation's way to a node. A tick ends when everything that is already waiting has run: loaders on top of this one
 * dispatch in between, so what they ask for still travels in the same POST.
 */
export function openCalls(rpc: JsonRpc, signal: AbortSignal): Calls {
  const send = async (calls: readonly RpcCall[]) =>
    (await rpc.send(calls, signal)).map((outcome) => ('error' in outcome ? outcome.error : outcome.result));
  const loader = new DataLoader<RpcCall, unknown, string>(send, {
    cacheKeyFn: keyOf,
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });
  return {
    async call({ name, params, read }, ...args) {
      const method = typeof name === 'string' ? name : name(...args);
      return readAs(method, read, await loader.load({ method, params: params(...args) }));
    },
  };
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
