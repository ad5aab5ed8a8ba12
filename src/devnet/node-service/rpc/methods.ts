import type { z } from 'zod';
import type { Ask } from '../anvil-connection.ts';
import * as mend from '../behaviour/anvil-fixes.ts';
import type { Subscribing } from '../subscriptions.ts';
import {
  address,
  allowance,
  blockNumber,
  boolean,
  callObject,
  contracts,
  data,
  filter,
  hash,
  proofBlock,
  quantity,
  readParams,
  slot,
  slots,
  stateBlock,
  string,
} from './params.ts';
import { CODES, RpcError } from './rpc-error.ts';
import type { Merge } from './token-database.ts';
import { tokenAllowance, tokenBalances, tokenMetadata } from './token-methods.ts';

/** What a method may use. */
export interface Scene {
  /** The node, with its lag. */
  readonly ask: Ask;
  readonly merge: Merge;
  /** The head block carries no chain id. */
  readonly noChainId: boolean;
  /** Of the connection that the message came by; undefined over HTTP. */
  readonly subscriptions: Subscribing | undefined;
}

export interface Method {
  /** Compute units of one call. The seed gives no numbers; these are in the proportions of real providers. */
  readonly units: number;
  answer(scene: Scene, params: readonly unknown[]): Promise<unknown> | unknown;
}

/** Checks the parameters, then answers. */
function method<const Schemas extends readonly z.ZodType[]>(
  units: number,
  schemas: Schemas,
  answer: (scene: Scene, ...params: ReturnType<typeof readParams<Schemas>>) => Promise<unknown> | unknown,
): Method {
  return { units, answer: (scene, params) => answer(scene, ...readParams(schemas, params)) };
}

/** One that anvil answers as the seed says. */
const passing = (units: number, name: string, schemas: readonly z.ZodType[] = []) =>
  method(units, schemas, ({ ask }, ...params) => ask(name, ...params));

/** One about a block or a transaction: null when that is not there. */
const lookup = (units: number, name: string, schemas: readonly z.ZodType[]) =>
  method(units, schemas, ({ ask }, ...params) => mend.orNull(ask(name, ...params)));

/** One about the state at a block. */
const state = (units: number, name: string, schemas: readonly z.ZodType[]) =>
  method(units, schemas, ({ ask }, ...params) => mend.stateOf(ask(name, ...params)));

const transactionIn = async (answer: Promise<mend.Wire | null>) => {
  const found = await mend.orNull(answer);
  return found && mend.transaction(found);
};

const subscriptionsOf = ({ subscriptions }: Scene): Subscribing => {
  if (!subscriptions) throw new RpcError(CODES.noMethod, 'notifications not supported: use the WebSocket URL');
  return subscriptions;
};

const tokens: Readonly<Record<string, Method>> = {
  svc_getTokenAllowance: method(19, [allowance], ({ ask }, token) => tokenAllowance(ask, token)),
  svc_getTokenBalances: method(26, [address, contracts], ({ ask }, holder, of) => tokenBalances(ask, holder, of)),
  svc_getTokenMetadata: method(16, [address], ({ ask, merge }, contract) => tokenMetadata(ask, merge, contract)),
};

const blocks: Readonly<Record<string, Method>> = {
  eth_blockNumber: passing(10, 'eth_blockNumber'),
  eth_getBlockByHash: method(16, [hash, boolean], async ({ ask }, of, full) =>
    mend.block(await ask('eth_getBlockByHash', of, full), false),
  ),
  eth_getBlockByNumber: method(16, [blockNumber, boolean], async ({ ask }, of, full) =>
    mend.block(await ask('eth_getBlockByNumber', of, full), of === 'pending'),
  ),
  eth_getBlockTransactionCountByHash: lookup(20, 'eth_getBlockTransactionCountByHash', [hash]),
  eth_getBlockTransactionCountByNumber: lookup(20, 'eth_getBlockTransactionCountByNumber', [blockNumber]),
};

const transactions: Readonly<Record<string, Method>> = {
  eth_getTransactionByHash: method(15, [hash], ({ ask }, of) => transactionIn(ask('eth_getTransactionByHash', of))),
  eth_getTransactionByBlockHashAndIndex: method(15, [hash, quantity], ({ ask }, of, index) =>
    transactionIn(ask('eth_getTransactionByBlockHashAndIndex', of, index)),
  ),
  eth_getTransactionByBlockNumberAndIndex: method(15, [blockNumber, quantity], async ({ ask }, of, index) => {
    if (of !== 'pending') return transactionIn(ask('eth_getTransactionByBlockNumberAndIndex', of, index));
    // Anvil finds nothing in the pending block by its index.
    const pending = mend.block(await ask('eth_getBlockByNumber', 'pending', true), true);
    return (pending!.transactions as readonly unknown[])[Number(index)] ?? null;
  }),
  eth_getTransactionCount: state(26, 'eth_getTransactionCount', [address, stateBlock]),
  eth_getTransactionReceipt: method(15, [hash], async ({ ask }, of) => mend.receipt(await ask('eth_getTransactionReceipt', of))),
  eth_sendRawTransaction: passing(250, 'eth_sendRawTransaction', [data]),
};

const accounts: Readonly<Record<string, Method>> = {
  eth_getBalance: state(19, 'eth_getBalance', [address, stateBlock]),
  eth_getCode: state(19, 'eth_getCode', [address, stateBlock]),
  eth_getStorageAt: state(17, 'eth_getStorageAt', [address, slot, stateBlock]),
  // Anvil names the accounts whose keys it has; this service stores none.
  eth_accounts: method(10, [], () => []),
  eth_getProof: method(21, [address, slots, proofBlock], async ({ ask }, of, keys, at) =>
    mend.proof(await mend.stateOf(ask('eth_getProof', of, keys, at))),
  ),
};

/** The block may be left out here, as at every provider: it is `latest` then. */
const execution: Readonly<Record<string, Method>> = {
  eth_call: state(26, 'eth_call', [callObject, stateBlock.default('latest')]),
  eth_estimateGas: state(87, 'eth_estimateGas', [callObject, stateBlock.default('latest')]),
};

const chain: Readonly<Record<string, Method>> = {
  eth_getLogs: method(75, [filter], ({ ask }, of) => mend.logs(ask, of)),
  // 65 in hex, as geth said for years; anvil says the number 1.
  eth_protocolVersion: method(10, [], () => '0x41'),
  eth_gasPrice: passing(19, 'eth_gasPrice'),
  eth_chainId: method(0, [], ({ ask, noChainId }) => {
    if (noChainId) throw new RpcError(CODES.noMethod, 'eth_chainId is not supported: the head block carries no chain id');
    return ask('eth_chainId');
  }),
  net_version: passing(0, 'net_version'),
  net_listening: passing(0, 'net_listening'),
};

const uncles: Readonly<Record<string, Method>> = {
  eth_getUncleByBlockNumberAndIndex: lookup(15, 'eth_getUncleByBlockNumberAndIndex', [blockNumber, quantity]),
  eth_getUncleByBlockHashAndIndex: lookup(15, 'eth_getUncleByBlockHashAndIndex', [hash, quantity]),
  eth_getUncleCountByBlockHash: lookup(15, 'eth_getUncleCountByBlockHash', [hash]),
  eth_getUncleCountByBlockNumber: lookup(15, 'eth_getUncleCountByBlockNumber', [blockNumber]),
};

const subscribing: Readonly<Record<string, Method>> = {
  eth_subscribe: { units: 10, answer: (scene, params) => subscriptionsOf(scene).open(params) },
  eth_unsubscribe: method(10, [string], (scene, id) => subscriptionsOf(scene).cancel(id)),
};

/** Every method of the seed's tables, and no other. */
export const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...tokens, ...blocks, ...transactions, ...accounts, ...execution, ...chain, ...uncles, ...subscribing }),
);

/** Methods of the node that the seed does not have, as they are. */
export const beyondTheSeed = (names: readonly string[]): [string, Method][] =>
  names.map((name) => [name, { units: 20, answer: ({ ask }, params) => ask(name, ...params) }]);
