import { isBlockHash } from '../../ethereum/hex.ts';
import type { RpcCall, RpcOutcome, SendCalls } from './rpc-call.ts';

/** Name of the block hash field in a filter of `eth_getLogs`: `blockHash` in the standard; some node services document `blockhash`. */
type BlockHashField = 'blockHash' | 'blockhash';

/** The name of the block hash field that one endpoint or connection uses, and the state of its detection. */
export class LogFilterDialect {
  blockHashField: BlockHashField = 'blockHash';
  /** Whether a response has proven that the endpoint reads the name and does not ignore it. */
  isProven = false;
  /** Greatest height of a block whose logs were read by hash. */
  maxHeight = -1;
  /** Until this time, an empty list is not confirmed again, because the last confirmation proved nothing. */
  nextProbeAt = 0;
}

/** Limits the cost of confirmations on a node that returns an empty list for an unknown block. */
const PROBE_COOLDOWN_MS = 10_000;

type Filter = Readonly<Record<string, unknown>>;

/**
 * A hash without a block. An endpoint that reads the name returns an error; an endpoint that ignores the name returns
 * logs of the latest block.
 */
export const UNKNOWN_BLOCK_HASH = `0x${'0'.repeat(63)}1`;

/** Errors with which an endpoint refuses an unknown name. */
const REFUSAL_CODES = new Set<string>(['UPSTREAM_PROTOCOL_ERROR', 'BAD_USER_INPUT']);
/** Errors that may be due to an unknown name; an endpoint that fails for a moment responds with the others, too. */
const REJECTION_CODES = new Set<string>([...REFUSAL_CODES, 'UPSTREAM_ERROR', 'UPSTREAM_INTERNAL']);

/**
 * Sends calls with the block hash of log filters under the name that the endpoint uses. Repeats a log call under the
 * other name if its result does not fit the request, or the endpoint refuses it. Until the name is proven, also repeats a
 * call that fails otherwise, and a call with an empty list if its reader has `confirmsEmpty`. Source of both names: the
 * standard, and the documentation of a node service whose filter has `blockhash`.
 */
export async function sendWithLogFilterDialect(send: SendCalls, calls: readonly RpcCall[], dialect: LogFilterDialect) {
  const indexesByHash: number[] = [];
  for (let i = 0; i < calls.length; i++) if (calls[i]!.method === 'eth_getLogs' && blockHashOf(calls[i]!)) indexesByHash.push(i);
  if (indexesByHash.length === 0) return send(calls);
  const { blockHashField } = dialect;
  const outcomes = await send(calls.map((call) => (blockHashOf(call) ? withBlockHashField(call, blockHashField) : call)));
  // Another operation may have switched the name in the meantime.
  const isCurrent = dialect.blockHashField === blockHashField;
  if (isCurrent) for (const i of indexesByHash) recordLogs(dialect, outcomes[i]!);
  const isProven = dialect.isProven && isCurrent;
  const unconfirmed = indexesByHash.filter((i) => needsConfirmation(calls[i]!, outcomes[i]!, isProven, dialect.nextProbeAt));
  if (unconfirmed.length === 0) return outcomes;
  const otherField = blockHashField === 'blockHash' ? 'blockhash' : 'blockHash';
  const confirmations = await send([
    ...unconfirmed.map((i) => withBlockHashField(calls[i]!, otherField)),
    probeCall(blockHashField),
    probeCall(otherField),
  ]);
  const doubtful = unconfirmed.map((i) => outcomes[i]!);
  const isSwitched = updateDialect(dialect, otherField, doubtful, confirmations);
  unconfirmed.forEach((i, position) => {
    const confirmation = confirmations[position]!;
    const hasFailed = 'error' in outcomes[i]! ? isRetryable(confirmation) : !dialect.isProven && isFailure(confirmation);
    if (isSwitched || hasLogs(confirmation) || hasFailed) outcomes[i] = confirmation;
  });
  return outcomes;
}

/** Evaluates the outcomes under both names; the last two confirmations are the probes. Returns whether the dialect switches to the other name. */
function updateDialect(
  dialect: LogFilterDialect,
  otherField: BlockHashField,
  unconfirmed: readonly RpcOutcome[],
  confirmations: readonly RpcOutcome[],
): boolean {
  const confirmed = confirmations.slice(0, -2);
  const [currentProbe, otherProbe] = confirmations.slice(-2) as [RpcOutcome, RpcOutcome];
  if (isUnknownBlock(currentProbe) || hasLogs(otherProbe)) {
    dialect.isProven = true;
    return false;
  }
  const isProven = isUnknownBlock(otherProbe) || hasLogs(currentProbe) || confirmed.some(hasLogs);
  if (!isProven && !confirmed.some((outcome, i) => 'result' in outcome && isRejection(unconfirmed[i]!, REFUSAL_CODES))) {
    if (!confirmations.some(isFailure)) dialect.nextProbeAt = performance.now() + PROBE_COOLDOWN_MS;
    return false;
  }
  dialect.blockHashField = otherField;
  dialect.isProven = isProven;
  dialect.maxHeight = -1;
  return true;
}

/**
 * Proves the name by a log below the greatest height read before: an endpoint that ignores the name returns logs of the
 * latest block.
 */
function recordLogs(dialect: LogFilterDialect, outcome: RpcOutcome): void {
  if (dialect.isProven || !hasLogs(outcome)) return;
  const height = Number((outcome.result as readonly { readonly blockNumber?: unknown }[])[0]!.blockNumber);
  if (height < dialect.maxHeight) dialect.isProven = true;
  if (height > dialect.maxHeight) dialect.maxHeight = height;
}

const needsConfirmation = ({ reader }: RpcCall, outcome: RpcOutcome, isProven: boolean, nextProbeAt: number): boolean =>
  ('error' in outcome && outcome.isMismatch === true) ||
  isRejection(outcome, REFUSAL_CODES) ||
  (!isProven &&
    (isRejection(outcome) || (reader?.confirmsEmpty === true && isEmpty(outcome) && performance.now() >= nextProbeAt)));

const isRejection = (outcome: RpcOutcome, codes = REJECTION_CODES): boolean =>
  'error' in outcome && outcome.rpcError !== undefined && codes.has(outcome.error.code);

const isRetryable = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.extensions.retryable === true;

/** Whether the endpoint failed, so that nothing is known about the name. */
const isFailure = (outcome: RpcOutcome): boolean => isRetryable(outcome) && !isUnknownBlock(outcome) && !isRejection(outcome);

const isUnknownBlock = (outcome: RpcOutcome): boolean => 'error' in outcome && outcome.error.code === 'BLOCK_NOT_AVAILABLE';

const isEmpty = (outcome: RpcOutcome): boolean =>
  'result' in outcome && Array.isArray(outcome.result) && outcome.result.length === 0;

const hasLogs = (outcome: RpcOutcome): outcome is { readonly result: readonly unknown[] } =>
  'result' in outcome && Array.isArray(outcome.result) && outcome.result.length > 0;

function blockHashOf({ params }: RpcCall): string | undefined {
  const hash = (params[0] as Filter | undefined)?.blockHash;
  return typeof hash === 'string' && isBlockHash(hash) ? hash : undefined;
}

/**
 * Returns the call with the block hash of its filter under the name `field`, and without `onResult`: the outcome must
 * contain the result, because the result decides about the name.
 */
function withBlockHashField({ onResult: _onResult, ...call }: RpcCall, field: BlockHashField): RpcCall {
  if (field === 'blockHash') return call;
  const { paramsJson: _staleJson, ...renamed } = call;
  const { blockHash, ...rest } = call.params[0] as Filter;
  return { ...renamed, params: [{ [field]: blockHash, ...rest }] };
}

const probeCall = (field: BlockHashField): RpcCall => ({ method: 'eth_getLogs', params: [{ [field]: UNKNOWN_BLOCK_HASH }] });
