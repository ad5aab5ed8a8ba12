import { bloomShowsLogs } from '../../ethereum/bloom.ts';
import { EMPTY_TRANSACTIONS_ROOT, logsContradiction } from '../../ethereum/header-checks.ts';
import { sameData } from '../../ethereum/hex.ts';
import { toRpcLogFilter } from '../../ethereum/log-filters.ts';
import { logsNotAvailableError, readLogs } from '../../ethereum/log-results.ts';
import type { RpcLog } from '../../ethereum/rpc-types.ts';
import { withTimeout } from '../../lib/abort.ts';
import type { GraphError } from '../../lib/errors.ts';
import type { ResultReader, RpcCall, RpcOutcome, RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { timeoutError } from '../../upstream/rpc/rpc-errors.ts';
import type { Head } from '../chain/rpc-header.ts';
import { blockCall } from '../head/rpc-queries.ts';

/** The logs of a block in their order, or the error of their read. */
type BlockLogsResult = readonly RpcLog[] | GraphError;

const LOGS_READER = { read: readLogs, contradiction: logsContradiction } as ResultReader;
const CONFIRMED_LOGS_READER = { ...LOGS_READER, confirmsEmpty: true };

/**
 * Builds the calls that read the logs of a block. Some nodes return an empty list for a block that they do not have. A
 * bloom with some bits set contradicts an empty list. An empty or full bloom does not contradict it, because some nodes
 * do not compute blooms: then the block itself is read in the batch of the logs, from one backend. Source:
 * `eth_getLogs`, `eth_getBlockByHash`.
 */
function blockLogCalls({ hash, header }: Head): readonly RpcCall[] {
  const filter = toRpcLogFilter({ blockHash: hash }, {});
  const expectsLogs = bloomShowsLogs(header.logsBloom);
  const reader = expectsLogs || sameData(header.transactionsRoot, EMPTY_TRANSACTIONS_ROOT) ? LOGS_READER : CONFIRMED_LOGS_READER;
  const logsCall = { method: 'eth_getLogs', params: [filter], reader, args: [filter, expectsLogs, header] };
  return expectsLogs ? [logsCall] : [logsCall, blockCall(hash)];
}

/** Reads the outcomes of `blockLogCalls`. BLOCK_NOT_AVAILABLE when the node returned no logs and does not have the block. */
function readBlockLogOutcomes([logsOutcome, blockOutcome]: readonly RpcOutcome[]): BlockLogsResult {
  if ('error' in logsOutcome!) return logsOutcome.error;
  // The reader of the call has already checked the type.
  const logs = logsOutcome!.result as readonly RpcLog[];
  if (logs.length > 0 || !blockOutcome) return logs;
  if ('error' in blockOutcome) return blockOutcome.error;
  return blockOutcome.result === null ? logsNotAvailableError() : logs;
}

/** Maximum number of blocks in one batch; also the number of blocks prefetched for a later reorg. */
export const MAX_BLOCKS_PER_BATCH = 32;

/**
 * Possible errors of a batch whose response is too large: the batch may close the connection or time out. Smaller
 * batches may succeed.
 */
const TOO_LARGE_CODES: ReadonlySet<string> = new Set(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_TIMEOUT', 'RESULT_TOO_LARGE']);

interface BlockLogRequest {
  readonly head: Head;
  readonly signal: AbortSignal;
  readonly resolve: (result: BlockLogsResult | undefined) => void;
}

/**
 * Creates a function that reads the logs of a block once, without retries, and batches all requests of one tick.
 * `currentSource` is called once per tick; `signal` aborts all requests. The batch size is halved when each block of a
 * batch fails with a code of TOO_LARGE_CODES, and grows again by one per batch.
 */
export function createBlockLogFetcher(currentSource: () => RpcSender | undefined, timeoutMs: number, signal: AbortSignal) {
  let queue: BlockLogRequest[] = [];
  let batchSize = MAX_BLOCKS_PER_BATCH;

  const dispatch = async (): Promise<void> => {
    const requests = queue;
    queue = [];
    const source = currentSource();
    for (let start = 0; start < requests.length; ) {
      const batch = requests.slice(start, start + batchSize);
      start += batch.length;
      const active = batch.filter((request) => !request.signal.aborted);
      const heads = active.map(({ head }) => head);
      const results = source && heads.length > 0 ? await fetchBlockLogs(source, heads, timeoutMs, signal) : [];
      for (const request of batch) request.resolve(results[active.indexOf(request)]);
      const isTooLarge = results.length > 1 && results.every((result) => 'code' in result && TOO_LARGE_CODES.has(result.code));
      batchSize = isTooLarge ? Math.ceil(results.length / 2) : Math.min(MAX_BLOCKS_PER_BATCH, batchSize + 1);
    }
  };

  /** Resolves with undefined when there is no source or the signal aborted before the send. */
  return (head: Head, requestSignal: AbortSignal): Promise<BlockLogsResult | undefined> =>
    new Promise((resolve) => {
      if (queue.push({ head, signal: requestSignal, resolve }) === 1) setImmediate(() => void dispatch());
    });
}

async function fetchBlockLogs(
  source: RpcSender,
  heads: readonly Head[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<BlockLogsResult[]> {
  const calls = heads.map(blockLogCalls);
  const send = (timeout: AbortSignal) => source.send(calls.flat(), AbortSignal.any([signal, timeout]));
  const outcomes = [...(await withTimeout(timeoutMs, send, () => timeoutError('eth_getLogs')))];
  return calls.map(({ length }) => readBlockLogOutcomes(outcomes.splice(0, length)));
}
