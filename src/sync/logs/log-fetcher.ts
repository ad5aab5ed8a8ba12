import { tooSlow } from '../../upstream/rpc/websocket-requests.ts';
import type { Head } from '../chain/rpc-header.ts';
import type { Source } from '../head/rpc-queries.ts';
import { callsFor, logsIn, type ToldLogs } from './block-logs.ts';

/** Asks once for the logs of a block, over one way; undefined where there is none now, or nobody waits any more. */
export type BlockAsker = (head: Head, signal: AbortSignal) => Promise<ToldLogs | undefined>;

/** Most blocks in one send: those of a reorg, or as many as are remembered of a first head. */
export const AT_ONCE = 32;

/** An answer that is too large can cost the connection, or take too long: fewer blocks at once may come through. */
const TOO_MUCH: ReadonlySet<string> = new Set(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_TIMEOUT', 'RESULT_TOO_LARGE']);

interface Asked {
  readonly head: Head;
  readonly until: AbortSignal;
  readonly settle: (told: ToldLogs | undefined) => void;
}

/** What is asked in one tick is sent together, to wherever the way leads then. The signal ends all that is under way. */
export function openBlockAsker(way: () => Source | undefined, timeoutMs: number, signal: AbortSignal): BlockAsker {
  let waiting: Asked[] = [];
  let atOnce = AT_ONCE;

  const dispatch = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    const source = way();
    for (let from = 0; from < asked.length; ) {
      const some = asked.slice(from, from + atOnce);
      from += some.length;
      const wanted = some.filter(({ until }) => !until.aborted);
      const heads = wanted.map(({ head }) => head);
      const told = source && heads.length > 0 ? await readBlocks(source, heads, timeoutMs, signal) : [];
      for (const one of some) one.settle(told[wanted.indexOf(one)]);
      const isTooMuch = told.length > 1 && told.every((one) => 'code' in one && TOO_MUCH.has(one.code));
      atOnce = isTooMuch ? Math.ceil(told.length / 2) : Math.min(AT_ONCE, atOnce + 1);
    }
  };

  return (head, until) =>
    new Promise((settle) => {
      if (waiting.push({ head, until, settle }) === 1) setImmediate(() => void dispatch());
    });
}

async function readBlocks(source: Source, heads: readonly Head[], timeoutMs: number, over: AbortSignal): Promise<ToldLogs[]> {
  const calls = heads.map(callsFor);
  const controller = new AbortController();
  const stop = () => controller.abort(over.reason);
  const timer = setTimeout(() => controller.abort(tooSlow('eth_getLogs')), timeoutMs);
  over.addEventListener('abort', stop, { once: true });
  const outcomes = await source.send(calls.flat(), controller.signal);
  clearTimeout(timer);
  over.removeEventListener('abort', stop);
  let to = 0;
  return heads.map((_head, i) => {
    const from = to;
    to += calls[i]!.length;
    return logsIn(outcomes.slice(from, to));
  });
}
