import type { GraphQLResolveInfo } from 'graphql';
import { type MessageCall, toRpcCallObject } from '../../../ethereum/call-object.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type {
  AccessListResultResolvers,
  CallResultResolvers,
  NativeTransferResolvers,
  QueryCreateAccessListArgs,
  QuerySimulateArgs,
  SimulatedCallResolvers,
  SimulatedLogResolvers,
  SimulationResolvers,
} from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import type { ChainContext } from '../context.ts';
import { findBlock, resolveAccount } from '../links.ts';
import { checkCallFees } from '../log/criteria.ts';
import type { CallAtBlock, CallBlock, ExecutedCall } from '../model.ts';

/** Resolver of `Query.simulate`. */
export const resolveSimulation = (_query: unknown, { calls, block }: QuerySimulateArgs, { chain }: ChainContext) => {
  calls.forEach(checkCallFees);
  return chain.simulations.simulate(calls.map(toRpcCallObject), block ?? null);
};

/** Resolver of `Query.createAccessList`. */
export const resolveAccessList = (_query: unknown, { data, block }: QueryCreateAccessListArgs, { chain }: ChainContext) =>
  chain.simulations.createAccessList(toCallAtBlock(data, { at: block ?? 'latest' }));

export const chainAccessListResultResolvers: AccessListResultResolvers = {
  revertReason: async ({ status, call, block }, _args, { chain }) =>
    status === '0x1' ? null : revertReasonOf(await chain.calls.execute({ call, block }), chain),
};

export const chainSimulationResolvers: SimulationResolvers = {
  block: ({ base }, _args, { chain }, info) => findBlock(base === 'latest' ? {} : { number: base }, chain, info),
  calls: ({ base, calls }) => calls.map((call) => ({ ...call, base })),
};

export const chainSimulatedCallResolvers: SimulatedCallResolvers = {
  revertReason: ({ status, data, target }, _args, { chain }) =>
    status === '0x0' ? chain.decoder.revertReason(data, target) : null,
  logs: ({ base, logs }) => logs.map((log) => ({ ...log, base })),
  transfers: ({ base, transfers }) => transfers.map((transfer) => ({ ...transfer, base })),
};

export const chainSimulatedLogResolvers: SimulatedLogResolvers = {
  account: ({ address, base }, _args, context, info) => resolveAccount({ address, at: base }, context, info),
};

export const chainNativeTransferResolvers: NativeTransferResolvers = {
  from: ({ from, base }, _args, context, info) => resolveAccount({ address: from, at: base }, context, info),
  to: ({ to, base }, _args, context, info) => resolveAccount({ address: to, at: base }, context, info),
};

/** Checks a call and names the block at which it is executed. */
export function toCallAtBlock(data: MessageCall, block: CallBlock): CallAtBlock {
  checkCallFees(data);
  return { call: toRpcCallObject(data), block };
}

/** Executes a call at a block, and requests the used gas with it where that is selected. */
export function resolveCall(
  data: MessageCall,
  block: CallBlock,
  { chain }: ChainContext,
  info: GraphQLResolveInfo,
): Promise<ExecutedCall> {
  const key = toCallAtBlock(data, block);
  // The field `gasUsed` reports a failure.
  if (selectionOf(info).has('gasUsed')) chain.calls.gasUsed(key).catch(() => {});
  return chain.calls.execute(key);
}

/** Estimates the gas of a call at a block. */
export const resolveGasEstimate = (data: MessageCall, block: CallBlock, { chain }: ChainContext): Promise<Quantity> =>
  chain.calls.estimateGas(toCallAtBlock(data, block));

/** Describes why a call failed; null for a successful call and for a failure without a known reason. */
export const revertReasonOf = ({ call, data, status }: ExecutedCall, chain: ChainContext['chain']) =>
  status === '0x0' ? chain.decoder.revertReason(data, call.to) : null;

export const chainCallResultResolvers: CallResultResolvers = {
  revertReason: (executed, _args, { chain }) => revertReasonOf(executed, chain),
  gasUsed: (executed, _args, { chain }) => chain.calls.gasUsed(executed),
};
