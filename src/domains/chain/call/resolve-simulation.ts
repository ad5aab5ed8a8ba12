import { toRpcCallObject } from '../../../ethereum/call-object.ts';
import type {
  AccessListResultResolvers,
  NativeTransferResolvers,
  QueryCreateAccessListArgs,
  QuerySimulateArgs,
  SimulatedCallResolvers,
  SimulatedLogResolvers,
  SimulationResolvers,
} from '../../../generated/chain.ts';
import type { ChainContext } from '../context.ts';
import { findBlock, resolveAccount } from '../links.ts';
import { checkCallFees } from '../log/filter-checks.ts';
import { revertReasonOf, toCallAtBlock } from './resolve.ts';

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
