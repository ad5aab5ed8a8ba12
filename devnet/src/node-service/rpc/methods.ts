import type { z } from 'zod';
import type { AnvilRequest } from '../anvil-connection.ts';
import * as anvilFixes from '../behaviour/anvil-fixes.ts';
import type { MessageSubscriptions } from '../subscriptions.ts';
import {
  addressParam,
  allowanceParam,
  blockNumberParam,
  booleanParam,
  callObjectParam,
  contractsParam,
  dataParam,
  hashParam,
  logFilterParam,
  proofBlockParam,
  quantityParam,
  readParams,
  stateBlockParam,
  storageSlotParam,
  storageSlotsParam,
  stringParam,
} from './params.ts';
import { NODE_ERROR_CODES, NodeRpcError } from './rpc-error.ts';
import type { TokenMetadataMerger } from './token-database.ts';
import { tokenAllowance, tokenBalances, tokenMetadata } from './token-methods.ts';

/** The dependencies of a method. */
export interface MethodContext {
  /** Sends a call to anvil, with the injected lag. */
  readonly request: AnvilRequest;
  readonly mergeTokenMetadata: TokenMetadataMerger;
  /** Whether `eth_chainId` is unsupported. */
  readonly noChainId: boolean;
  /** Subscriptions of the WebSocket; undefined over HTTP. */
  readonly subscriptions: MessageSubscriptions | undefined;
}

export interface NodeMethod {
  /** Compute units of one call, in the proportions of hosted providers; the service description has no numbers. */
  readonly units: number;
  handle(context: MethodContext, params: readonly unknown[]): Promise<unknown> | unknown;
}

/** Defines a method that validates its parameters first. */
function defineMethod<const Schemas extends readonly z.ZodType[]>(
  units: number,
  schemas: Schemas,
  run: (context: MethodContext, ...params: ReturnType<typeof readParams<Schemas>>) => Promise<unknown> | unknown,
): NodeMethod {
  return { units, handle: (context, params) => run(context, ...readParams(schemas, params)) };
}

/** A method that anvil implements as described. */
const passThrough = (units: number, name: string, schemas: readonly z.ZodType[] = []) =>
  defineMethod(units, schemas, ({ request }, ...params) => request(name, ...params));

/** A read of a block or transaction: null if it does not exist. */
const blockLookup = (units: number, name: string, schemas: readonly z.ZodType[]) =>
  defineMethod(units, schemas, ({ request }, ...params) => anvilFixes.nullIfMissingBlock(request(name, ...params)));

/** A read of state at a block. */
const stateRead = (units: number, name: string, schemas: readonly z.ZodType[]) =>
  defineMethod(units, schemas, ({ request }, ...params) => anvilFixes.fixStateError(request(name, ...params)));

const fixedTransaction = async (response: Promise<anvilFixes.RpcJsonObject | null>) => {
  const found = await anvilFixes.nullIfMissingBlock(response);
  return found && anvilFixes.fixTransaction(found);
};

const requireSubscriptions = ({ subscriptions }: MethodContext): MessageSubscriptions => {
  if (!subscriptions)
    throw new NodeRpcError(NODE_ERROR_CODES.methodNotFound, 'notifications not supported: use the WebSocket URL');
  return subscriptions;
};

const tokenMethods: Readonly<Record<string, NodeMethod>> = {
  svc_getTokenAllowance: defineMethod(19, [allowanceParam], ({ request }, token) => tokenAllowance(request, token)),
  svc_getTokenBalances: defineMethod(26, [addressParam, contractsParam], ({ request }, owner, contracts) =>
    tokenBalances(request, owner, contracts),
  ),
  svc_getTokenMetadata: defineMethod(16, [addressParam], ({ request, mergeTokenMetadata }, contract) =>
    tokenMetadata(request, mergeTokenMetadata, contract),
  ),
};

const blockMethods: Readonly<Record<string, NodeMethod>> = {
  eth_blockNumber: passThrough(10, 'eth_blockNumber'),
  eth_getBlockByHash: defineMethod(16, [hashParam, booleanParam], async ({ request }, hash, full) =>
    anvilFixes.fixBlock(await request('eth_getBlockByHash', hash, full), false),
  ),
  eth_getBlockByNumber: defineMethod(16, [blockNumberParam, booleanParam], async ({ request }, block, full) =>
    anvilFixes.fixBlock(await request('eth_getBlockByNumber', block, full), block === 'pending'),
  ),
  eth_getBlockTransactionCountByHash: blockLookup(20, 'eth_getBlockTransactionCountByHash', [hashParam]),
  eth_getBlockTransactionCountByNumber: blockLookup(20, 'eth_getBlockTransactionCountByNumber', [blockNumberParam]),
};

const transactionMethods: Readonly<Record<string, NodeMethod>> = {
  eth_getTransactionByHash: defineMethod(15, [hashParam], ({ request }, hash) =>
    fixedTransaction(request('eth_getTransactionByHash', hash)),
  ),
  eth_getTransactionByBlockHashAndIndex: defineMethod(15, [hashParam, quantityParam], ({ request }, blockHash, index) =>
    fixedTransaction(request('eth_getTransactionByBlockHashAndIndex', blockHash, index)),
  ),
  eth_getTransactionByBlockNumberAndIndex: defineMethod(
    15,
    [blockNumberParam, quantityParam],
    async ({ request }, block, index) => {
      if (block !== 'pending') return fixedTransaction(request('eth_getTransactionByBlockNumberAndIndex', block, index));
      // Anvil does not find transactions of the pending block by index.
      const pending = anvilFixes.fixBlock(await request('eth_getBlockByNumber', 'pending', true), true);
      return (pending!.transactions as readonly unknown[])[Number(index)] ?? null;
    },
  ),
  eth_getTransactionCount: stateRead(26, 'eth_getTransactionCount', [addressParam, stateBlockParam]),
  eth_getTransactionReceipt: defineMethod(15, [hashParam], async ({ request }, hash) =>
    anvilFixes.fixReceipt(await request('eth_getTransactionReceipt', hash)),
  ),
  eth_sendRawTransaction: passThrough(250, 'eth_sendRawTransaction', [dataParam]),
};

const accountMethods: Readonly<Record<string, NodeMethod>> = {
  eth_getBalance: stateRead(19, 'eth_getBalance', [addressParam, stateBlockParam]),
  eth_getCode: stateRead(19, 'eth_getCode', [addressParam, stateBlockParam]),
  eth_getStorageAt: stateRead(17, 'eth_getStorageAt', [addressParam, storageSlotParam, stateBlockParam]),
  // Anvil returns the accounts whose keys it has; this service stores none.
  eth_accounts: defineMethod(10, [], () => []),
  eth_getProof: defineMethod(21, [addressParam, storageSlotsParam, proofBlockParam], async ({ request }, address, slots, block) =>
    anvilFixes.fixProof(await anvilFixes.fixStateError(request('eth_getProof', address, slots, block))),
  ),
};

/** The block is optional, as at hosted providers; the default is `latest`. */
const executionMethods: Readonly<Record<string, NodeMethod>> = {
  eth_call: stateRead(26, 'eth_call', [callObjectParam, stateBlockParam.default('latest')]),
  eth_estimateGas: stateRead(87, 'eth_estimateGas', [callObjectParam, stateBlockParam.default('latest')]),
};

const chainMethods: Readonly<Record<string, NodeMethod>> = {
  eth_getLogs: defineMethod(75, [logFilterParam], ({ request }, filter) => anvilFixes.logsOrEmpty(request, filter)),
  // The value of geth; anvil returns 1.
  eth_protocolVersion: defineMethod(10, [], () => '0x41'),
  eth_gasPrice: passThrough(19, 'eth_gasPrice'),
  eth_chainId: defineMethod(0, [], ({ request, noChainId }) => {
    if (noChainId)
      throw new NodeRpcError(NODE_ERROR_CODES.methodNotFound, 'eth_chainId is not supported: the head block carries no chain id');
    return request('eth_chainId');
  }),
  net_version: passThrough(0, 'net_version'),
  net_listening: passThrough(0, 'net_listening'),
};

const uncleMethods: Readonly<Record<string, NodeMethod>> = {
  eth_getUncleByBlockNumberAndIndex: blockLookup(15, 'eth_getUncleByBlockNumberAndIndex', [blockNumberParam, quantityParam]),
  eth_getUncleByBlockHashAndIndex: blockLookup(15, 'eth_getUncleByBlockHashAndIndex', [hashParam, quantityParam]),
  eth_getUncleCountByBlockHash: blockLookup(15, 'eth_getUncleCountByBlockHash', [hashParam]),
  eth_getUncleCountByBlockNumber: blockLookup(15, 'eth_getUncleCountByBlockNumber', [blockNumberParam]),
};

const subscriptionMethods: Readonly<Record<string, NodeMethod>> = {
  eth_subscribe: { units: 10, handle: (context, params) => requireSubscriptions(context).subscribe(params) },
  eth_unsubscribe: defineMethod(10, [stringParam], (context, id) => requireSubscriptions(context).unsubscribe(id)),
};

/** The methods of the service description. */
export const nodeMethods: ReadonlyMap<string, NodeMethod> = new Map(
  Object.entries({
    ...tokenMethods,
    ...blockMethods,
    ...transactionMethods,
    ...accountMethods,
    ...executionMethods,
    ...chainMethods,
    ...uncleMethods,
    ...subscriptionMethods,
  }),
);

/** Methods of anvil beyond the service description. */
export const passThroughMethods = (names: readonly string[]): [string, NodeMethod][] =>
  names.map((name) => [name, { units: 20, handle: ({ request }, params) => request(name, ...params) }]);
