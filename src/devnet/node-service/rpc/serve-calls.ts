import type { Logger } from 'pino';
import type { Ask } from '../anvil-connection.ts';
import type { FaultSwitches } from '../behaviour/faults.ts';
import { lagging } from '../behaviour/lag.ts';
import type { Units } from '../rate-limit.ts';
import type { Subscribing } from '../subscriptions.ts';
import { type Body, type Entry, failed, type Reply } from './envelope.ts';
import { beyondTheSeed, methods, type Scene } from './methods.ts';
import { CODES, RpcError } from './rpc-error.ts';
import type { Merge } from './token-database.ts';

export interface ServiceOptions {
  readonly ask: Ask;
  readonly merge: Merge;
  readonly units: Units;
  readonly faults: FaultSwitches;
  /** Methods beyond the seed's. */
  readonly more: readonly string[];
  readonly log: Logger;
}

/** What a request gets: JSON-RPC, or with a fault a page of some status. */
export interface Outcome {
  readonly reply: Reply | readonly Reply[];
  /** HTTP status that a fault wants for the whole request, without JSON-RPC. */
  readonly status?: number;
}

/** Answers a request of either transport, for a key that has been checked. Never rejects. */
export type Serve = (key: string, body: Body, subscriptions?: Subscribing) => Promise<Outcome>;

export function serveCalls({ ask, merge, units, faults, more, log }: ServiceOptions): Serve {
  const table = new Map([...methods, ...beyondTheSeed(more)]);

  const asRpcError = (error: unknown, method: string): RpcError => {
    if (error instanceof RpcError) return error;
    log.error({ err: error, method }, 'the node service failed');
    return new RpcError(CODES.internal, 'Internal error');
  };

  const replyTo = async (key: string, entry: Entry, scene: Scene): Promise<Outcome> => {
    if ('error' in entry) return { reply: failed(entry.error, entry.id) };
    const { id, method: name, params } = entry;
    const method = table.get(name);
    if (!method) {
      return { reply: failed(new RpcError(CODES.noMethod, `the method ${name} does not exist/is not available`), id) };
    }
    try {
      faults.limit(key, method.units);
      units.spend(key, method.units);
      const fault = faults.errorFor(name);
      if (fault) return { reply: failed(fault.error, id), ...(fault.status !== undefined && { status: fault.status }) };
      return { reply: { jsonrpc: '2.0', id, result: await method.answer(scene, params) } };
    } catch (error) {
      return { reply: failed(asRpcError(error, name), id) };
    }
  };

  return async (key, body, subscriptions) => {
    const { lag, noChainId, noBatches } = faults.current;
    const scene: Scene = { ask: lagging(ask, lag), merge, noChainId, subscriptions };
    if (!body.batch) return replyTo(key, body.entry, scene);
    if (noBatches) return { reply: failed(new RpcError(CODES.invalidRequest, 'batch requests are not supported')) };
    const outcomes = await Promise.all(body.entries.map((entry) => replyTo(key, entry, scene)));
    const status = outcomes.find((one) => one.status !== undefined)?.status;
    return { reply: outcomes.map(({ reply }) => reply as Reply), ...(status !== undefined && { status }) };
  };
}
