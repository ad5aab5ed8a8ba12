import { keccak256 } from 'ethers';
import type { AnvilRequest } from '../anvil-connection.ts';
import type { AnvilHeader } from '../chain.ts';

/** Position of the block parameter of each method that reads state. */
export const STATE_BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
  eth_createAccessList: 1,
};

/** Whether the block is given by number or hash, not by tag. */
const isPinned = (method: string, params: readonly unknown[]) => {
  const block = params[STATE_BLOCK_PARAMETER[method] ?? Number.NaN];
  return typeof block === 'object' || (typeof block === 'string' && block.startsWith('0x'));
};

const UNUSED_ADDRESS = `0x${'0'.repeat(40)}`;
/** Far longer than mining a block: a state that differs from the head for longer was set manually. */
const MANUAL_STATE_MS = 500;

/** The head, and the root of the state that anvil returns for it. */
interface HeadSnapshot {
  readonly head: string;
  readonly root: string;
  /** Whether the root equals the state root of the head. */
  readonly isConsistent: boolean;
}

const isSameHead = (left: HeadSnapshot | undefined, right: HeadSnapshot): boolean =>
  left?.head === right.head && left.root === right.root;

/**
 * Makes reads of state return the state of the requested block. While anvil mines a block, it changes the current state
 * before the head, and so returns the state of one block for another. A result is accepted if the head does not change
 * during the read and the state has the root of the head; otherwise the read is repeated.
 */
export function withConsistentHead(request: AnvilRequest): AnvilRequest {
  let last: HeadSnapshot | undefined;
  let inconsistentSince = 0;
  let snapshotRead: Promise<HeadSnapshot> | undefined;

  const toSnapshot = (head: string, root: string, stateRoot: unknown): HeadSnapshot => {
    const snapshot = { head, root, isConsistent: root === stateRoot };
    if (!snapshot.isConsistent) {
      if (!isSameHead(last, snapshot)) inconsistentSince = performance.now();
      snapshot.isConsistent = performance.now() - inconsistentSince > MANUAL_STATE_MS;
    }
    last = snapshot;
    return snapshot;
  };

  /** Reads the head and its state root once for all reads that end in one turn. */
  const readSnapshot = (): Promise<HeadSnapshot> => {
    if (snapshotRead === undefined) {
      setImmediate(() => {
        snapshotRead = undefined;
      });
      snapshotRead = Promise.all([
        request<AnvilHeader>('eth_getBlockByNumber', 'latest', false),
        request<{ accountProof: readonly string[] }>('eth_getProof', UNUSED_ADDRESS, [], 'latest'),
      ]).then(([{ hash, stateRoot }, { accountProof }]) => toSnapshot(hash, keccak256(accountProof[0]!), stateRoot));
    }
    return snapshotRead;
  };

  return async (method, ...params) => {
    if (!isPinned(method, params)) return request(method, ...params);
    for (let before = last; ; ) {
      const read = request<never>(method, ...params);
      await read.catch(() => {});
      const after = await readSnapshot();
      if (after.isConsistent && isSameHead(before, after)) return read;
      before = after;
    }
  };
}
