import type { Logger } from 'pino';
import type { AnvilRequest } from '../anvil-connection.ts';
import type { NodeFaultInjector } from '../behaviour/faults.ts';
import { withLag } from '../behaviour/lag.ts';
import type { ComputeUnitMeter } from '../compute-units.ts';
import type { MessageSubscriptions } from '../subscriptions.ts';
import { errorResponse, type JsonRpcResponse, type NodeCallEntry, type RpcRequestBody } from './envelope.ts';
import { type MethodContext, nodeMethods, passThroughMethods } from './methods.ts';
import { NODE_ERROR_CODES, NodeRpcError } from './rpc-error.ts';
import type { TokenMetadataMerger } from './token-database.ts';

export interface RpcHandlerOptions {
  readonly request: AnvilRequest;
  readonly mergeTokenMetadata: TokenMetadataMerger;
  readonly units: ComputeUnitMeter;
  readonly faults: NodeFaultInjector;
  /** Methods beyond the service description. */
  readonly extraMethods: readonly string[];
  readonly log: Logger;
}

/** The JSON-RPC response to a request, or the HTTP error that replaces it. */
export interface NodeCallOutcome {
  readonly reply: JsonRpcResponse | readonly JsonRpcResponse[];
  /** HTTP status of an injected fault, which replaces the JSON-RPC response. */
  readonly status?: number;
}

/** Handles a request from either transport for a valid key. Never rejects. */
export type RpcHandler = (key: string, body: RpcRequestBody, subscriptions?: MessageSubscriptions) => Promise<NodeCallOutcome>;

export function createRpcHandler({
  request,
  mergeTokenMetadata,
  units,
  faults,
  extraMethods,
  log,
}: RpcHandlerOptions): RpcHandler {
  const table = new Map([...nodeMethods, ...passThroughMethods(extraMethods)]);

  const asRpcError = (error: unknown, method: string): NodeRpcError => {
    if (error instanceof NodeRpcError) return error;
    log.error({ err: error, method }, 'the node service failed');
    return new NodeRpcError(NODE_ERROR_CODES.internal, 'Internal error');
  };

  const replyTo = async (key: string, entry: NodeCallEntry, context: MethodContext): Promise<NodeCallOutcome> => {
    if ('error' in entry) return { reply: errorResponse(entry.error, entry.id) };
    const { id, method: name, params } = entry;
    const method = table.get(name);
    if (!method) {
      return {
        reply: errorResponse(
          new NodeRpcError(NODE_ERROR_CODES.methodNotFound, `the method ${name} does not exist/is not available`),
          id,
        ),
      };
    }
    try {
      faults.checkRateLimit(key, method.units);
      units.spend(key, method.units);
      const fault = faults.nextError(name);
      if (fault) return { reply: errorResponse(fault.error, id), ...(fault.status !== undefined && { status: fault.status }) };
      return { reply: { jsonrpc: '2.0', id, result: await method.handle(context, params) } };
    } catch (error) {
      return { reply: errorResponse(asRpcError(error, name), id) };
    }
  };

  return async (key, body, subscriptions) => {
    const { lag, noChainId, noBatches } = faults.current;
    const context: MethodContext = { request: withLag(request, lag), mergeTokenMetadata, noChainId, subscriptions };
    if (!body.batch) return replyTo(key, body.entry, context);
    if (noBatches)
      return { reply: errorResponse(new NodeRpcError(NODE_ERROR_CODES.invalidRequest, 'batch requests are not supported')) };
    const outcomes = await Promise.all(body.entries.map((entry) => replyTo(key, entry, context)));
    const status = outcomes.find((outcome) => outcome.status !== undefined)?.status;
    return { reply: outcomes.map(({ reply }) => reply as JsonRpcResponse), ...(status !== undefined && { status }) };
  };
}
