import { quantityOf } from '../../ethereum/hex.ts';
import { GraphError } from '../../lib/errors.ts';
import type { Operation } from '../../operation/operation.ts';
import type { RpcNode } from '../../upstream/rpc/node.ts';
import type { HistoryResource } from '../../upstream/rpc/oldest-blocks.ts';
import type { RpcCall, RpcOutcome } from '../../upstream/rpc/rpc-call.ts';
import type { RpcSession } from '../../upstream/rpc/session.ts';
import type { RpcSender } from '../block-availability.ts';
import { recordReportedHistory } from './reported-history.ts';

export interface PrunedBlockSources {
  readonly node: RpcNode;
  /** Returns the height of a block hash where it is known without a request. */
  readonly heightOf: (hash: string) => string | undefined;
  readonly operation: Pick<Operation, 'signal' | 'budget'>;
}

/** Sends calls, and adds the requested and the earliest block to the errors for pruned history. */
export const withPrunedBlocks = (session: Pick<RpcSession, 'send'>, sources: PrunedBlockSources): RpcSender => ({
  async send(calls, signal) {
    const outcomes = await session.send(calls, signal);
    return outcomes.some(isPrunedOutcome) ? describePrunedBlocks(calls, outcomes, sources) : outcomes;
  },
});

const PRUNED_PARTS: Readonly<Record<HistoryResource, string>> = {
  BLOCKS: 'that block',
  RECEIPTS: 'the receipts of that block',
  LOGS: 'the logs of that block',
  STATE: 'the state of that block',
};

const isPrunedOutcome = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'HISTORY_PRUNED';

async function describePrunedBlocks(
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome[],
  { node, heightOf, operation }: PrunedBlockSources,
): Promise<RpcOutcome[]> {
  const endpoints = node.endpoints.filter(({ rpc }) => !rpc.isOpen);
  await Promise.all(endpoints.map((endpoint) => recordReportedHistory(endpoint, operation)));
  return outcomes.map((outcome, i) => {
    if (!('error' in outcome) || !isPrunedOutcome(outcome)) return outcome;
    const { extensions, cause } = outcome.error;
    const resource = resourceOf(calls[i]!.method);
    const requested = requestedBlock(calls[i]!);
    const known = endpoints.map(({ rpc }) => rpc.capabilities.oldestBlocks.get(resource));
    const heights = [...known, earliestInText(outcome.rpcError?.message)].filter((height) => typeof height === 'number');
    const detail = {
      ...(requested !== undefined && { requested: heightOf(requested) ?? requested }),
      ...(heights.length > 0 && { earliest: quantityOf(Math.min(...heights)) }),
    };
    const message = `The node has pruned ${PRUNED_PARTS[resource]}.`;
    return { ...outcome, error: new GraphError('HISTORY_PRUNED', message, { ...extensions, ...detail, cause }) };
  });
}

/** Position of the block in the parameters, by the first letters of the method. */
const BLOCK_POSITIONS: readonly (readonly [RegExp, number])[] = [
  [/^eth_get(?:Block|Uncle|TransactionByBlock)/, 0],
  [/^eth_(?:getStorageAt|getProof)/, 2],
  [/^eth_(?:getBalance|getCode|getTransactionCount|call|estimateGas|createAccessList|feeHistory|simulate)|^debug_traceCall$/, 1],
];

/** The height or hash of the first block that a call requests; undefined for a tag and for a call without a block. */
function requestedBlock({ method, params }: RpcCall): string | undefined {
  const position = BLOCK_POSITIONS.find(([pattern]) => pattern.test(method))?.[1];
  const block = method === 'eth_getLogs' ? params[0] : position === undefined ? undefined : params[position];
  if (typeof block === 'string') return block.startsWith('0x') ? block : undefined;
  const { blockHash, blockNumber, fromBlock } = (block ?? {}) as Readonly<Record<string, unknown>>;
  const named = blockHash ?? blockNumber ?? fromBlock;
  return typeof named === 'string' && named.startsWith('0x') ? named : undefined;
}

const resourceOf = (method: string): HistoryResource => {
  if (/Receipt/.test(method)) return 'RECEIPTS';
  if (method === 'eth_getLogs') return 'LOGS';
  return /^eth_(?:feeHistory|get(?:Block|Uncle|RawTransaction|Transaction(?:By|$)))/.test(method) ? 'BLOCKS' : 'STATE';
};

/** Texts that name the earliest block. Source: Erigon, Reth. */
const EARLIEST_BLOCK = /(?:available from block|earliest available) #?(\d{1,15})\b/;

const earliestInText = (message: unknown): number | undefined => {
  const [, height] = (typeof message === 'string' && EARLIEST_BLOCK.exec(message)) || [];
  return height === undefined ? undefined : Number(height);
};
