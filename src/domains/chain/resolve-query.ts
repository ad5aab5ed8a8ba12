import type { MutationResolvers, QueryBlockArgs, QueryResolvers, ServiceResolvers } from '../../generated/chain.ts';
import { GraphError } from '../../lib/errors.ts';
import type { RpcMethod } from '../../upstream/rpc/rpc-call.ts';
import { blockPagePlan, blockPlan, headerPlan, selectsOnlyHeight, transactionPagePlan } from './block/plan.ts';
import { resolveAccessList, resolveSimulation } from './call/resolve.ts';
import type { ChainContext } from './context.ts';
import { resolveFeeHistory } from './fee/resolve.ts';
import { findBlock, resolveAccount } from './links.ts';
import type { ChainLoaders } from './load.ts';
import { logPagePlan, logPlan } from './log/plan.ts';
import type { ChainBlock } from './model.ts';
import { networkReads, queryReads } from './node/methods.ts';
import { needsTransaction, pendingPlan, transactionPlanByReceipt } from './transaction/plan.ts';
import { resolveSubmission } from './transaction/resolve.ts';

export const chainServiceResolvers: ServiceResolvers = {
  availableRange: (_service, { resource }, { chain }) => chain.availableRange(resource),
};

type FoundBlock = ChainBlock | null | Promise<ChainBlock | null>;

/**
 * Returns the block that was found. In drop-in mode, throws BLOCK_NOT_AVAILABLE when the node does not know the requested hash: execution
 * clients distinguish it from an unknown number, which is null.
 */
const requireKnownHash = ({ hash }: QueryBlockArgs, { isDropIn }: ChainLoaders, found: FoundBlock): FoundBlock =>
  isDropIn && hash ? Promise.resolve(found).then(throwIfNull) : found;

function throwIfNull(block: ChainBlock | null): ChainBlock {
  if (block) return block;
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have a block with this hash.');
}

type ParameterlessMethods = Readonly<Record<string, RpcMethod<[], unknown>>>;

/** Creates a resolver for each method of a table, under the same name; the field is the method's result. */
const methodResolvers = <T extends ParameterlessMethods>(table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([field, method]) => [
      field,
      (_parent: unknown, _args: unknown, { chain }: ChainContext) => chain.node.call(method),
    ]),
  ) as { [Field in keyof T]: (parent: unknown, args: unknown, context: ChainContext) => Promise<ReturnType<T[Field]['read']>> };

export const chainQueryResolvers: QueryResolvers = {
  ...methodResolvers(queryReads),
  block: (_query, args, { chain }, info) => requireKnownHash(args, chain, findBlock(args, chain, info)),
  blocks: (_query, args, { chain }, info) =>
    chain.ranges.blocks(args, selectsOnlyHeight(info) ? null : blockPlan(info), headerPlan(info).needs),
  pending: (_query, _args, _context, info) => pendingPlan(info),
  blocksConnection: (_query, args, { chain }, info) => chain.ranges.blockPage(args, blockPagePlan(info)),
  transactionsConnection: (_query, args, { chain }, info) => chain.ranges.transactionRangePage(args, transactionPagePlan(info)),
  transaction: (_query, { hash }, { chain }, info) => chain.transactions.findTransaction(hash, transactionPlanByReceipt(info)),
  receipt: (_query, { hash }, { chain }, info) => chain.transactions.findReceipt(hash, needsTransaction(info)),
  logs: (_query, { filter }, { chain }, info) => chain.logs.list(filter, logPlan(info)),
  logsConnection: (_query, { filter, ...args }, { chain }, info) => {
    const { nodes, edges } = logPagePlan(info);
    return chain.logs.connection({ criteria: filter, args }, nodes, edges);
  },
  account: (_query, { address }, context, info) => resolveAccount({ address, at: 'latest' }, context, info),
  syncing: (_query, _args, { chain }) => chain.node.syncing(),
  maxPriorityFeePerGas: (_query, _args, { chain }) => chain.node.maxPriorityFeePerGas(),
  network: () => ({}),
  service: (_query, _args, { chain }) => chain.service(),
  feeHistory: resolveFeeHistory,
  simulate: resolveSimulation,
  createAccessList: resolveAccessList,
};

export const chainNetworkResolvers = methodResolvers(networkReads);

export const chainMutationResolvers: MutationResolvers = {
  async sendRawTransaction(_mutation, { data }, { chain }) {
    if (chain.isDropIn) await chain.assertNotMined(data);
    return (await chain.submit(data)).hash;
  },
  submitTransaction: resolveSubmission,
};
