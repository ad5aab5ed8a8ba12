import type { Resolvers } from '../../generated/chain.ts';
import { selectionOf } from '../../graphql/selection.ts';
import { GraphError } from '../../lib/errors.ts';
import type { RpcMethod } from '../../upstream/rpc/rpc-call.ts';
import { blockPagePlan, blockPlan, HEIGHT, headerPlan, transactionPagePlan } from './block/plan.ts';
import { toCallAtBlock } from './call/resolve.ts';
import { simulationRequest } from './call/simulate.ts';
import { findBlock, resolveAccount, resolveBlockAt } from './links.ts';
import type { ChainContext } from './load.ts';
import { logPagePlan, logPlan } from './log/plan.ts';
import type { ChainBlock } from './model.ts';
import { networkReads, queryReads } from './node/methods.ts';
import { needsTransaction, pendingPlan, transactionPlanByReceipt } from './transaction/plan.ts';

/**
 * Returns the requested block. In drop-in mode, throws BLOCK_NOT_AVAILABLE when the node does not know the requested
 * hash: execution clients return null for an unknown number only.
 */
function requireKnownHash(block: ChainBlock | null): ChainBlock {
  if (block) return block;
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have a block with this hash.');
}

/**
 * Creates a resolver for each entry of a table of methods. The key of the entry names the field, and the result of the
 * method is its value.
 */
const methodResolvers = <T extends Readonly<Record<string, RpcMethod<[], unknown>>>>(table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([field, method]) => [
      field,
      (_parent: unknown, _args: unknown, { chain }: ChainContext) => chain.snapshot.calls.call(method),
    ]),
  ) as { [Field in keyof T]: (parent: unknown, args: unknown, context: ChainContext) => Promise<ReturnType<T[Field]['read']>> };

export const queryResolvers = {
  Query: {
    ...methodResolvers(queryReads),
    block(_query, args, { chain }, info) {
      const found = findBlock(args, chain, info);
      return chain.sources.isDropIn && args.hash ? Promise.resolve(found).then(requireKnownHash) : found;
    },
    blocks: (_query, args, { chain }, info) =>
      chain.ranges.blocks(args, selectionOf(info).hasOnly(HEIGHT) ? null : blockPlan(info), headerPlan(info).needs),
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
    blobBaseFee: (_query, _args, { chain }) => chain.node.blobBaseFee(),
    network: () => ({}),
    service: (_query, _args, { chain }) => chain.service(),
    feeHistory: (_query, args, { chain }) => chain.node.feeHistory(args),
    simulate: (_query, args, { chain }, info) => chain.calls.simulate(simulationRequest(args, info), args.block ?? 'latest'),
    createAccessList: (_query, { data, block }, { chain }) =>
      chain.calls.createAccessList(toCallAtBlock(data, { at: block ?? 'latest' })),
  },
  Network: methodResolvers(networkReads),
  Service: { availableRange: (_service, { resource }, { chain }) => chain.node.availableRange(resource) },
  FeeHistory: { nextBaseFeePerGas: (range, _args, { chain }) => chain.node.baseFeeAfter(range) },
  FeeHistoryBlock: { block: ({ number }, _args, context, info) => resolveBlockAt(number, context, info) },
} satisfies Resolvers;
