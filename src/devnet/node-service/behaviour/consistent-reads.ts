import { keccak256 } from 'ethers';
import type { AnvilRequest } from '../anvil-connection.ts';
import type { AnvilHeader } from '../chain.ts';

/** Where in the parameters of a method that reads state its block is named. */
export const STATE_BLOCK_PARAMETER: Readonly<Record<string, number>> = {
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
  const block = params[STATE_BLOCK_PARAMETER[method] ?? Number.NaN];
  return typeof block === 'object' || (typeof block === 'string' && block.startsWith('0x'));
};

const UNUSED_ADDRESS = `0x${'0'.repeat(40)}`;
/** Far longer than a block takes to be mined; a state that is not the head's for that long was set by hand. */
const MANUAL_STATE_MS = 500;

/** The head, and the root of the state that is told as its own. */
interface HeadSnapshot {
  readonly head: string;
  readonly root: string;
  /** Whether the one belongs to the other. */
  readonly isSound: boolean;
}

const isSameHead = (one: HeadSnapshot | undefined, other: HeadSnapshot): boolean =>
  one?.head === other.head && one.root === other.root;

/**
 * State that belongs to the block it was asked at. Anvil keeps the state of its head apart from that of older blocks, and while the next one
 * is mined it changes that state first and the head afterwards, so that it tells one block's state as another's. An answer counts when the
 * head is the same after it as before and the state that is told then has the head's own root.
 */
export function withConsistentHead(request: AnvilRequest): AnvilRequest {
  let seen: HeadSnapshot | undefined;
  let unsoundSince = 0;
  let looking: Promise<HeadSnapshot> | undefined;

  const take = (head: string, root: string, stateRoot: unknown): HeadSnapshot => {
    const look = { head, root, isSound: root === stateRoot };
    if (!look.isSound) {
      if (!isSameHead(seen, look)) unsoundSince = performance.now();
      look.isSound = performance.now() - unsoundSince > MANUAL_STATE_MS;
    }
    seen = look;
    return look;
  };

  /** What there is after all that has been answered until now; one look for whatever is answered in the same turn. */
  const look = (): Promise<HeadSnapshot> => {
    if (looking === undefined) {
      setImmediate(() => {
        looking = undefined;
      });
      looking = Promise.all([
        request<AnvilHeader>('eth_getBlockByNumber', 'latest', false),
        request<{ accountProof: readonly string[] }>('eth_getProof', UNUSED_ADDRESS, [], 'latest'),
      ]).then(([{ hash, stateRoot }, { accountProof }]) => take(hash, keccak256(accountProof[0]!), stateRoot));
    }
    return looking;
  };

  return async (method, ...params) => {
    if (!isPinned(method, params)) return request(method, ...params);
    for (let before = seen; ; ) {
      const read = request<never>(method, ...params);
      await read.catch(() => {});
      const after = await look();
      if (after.isSound && isSameHead(before, after)) return read;
      before = after;
    }
  };
}
