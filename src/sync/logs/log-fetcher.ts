import { bloomShowsLogs } from '../../ethereum/bloom.ts';
import { WHOLE_BLOCK_COST } from '../../ethereum/call-costs.ts';
import { EMPTY_TRIE_ROOT, finishSteps } from '../../ethereum/encoding/list-root.ts';
import { logsContradiction, logsIn } from '../../ethereum/header-checks.ts';
import { type Data, quantityOf, sameData } from '../../ethereum/hex.ts';
import { toRpcLogFilter } from '../../ethereum/log-filters.ts';
import { logsNotAvailableError, readLogs, readReceipts } from '../../ethereum/log-results.ts';
import { areWhollyEncoded, type BlockOfReceipts, receiptsRootContradiction } from '../../ethereum/root-checks.ts';
import type { RpcLog, RpcReceipt } from '../../ethereum/rpc-types.ts';
import { withTimeout } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { ExpiringValue } from '../../lib/expiring-value.ts';
import { finishYielding, OperationBudget } from '../../lib/operation-budget.ts';
import type { ResultReader, RpcCall, RpcOutcome, RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { timeoutError } from '../../upstream/rpc/rpc-errors.ts';
import type { Head } from '../chain/rpc-header.ts';
import { blockCall } from '../head/rpc-queries.ts';

/** The logs of a block in their order, or the error of their read. */
type BlockLogsResult = readonly RpcLog[] | GraphError;

/** Number of receipts above which a root takes several milliseconds: it is computed in turns, after the result was read. */
const MAX_RECEIPTS_AT_ONCE = 400;

const CHECKED_RECEIPTS_READER = {
  read: readReceipts,
  contradiction: (receipts: readonly RpcReceipt[] | null, _ref: Data, _hashes: undefined, header: BlockOfReceipts) =>
    finishSteps(receiptsRootContradiction(receipts, header)),
} as ResultReader;
const RECEIPTS_READER = {
  read: readReceipts,
  contradiction: (receipts: readonly RpcReceipt[] | null, ...args) =>
    receipts && receipts.length > MAX_RECEIPTS_AT_ONCE ? undefined : CHECKED_RECEIPTS_READER.contradiction!(receipts, ...args),
} as ResultReader;
const LOGS_READER = { read: readLogs, contradiction: logsContradiction } as ResultReader;
const CONFIRMED_LOGS_READER = { ...LOGS_READER, confirmsEmpty: true };

/** Builds the call that reads the logs of a block with the receipts that contain them: its header commits to them. */
const receiptsCall = ({ hash, header }: Head, reader: ResultReader): RpcCall => ({
  method: 'eth_getBlockReceipts',
  params: [hash],
  reader,
  args: [hash, undefined, header],
  cost: WHOLE_BLOCK_COST,
});

/** Whether receipts that their reader has not compared with the header, because they are many, contradict it. */
const isContradicted = async (outcome: RpcOutcome, { header }: Head): Promise<boolean> => {
  // The reader of the call has already checked the type.
  const receipts = 'error' in outcome ? null : (outcome.result as readonly RpcReceipt[] | null);
  if (!receipts || receipts.length <= MAX_RECEIPTS_AT_ONCE) return false;
  return (await finishYielding(receiptsRootContradiction(receipts, header), new OperationBudget())) !== undefined;
};

/**
 * Builds the calls that read the logs of a block from a node without receipts of blocks. Some nodes return an empty list for a block
 * that they do not have. A bloom with some bits set contradicts an empty list. An empty or full bloom does not contradict it, because
 * some nodes do not compute blooms: then the block itself is read in the batch of the logs, from one backend. Source: `eth_getLogs`,
 * `eth_getBlockByHash`.
 */
function logsCalls({ hash, header }: Head): readonly RpcCall[] {
  const filter = toRpcLogFilter({ blockHash: hash }, {});
  const expectsLogs = bloomShowsLogs(header.logsBloom);
  const reader = expectsLogs || sameData(header.transactionsRoot, EMPTY_TRIE_ROOT) ? LOGS_READER : CONFIRMED_LOGS_READER;
  const logsCall = { method: 'eth_getLogs', params: [filter], reader, args: [filter, expectsLogs, header] };
  return expectsLogs ? [logsCall] : [logsCall, blockCall(hash)];
}

/** Numbers logs in their block if the node counts them in each transaction: two logs of a block must not have one cursor. */
function numberedInBlock(logs: readonly RpcLog[]): readonly RpcLog[] {
  const isNumbered = logs.every(({ logIndex }, i) => i === 0 || Number(logIndex) > Number(logs[i - 1]!.logIndex));
  return isNumbered ? logs : logs.map((log, i) => ({ ...log, logIndex: quantityOf(i) }));
}

/** The lists of logs whose receipts have the receipts root of their block. */
const provenLogs = new WeakSet<readonly RpcLog[]>();

/** Records that the header of their block proves that these are all of its logs, for logs that another process has compared. */
export const markProven = (logs: readonly RpcLog[]): void => void provenLogs.add(logs);

/** Whether the header of their block proves that these are all of its logs. */
export const areProven = (logs: readonly RpcLog[]): boolean => provenLogs.has(logs);

/** Reads the outcome of `receiptsCall`. BLOCK_NOT_AVAILABLE when the node does not have the block. */
function readReceiptLogs(outcome: RpcOutcome, { header }: Head): BlockLogsResult {
  if ('error' in outcome) return outcome.error;
  // The reader of the call has already checked the type.
  const receipts = outcome.result as readonly RpcReceipt[] | null;
  if (!receipts) return logsNotAvailableError();
  if (receipts.length === 0 && !sameData(header.transactionsRoot, EMPTY_TRIE_ROOT)) return noReceiptsError();
  const logs = numberedInBlock(logsIn(receipts));
  if (header.receiptsRoot && areWhollyEncoded(receipts, header)) provenLogs.add(logs);
  return logs;
}

/** Reads the outcomes of `logsCalls`. BLOCK_NOT_AVAILABLE when the node returned no logs and does not have the block. */
function readBlockLogs([logsOutcome, blockOutcome]: readonly RpcOutcome[]): BlockLogsResult {
  if ('error' in logsOutcome!) return logsOutcome.error;
  const logs = numberedInBlock(logsOutcome!.result as readonly RpcLog[]);
  if (logs.length > 0 || !blockOutcome) return logs;
  if ('error' in blockOutcome) return blockOutcome.error;
  return blockOutcome.result === null ? logsNotAvailableError() : logs;
}

/** No receipts of a block that may have transactions: its logs are read with the block itself. */
const noReceiptsError = () =>
  new GraphError('METHOD_NOT_SUPPORTED', 'The node does not have the receipts of that block.', {
    method: 'eth_getBlockReceipts',
  });

/** Errors of a node that lacks the receipts of a block, or does not accept its hash for them. */
const NO_RECEIPTS_CODES: ReadonlySet<string> = new Set(['METHOD_NOT_SUPPORTED', 'UPSTREAM_PROTOCOL_ERROR']);

/** Other errors of such nodes, such as a key that is not valid for the method. They prove it only if the node then returns the logs. */
const DOUBTFUL_CODES: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_INTERNAL', 'UPSTREAM_AUTH']);

const hasCodeOf = (result: BlockLogsResult, codes: ReadonlySet<string>): boolean => 'code' in result && codes.has(result.code);

/** Whether the logs of blocks are read without the receipts. A batch of receipts that is too large is divided instead. */
const mayLackReceipts = (results: readonly BlockLogsResult[]): boolean =>
  results.some(
    (result) =>
      hasCodeOf(result, NO_RECEIPTS_CODES) ||
      hasCodeOf(result, DOUBTFUL_CODES) ||
      (results.length === 1 && 'code' in result && result.code === 'RESULT_TOO_LARGE'),
  );

/** Time after which the receipts of a block are tried again, because the node may have been replaced. */
const RETEST_MS = 60_000;

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
 * Creates a function that reads the logs of a block once, without retries, and batches all requests of one tick. Reads the receipts of
 * the blocks, which their headers prove, and on a node without them the logs alone. `currentSource` is called once per tick; `signal`
 * aborts all requests. The batch size is halved when each block of a batch fails with a code of TOO_LARGE_CODES, and grows again by one
 * per batch.
 */
export function createBlockLogFetcher(currentSource: () => RpcSender | undefined, timeoutMs: number, signal: AbortSignal) {
  let queue: BlockLogRequest[] = [];
  let batchSize = MAX_BLOCKS_PER_BATCH;
  const hasReceipts = new ExpiringValue(true);

  const sendCalls = (source: RpcSender, calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const send = (ended: AbortSignal) => source.send(calls, ended);
    return withTimeout(timeoutMs, send, () => timeoutError(calls[0]!.method), signal);
  };

  const readFromReceipts = async (source: RpcSender, heads: readonly Head[]): Promise<BlockLogsResult[]> => {
    const calls = heads.map((head) => receiptsCall(head, RECEIPTS_READER));
    const outcomes = await sendCalls(source, calls);
    const results = heads.map(async (head, i) => {
      if (!(await isContradicted(outcomes[i]!, head))) return readReceiptLogs(outcomes[i]!, head);
      // The reader of the second call moves the call to the next endpoint.
      const [checked] = await sendCalls(source, [receiptsCall(head, CHECKED_RECEIPTS_READER)]);
      return readReceiptLogs(checked!, head);
    });
    return Promise.all(results);
  };

  const readFromLogs = async (source: RpcSender, heads: readonly Head[]): Promise<BlockLogsResult[]> => {
    const ofBlocks = heads.map(logsCalls);
    const outcomes = [...(await sendCalls(source, ofBlocks.flat()))];
    return ofBlocks.map(({ length }) => readBlockLogs(outcomes.splice(0, length)));
  };

  const fetchBlockLogs = async (source: RpcSender, heads: readonly Head[]): Promise<BlockLogsResult[]> => {
    if (!hasReceipts.current) return readFromLogs(source, heads);
    const fromReceipts = await readFromReceipts(source, heads);
    if (!mayLackReceipts(fromReceipts)) return fromReceipts;
    const results = await readFromLogs(source, heads);
    const isLacking =
      fromReceipts.some((result) => hasCodeOf(result, NO_RECEIPTS_CODES)) || results.some((result) => !('code' in result));
    if (isLacking) hasReceipts.set(false, RETEST_MS);
    return results;
  };

  const dispatch = async (): Promise<void> => {
    const requests = queue;
    queue = [];
    const source = currentSource();
    for (let start = 0; start < requests.length; ) {
      const batch = requests.slice(start, start + batchSize);
      start += batch.length;
      const active = batch.filter((request) => !request.signal.aborted);
      const heads = active.map(({ head }) => head);
      const results = source && heads.length > 0 ? await fetchBlockLogs(source, heads) : [];
      for (const request of batch) request.resolve(results[active.indexOf(request)]);
      const isTooLarge = results.length > 1 && results.every((result) => hasCodeOf(result, TOO_LARGE_CODES));
      batchSize = isTooLarge ? Math.ceil(results.length / 2) : Math.min(MAX_BLOCKS_PER_BATCH, batchSize + 1);
    }
  };

  /** Resolves with undefined when there is no source or the signal aborted before the send. */
  return (head: Head, requestSignal: AbortSignal): Promise<BlockLogsResult | undefined> =>
    new Promise((resolve) => {
      if (queue.push({ head, signal: requestSignal, resolve }) === 1) setImmediate(() => void dispatch());
    });
}
