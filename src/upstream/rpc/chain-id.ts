import { nullable, quantity } from '../../ethereum/decoders.ts';
import type { Quantity } from '../../ethereum/hex.ts';
import type { RpcCall, SendCalls } from './rpc-call.ts';
import { isUnavailable } from './rpc-errors.ts';

const CHAIN_ID_CALL: RpcCall = { method: 'eth_chainId', params: [], reader: { read: nullable(quantity) } };

/**
 * Requests the chain id of a node. Null for a node without a chain id, which responds with null or with an error: no
 * other call needs the chain id. Rejects while the node is unavailable, and at an internal error if the chain `isKnown`: the node may be of
 * another one. Source: `eth_chainId`.
 */
export async function requestChainId(send: SendCalls, isKnown = false): Promise<Quantity | null> {
  const [outcome] = await send([CHAIN_ID_CALL]);
  if ('result' in outcome!) return outcome.result as Quantity | null;
  const { error, rpcError } = outcome!;
  if (!rpcError || isUnavailable(error) || (isKnown && error.code === 'UPSTREAM_INTERNAL')) throw error;
  return null;
}
