import { isBlockHash } from '../../ethereum/hex.ts';
import type { RpcCall, RpcOutcome } from './http-transport.ts';

/** What a filter of `eth_getLogs` calls the hash of a block: the standard's name, and the one that some services document instead. */
type BlockHashField = 'blockHash' | 'blockhash';

/** What has been learnt about the name of the block hash in log filters, for one endpoint or one connection. */
export interface LogFilterDialect {
  blockHashField: BlockHashField;
  /** Whether an answer has shown that the name is read and not ignored. */
  isProven: boolean;
  /** The highest block of which logs have been read by hash. */
  maxHeight: number;
  /** Until then an empty list is not confirmed again, because the last confirmation could not prove anything. */
  nextProbeAt: number;
}

export const createLogFilterDialect = (): LogFilterDialect => ({
  blockHashField: 'blockHash',
  isProven: false,
  maxHeight: -1,
  nextProbeAt: 0,
});

/** Bounds what confirmations cost on a node that returns an empty list for a block it does not have. */
const PROBE_COOLDOWN_MS = 10_000;

type SendCalls = (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>;
type Filter = Readonly<Record<string, unknown>>;

/** A hash that no block has: a name that is read brings an error about it, and one that is ignored brings logs of the latest block. */
export const UNKNOWN_BLOCK_HASH = `0x${'0'.repeat(63)}1`;

/** Errors with which a service may refuse a name that it does not know. */
const REJECTION_CODES: ReadonlySet<string> = new Set([
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_ERROR',
  'UPSTREAM_INTERNAL',
  'BAD_USER_INPUT',
]);

/**
 * Sends calls, those for the logs of a block with the name of its hash that the endpoint reads. Until it is proven which one that is, a refusal
 * is confirmed under the other name, and an empty list where the call wants that; so is, at any time, a result that does not fit the request. Source of both names: the
 * standard and the documents of a service whose filter has `blockhash`.
 */
export async function sendWithLogFilterDialect(
  send: SendCalls,
  calls: readonly RpcCall[],
  known: LogFilterDialect,
): Promise<RpcOutcome[]> {
  const byHash: number[] = [];
  for (let i = 0; i < calls.length; i++) if (calls[i]!.method === 'eth_getLogs' && blockHashOf(calls[i]!)) byHash.push(i);
  if (byHash.length === 0) return send(calls);
  const { blockHashField } = known;
  const outcomes = await send(
    blockHashField === 'blockHash'
      ? calls
      : calls.map((call) => (blockHashOf(call) ? withBlockHashField(call, blockHashField) : call)),
  );
  // Meanwhile another operation may have learnt that the endpoint reads the other name.
  const isCurrent = known.blockHashField === blockHashField;
  if (isCurrent) for (const i of byHash) recordLogs(known, outcomes[i]!);
  const isProven = known.isProven && isCurrent;
  const doubtful = byHash.filter((i) => needsConfirmation(calls[i]!, outcomes[i]!, isProven, known.nextProbeAt));
  if (doubtful.length === 0) return outcomes;
  const other = blockHashField === 'blockHash' ? 'blockhash' : 'blockHash';
  const retried = await send([
    ...doubtful.map((i) => withBlockHashField(calls[i]!, other)),
    probeCall(blockHashField),
    probeCall(other),
  ]);
  const isSwitched = updateDialect(
    known,
    other,
    doubtful.map((i) => outcomes[i]!),
    retried,
  );
  doubtful.forEach((i, at) => {
    const found = retried[at]!;
    if (hasLogs(found) || (isSwitched && 'result' in found)) outcomes[i] = found;
  });
  return outcomes;
}

/** Takes in what both names have brought, the probes last; tells whether the other name is used from now on. */
function updateDialect(
  known: LogFilterDialect,
  other: BlockHashField,
  doubted: readonly RpcOutcome[],
  retried: readonly RpcOutcome[],
): boolean {
  const found = retried.slice(0, -2);
  const [mine, its] = retried.slice(-2) as [RpcOutcome, RpcOutcome];
  if (isUnknownBlock(mine) || hasLogs(its)) {
    known.isProven = true;
    return false;
  }
  const isProven = isUnknownBlock(its) || hasLogs(mine) || found.some(hasLogs);
  if (!isProven && !found.some((outcome, at) => 'result' in outcome && isRejection(doubted[at]!))) {
    known.nextProbeAt = performance.now() + PROBE_COOLDOWN_MS;
    return false;
  }
  known.blockHashField = other;
  known.isProven = isProven;
  known.maxHeight = -1;
  return true;
}

/** Logs of a block below one whose logs were read before are not those of the latest block: the name is read. */
function recordLogs(known: LogFilterDialect, outcome: RpcOutcome): void {
  if (known.isProven || !hasLogs(outcome)) return;
  const height = Number((outcome.result as readonly { readonly blockNumber?: unknown }[])[0]!.blockNumber);
  if (height < known.maxHeight) known.isProven = true;
  if (height > known.maxHeight) known.maxHeight = height;
}

const needsConfirmation = ({ reader }: RpcCall, outcome: RpcOutcome, isProven: boolean, restsUntil: number): boolean =>
  ('error' in outcome && outcome.isMismatch === true) ||
  (!isProven &&
    (isRejection(outcome) || (reader?.confirmsEmpty === true && isEmpty(outcome) && performance.now() >= restsUntil)));

const isRejection = (outcome: RpcOutcome): boolean =>
  'error' in outcome && outcome.rpcError !== undefined && REJECTION_CODES.has(outcome.error.code);

const isUnknownBlock = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'BLOCK_NOT_AVAILABLE';

const isEmpty = (outcome: RpcOutcome): boolean =>
  'result' in outcome && Array.isArray(outcome.result) && outcome.result.length === 0;

const hasLogs = (outcome: RpcOutcome): outcome is { readonly result: readonly unknown[] } =>
  'result' in outcome && Array.isArray(outcome.result) && outcome.result.length > 0;

function blockHashOf({ params }: RpcCall): string | undefined {
  const hash = (params[0] as Filter | undefined)?.blockHash;
  return typeof hash === 'string' && isBlockHash(hash) ? hash : undefined;
}

/** The same call with the hash of the block under this name. */
function withBlockHashField({ paramsJson: _written, ...call }: RpcCall, name: BlockHashField): RpcCall {
  const { blockHash, ...rest } = call.params[0] as Filter;
  return { ...call, params: [{ [name]: blockHash, ...rest }] };
}

const probeCall = (name: BlockHashField): RpcCall => ({ method: 'eth_getLogs', params: [{ [name]: UNKNOWN_BLOCK_HASH }] });
