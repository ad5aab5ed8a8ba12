import { timeoutError } from '../../upstream/rpc/rpc-errors.ts';
import type { Head } from '../chain/rpc-header.ts';
import type { RpcSource } from '../head/rpc-queries.ts';
import { type BlockLogsResult, blockLogCalls, readBlockLogOutcomes } from './block-logs.ts';

/** Asks once for the logs of a block, over one way; undefined where there is none now, or nobody waits any more. */
export type BlockLogFetcher = (head: Head, signal: AbortSignal) => Promise<BlockLogsResult | undefined>;

/** Most blocks in one send: those of a reorg, or as many as are remembered of a first head. */
export const MAX_BLOCKS_PER_BATCH = 32;

/** An answer that is too large can cost the connection, or take too long: fewer blocks at once may come through. */
const TOO_LARGE_CODES: ReadonlySet<string> = new Set(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_TIMEOUT', 'RESULT_TOO_LARGE']);

interface BlockLogRequest {
  readonly head: Head;
  readonly signal: AbortSignal;
  readonly resolve: (told: BlockLogsResult | undefined) => void;
}

/** What is asked in one tick is sent together, to wherever the way leads then. The signal ends all that is under way. */
export function createBlockLogFetcher(way: () => RpcSource | undefined, timeoutMs: number, signal: AbortSignal): BlockLogFetcher {
  let waiting: BlockLogRequest[] = [];
  let atOnce = MAX_BLOCKS_PER_BATCH;

  const dispatch = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    const source = way();
    for (let from = 0; from < asked.length; ) {
      const some = asked.slice(from, from + atOnce);
      from += some.length;
      const wanted = some.filter(({ signal }) => !signal.aborted);
      const heads = wanted.map(({ head }) => head);
      const told = source && heads.length > 0 ? await fetchBlockLogs(source, heads, timeoutMs, signal) : [];
      for (const one of some) one.resolve(told[wanted.indexOf(one)]);
      const isTooMuch = told.length > 1 && told.every((one) => 'code' in one && TOO_LARGE_CODES.has(one.code));
      atOnce = isTooMuch ? Math.ceil(told.length / 2) : Math.min(MAX_BLOCKS_PER_BATCH, atOnce + 1);
    }
  };

  return (head, signal) =>
    new Promise((resolve) => {
      if (waiting.push({ head, signal, resolve }) === 1) setImmediate(() => void dispatch());
    });
}

async function fetchBlockLogs(
  source: RpcSource,
  heads: readonly Head[],
  timeoutMs: number,
  over: AbortSignal,
): Promise<BlockLogsResult[]> {
  const calls = heads.map(blockLogCalls);
  const controller = new AbortController();
  const stop = () => controller.abort(over.reason);
  const timer = setTimeout(() => controller.abort(timeoutError('eth_getLogs')), timeoutMs);
  over.addEventListener('abort', stop, { once: true });
  const outcomes = await source.send(calls.flat(), controller.signal);
  clearTimeout(timer);
  over.removeEventListener('abort', stop);
  let to = 0;
  return heads.map((_head, i) => {
    const from = to;
    to += calls[i]!.length;
    return readBlockLogOutcomes(outcomes.slice(from, to));
  });
}
