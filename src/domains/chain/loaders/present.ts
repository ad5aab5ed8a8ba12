import { setTimeout as sleep } from 'node:timers/promises';
import { GraphError } from '../../../errors.ts';
import { type Data, sameData } from '../../../evm/hex.ts';
import type { RpcCall, RpcOutcome } from '../../../upstream/jsonrpc.ts';
import { blockBy } from '../methods.ts';

/** What asks the node, past everything that the operation knows already. */
export interface Asker {
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]>;
}

/** How long a node may lag behind the head that it, or another backend behind the same address, has announced. */
const PATIENCE_MS = 2_000;
const FIRST_WAIT_MS = 40;
const LONGEST_WAIT_MS = 400;

/** Answers about blocks that are known to exist, from nodes that may not have come so far, or may have moved on. */
export interface Presence {
  /** Resolves when the node has the block; rejects with STALE_UPSTREAM when it does not get it in time. */
  arrived(hash: Data): Promise<void>;
  /** Resolves when the block of that height is still this one, asked after the call; rejects with BLOCK_NOT_AVAILABLE when it is not. */
  remained(number: string, hash: Data): Promise<void>;
}

/** One operation's presence checks; those of one tick about one block are one call. */
export function openPresence(asker: Asker, signal: AbortSignal): Presence {
  const arriving = new Map<Data, Promise<void>>();
  const remaining = new Map<Data, Promise<void>>();

  const ask = async (ref: string): Promise<unknown> => {
    const name = blockBy.name as (ref: string, full: boolean) => string;
    const [outcome] = await asker.send([{ method: name(ref, false), params: [ref, false] }], signal);
    if (outcome && 'error' in outcome && outcome.error.code !== 'BLOCK_NOT_AVAILABLE') throw outcome.error;
    return outcome && 'result' in outcome ? outcome.result : null;
  };

  const wait = async (hash: Data): Promise<void> => {
    const until = performance.now() + PATIENCE_MS;
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(LONGEST_WAIT_MS, pause * 2)) {
      if ((await ask(hash)) !== null) return;
      if (performance.now() + pause > until) {
        throw new GraphError('STALE_UPSTREAM', 'The node has not come as far as the block that this is answered from.');
      }
      await sleep(pause, undefined, { signal }).catch(() => Promise.reject(signal.reason));
    }
  };

  const verify = async (number: string, hash: Data): Promise<void> => {
    const block = await ask(number);
    if (sameData((block as { hash?: unknown } | null)?.hash, hash)) return;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The chain was reorganised while this was being answered; ask again.');
  };

  return {
    arrived(hash) {
      const known = arriving.get(hash) ?? wait(hash);
      arriving.set(hash, known);
      return known;
    },
    remained(number, hash) {
      const known = remaining.get(hash);
      if (known) return known;
      const check = new Promise<void>((resolve, reject) => {
        setImmediate(() => {
          // What is read from now on needs a check of its own.
          remaining.delete(hash);
          verify(number, hash).then(resolve, reject);
        });
      });
      remaining.set(hash, check);
      return check;
    },
  };
}
