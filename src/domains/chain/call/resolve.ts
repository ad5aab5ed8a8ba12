import type { GraphQLResolveInfo } from 'graphql';
import { type MessageCall, toRpcCallObject } from '../../../ethereum/call-object.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { CallResultResolvers } from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import type { ChainContext } from '../context.ts';
import { checkCallFees } from '../log/filter-checks.ts';
import type { CallAtBlock, CallBlock, ExecutedCall } from '../model.ts';

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
