import type { Header } from './chain.ts';
import type { Ask } from './upstream.ts';

/** Where in the parameters of a method that reads state its block is named. */
export const STATE_METHODS: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
};

/** Of one certain block, given by number or by hash, and not of whichever a tag means at the moment. */
const isPinned = (method: string, params: readonly unknown[]) => {
  const block = params[STATE_METHODS[method] ?? Number.NaN];
  return typeof block === 'object' || (typeof block === 'string' && block.startsWith('0x'));
};

/**
 * State that belongs to the block it was asked at. Anvil keeps the state of its head apart from that of older blocks, and one that is mined
 * after it has chosen where to look, and before it has looked, makes it tell the state of the new one: so an answer counts when the head
 * is the same after it as before.
 */
export function steadily(ask: Ask): Ask {
  let seen: string | undefined;
  let looking: Promise<string> | undefined;

  /** The head after all that has been answered until now; one look for whatever is answered in the same turn. */
  const look = (): Promise<string> => {
    if (looking === undefined) {
      setImmediate(() => {
        looking = undefined;
      });
      looking = ask<Header>('eth_getBlockByNumber', 'latest', false).then(({ hash }) => {
        seen = hash;
        return hash;
      });
    }
    return looking;
  };

  return async (method, ...params) => {
    if (!isPinned(method, params)) return ask(method, ...params);
    for (let before = seen; ; ) {
      const read = ask<never>(method, ...params);
      await read.catch(() => {});
      const after = await look();
      if (after === before) return read;
      before = after;
    }
  };
}
