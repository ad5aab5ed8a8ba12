import type { GraphQLResolveInfo } from 'graphql';
import { type MessageCall, toRpcCallObject } from '../../../ethereum/call-object.ts';
import type { AccountReadArgs, Resolvers } from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import { headerDefaults } from '../block/header-defaults.ts';
import { findBlock, resolveAccount, resolveAccountAt } from '../links.ts';
import type { ChainContext } from '../load.ts';
import { checkCallFees } from '../log/criteria.ts';
import {
  type AccountAtBlock,
  type CallAtBlock,
  type CallBlock,
  type ExecutedCall,
  type ExecutedRead,
  transactionHashOf,
} from '../model.ts';
import { logsOfCall, transactionsIn, transfersOfCall } from './simulate.ts';

/** Checks a call and names the block at which it is executed. */
export function toCallAtBlock(data: MessageCall, block: CallBlock): CallAtBlock {
  checkCallFees(data);
  return { call: toRpcCallObject(data), block };
}

/** Executes a call at a block, and requests the used gas together with it if `gasUsed` is selected. */
export function resolveCall(data: MessageCall, block: CallBlock, { chain }: ChainContext, info: GraphQLResolveInfo) {
  const key = toCallAtBlock(data, block);
  // The field `gasUsed` reports a failure.
  if (selectionOf(info).has('gasUsed')) chain.calls.gasUsed(key).catch(() => {});
  return chain.calls.execute(key);
}

/** Reads a contract by a function that the client names, at the block of the account. */
export async function readContract(
  { address, at, height }: AccountAtBlock,
  { function: text, args = [], from, value }: AccountReadArgs,
  { chain }: ChainContext,
): Promise<ExecutedRead> {
  const { called, data } = await chain.decoder.encodedCall(address, text, args);
  return { ...(await chain.calls.execute(toCallAtBlock({ from, to: address, value, data }, { at, height }))), called };
}

/** An executed or simulated call with its outcome. */
type Outcome = Pick<ExecutedCall, 'call' | 'data' | 'status'>;

/** Describes why a call failed; null for a successful call and for a failure without a known reason. */
const revertReason = ({ call, data, status }: Outcome, _args: unknown, { chain }: ChainContext) =>
  status === '0x0' ? chain.decoder.revertReason(data, call.to) : null;

/** Decodes the error of a failed call; null where `revertReason` is. */
const revertError = ({ call, data, status }: Outcome, _args: unknown, { chain }: ChainContext) =>
  status === '0x0' ? chain.decoder.revertError(data, call.to) : null;

export const callResolvers = {
  AccessListResult: {
    revertReason: async ({ status, call, block }, args, context) =>
      status === '0x1' ? null : revertReason(await context.chain.calls.execute({ call, block }), args, context),
    revertError: async ({ status, call, block }, args, context) =>
      status === '0x1' ? null : revertError(await context.chain.calls.execute({ call, block }), args, context),
  },
  ContractRead: {
    signature: ({ called }) => called.outputs.signature,
    results: ({ called, data, status }, _args, { chain }) => (status === '0x1' ? chain.decoder.outputs(called, data) : null),
    revertError,
  },
  CallResult: {
    revertReason,
    revertError,
    gasUsed: (executed, _args, { chain }) => chain.calls.gasUsed(executed),
  },
  Simulation: {
    block: ({ base }, _args, { chain }, info) => findBlock(base === 'latest' ? {} : { number: base }, chain, info),
  },
  SimulatedCall: {
    revertReason,
    revertError,
    logs: (call, _args, { chain }) => logsOfCall(call, chain.snapshot.operation.budget),
    transfers: (call, _args, { chain }) => transfersOfCall(call, chain.snapshot.operation.budget),
  },
  SimulatedBlock: {
    ...headerDefaults,
    miner: ({ miner, base }, { block }, context, info) => resolveAccountAt(miner, block ?? base, context, info),
    transactionHashes: ({ transactions }) => transactions?.map(transactionHashOf) ?? null,
    transactions: (block) => transactionsIn(block),
  },
  SimulatedTransaction: {
    index: ({ transactionIndex }) => transactionIndex!,
    from: ({ from, base }, _args, context, info) => resolveAccount({ address: from!, at: base }, context, info),
    to: ({ to, base }, _args, context, info) => resolveAccountAt(to, base, context, info),
    inputData: ({ input }) => input!,
    chainID: ({ chainId }) => chainId ?? null,
  },
  SimulatedLog: {
    index: ({ logIndex }) => logIndex,
    account: ({ address, base }, _args, context, info) => resolveAccount({ address, at: base }, context, info),
  },
  NativeTransfer: {
    index: ({ logIndex }) => logIndex,
    from: ({ from, base }, _args, context, info) => resolveAccount({ address: from, at: base }, context, info),
    to: ({ to, base }, _args, context, info) => resolveAccount({ address: to, at: base }, context, info),
  },
} satisfies Resolvers;
