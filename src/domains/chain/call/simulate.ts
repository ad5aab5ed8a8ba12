import type { GraphQLResolveInfo } from 'graphql';
import { FILTER_VALUE_COST, SIMULATED_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import { countDataWords } from '../../../ethereum/call-object.ts';
import { quantityOf } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import {
  isTracedTransfer,
  type RpcBlockStateCalls,
  type RpcSimulatedBlock,
  type RpcSimulationRequest,
  readSimulation,
  toNativeTransfer,
} from '../../../ethereum/simulation.ts';
import { isEtherTransferLog } from '../../../ethereum/tokens.ts';
import type { QuerySimulateArgs } from '../../../generated/chain.ts';
import { type Selection, selectionOf } from '../../../graphql/selection.ts';
import { forEachYielding } from '../../../lib/operation-budget.ts';
import type { Operation } from '../../../operation/operation.ts';
import type {
  BlockInSimulation,
  CallInSimulation,
  LogInSimulation,
  TransactionInSimulation,
  TransferInSimulation,
} from '../model.ts';
import { executionCost, optionalCallMethod } from './methods.ts';
import { toBlockStateCalls } from './simulation-request.ts';

/** Number of words in the overrides of a block: code, storage slots, and one for each account. */
const overrideWords = ({ stateOverrides = {} }: RpcBlockStateCalls): number =>
  Object.values(stateOverrides).reduce((sum, { code, state, stateDiff }) => {
    const slots = Object.keys(state ?? stateDiff ?? {}).length;
    return sum + 1 + countDataWords(code) + 2 * slots;
  }, 0);

const costOf = (block: RpcBlockStateCalls): number =>
  FILTER_VALUE_COST * overrideWords(block) + (block.calls ?? []).reduce((sum, call) => sum + executionCost(call), 0);

/** The results of calls in blocks on top of a block. Few nodes have this method. */
export const simulatedBlocks = optionalCallMethod(
  'eth_simulateV1',
  readSimulation,
  (request: RpcSimulationRequest, at) => [request, at],
  ({ blockStateCalls }) =>
    blockStateCalls.reduce((sum, block) => sum + costOf(block), SIMULATED_BLOCK_COST * (blockStateCalls.length - 1)),
);

/** The fields of a transaction that are known from its block. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['hash', 'index', 'blockNumber', 'blockHash', 'blockTimestamp']);

/** Whether the transfers of a selected list of calls are selected. */
const selectsTransfers = (selection: Selection): boolean => selection.subselection('calls').has('transfers');

/** Builds the request of a simulation, with the options that its selection needs. Throws BAD_USER_INPUT. */
export function simulationRequest({ validation, ...args }: QuerySimulateArgs, info: GraphQLResolveInfo): RpcSimulationRequest {
  const selection = selectionOf(info);
  const blocks = selection.subselection('blocks');
  return {
    blockStateCalls: toBlockStateCalls(args),
    ...((selectsTransfers(selection) || selectsTransfers(blocks)) && { traceTransfers: true }),
    ...(validation && { validation }),
    ...(!blocks.subselection('transactions').hasOnly(KNOWN_FIELDS) && { returnFullTransactions: true }),
  };
}

/** The results of a simulation, and the block on whose state it was executed: a height, or the head. */
export type SimulationAtBlock = ReturnType<typeof toSimulation>;

/** Adds to simulated blocks the block on whose state they were executed, and to their calls the requests. */
export function toSimulation(simulated: readonly RpcSimulatedBlock[], request: RpcSimulationRequest, base: BlockRef) {
  const sent = request.blockStateCalls.flatMap(({ calls = [] }) => calls);
  let position = 0;
  const toCall = (call: RpcSimulatedBlock['calls'][number]): CallInSimulation => ({ ...call, call: sent[position++]!, base });
  const blocks = simulated.map((block) => ({ ...block, base, calls: block.calls.map(toCall) }));
  return { base, blocks, calls: blocks.flatMap(({ calls }) => calls) };
}

/** The transactions of a simulated block with their positions, which some nodes omit; null where the node returns no list. */
export const transactionsIn = ({ transactions, number, hash, timestamp, base }: BlockInSimulation) =>
  transactions?.map((one, i): TransactionInSimulation => {
    const position = { blockNumber: number, blockHash: hash, blockTimestamp: timestamp, transactionIndex: quantityOf(i) };
    return { ...(typeof one === 'string' ? { hash: one } : one), ...position, base };
  }) ?? null;

type Budget = Operation['budget'];

/** The logs of a call, without the transfers that `traceTransfers` has added. Yields to the event loop. */
export async function logsOfCall({ logs, base }: CallInSimulation, budget: Budget): Promise<readonly LogInSimulation[]> {
  const own: LogInSimulation[] = [];
  await forEachYielding(logs, budget, (log) => {
    if (!isTracedTransfer(log)) own.push({ ...log, base });
  });
  return own;
}

/**
 * The transfers of the native currency that a call has caused: those that `traceTransfers` has added to its logs, else
 * those of EIP-7708, because a node with both reports each movement twice. Yields to the event loop.
 */
export async function transfersOfCall(
  { logs, base }: CallInSimulation,
  budget: Budget,
): Promise<readonly TransferInSimulation[]> {
  const traced: TransferInSimulation[] = [];
  const logged: TransferInSimulation[] = [];
  await forEachYielding(logs, budget, (log) => {
    if (isTracedTransfer(log)) traced.push({ ...toNativeTransfer(log), base });
    else if (isEtherTransferLog(log)) logged.push({ ...toNativeTransfer(log), base });
  });
  return traced.length > 0 ? traced : logged;
}
