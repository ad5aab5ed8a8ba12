import { encodeHeader } from '../../ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../ethereum/encoding/keccak.ts';
import { type Data, type Quantity, quantityOf, toData, toQuantity } from '../../ethereum/hex.ts';
import type { BlockRef, RpcBlock } from '../../ethereum/rpc-types.ts';

/**
 * Computes the hash of a header: keccak256 of its RLP encoding, as Ethereum does. Undefined when a field is missing or
 * malformed. The node must confirm the hash before it is used: some nodes omit the fields of newer forks from
 * announcements, and some chains hash headers differently.
 */
export function headerHash(header: object): Data | undefined {
  const encoded = encodeHeader(header);
  return encoded && keccakOfDigits(encoded);
}

/**
 * A block header as the node returns it, with its QUANTITY and DATA strings unchanged and without the lists of the block. Only
 * `number`, `hash` and `parentHash` are guaranteed: announcements have no `size`, and nodes omit further fields.
 */
export type RpcHeader = Pick<RpcBlock, 'number' | 'hash' | 'parentHash'> &
  Partial<Omit<RpcBlock, 'transactions' | 'uncles' | 'withdrawals'>>;

/** A block header with its hash and with its decoded number. */
export interface Head {
  /** Lower case. */
  readonly hash: Data;
  readonly number: Quantity;
  /** `number` as a JavaScript number. */
  readonly height: number;
  readonly parentHash: Data;
  /** The node's object, with `number`, `hash` and `parentHash` normalised as above. */
  readonly header: RpcHeader;
}

/** An announced header. Some nodes announce headers without a hash. */
export type AnnouncedHead = Omit<Head, 'hash' | 'header'> & {
  readonly hash: Data | undefined;
  readonly header: Partial<RpcHeader>;
};

/**
 * Reads a header or a block of any node; undefined when it is malformed. Accepts `receiptRoot` as another name of `receiptsRoot`.
 */
export function readAnnouncedHead(wire: unknown): AnnouncedHead | undefined {
  if (typeof wire !== 'object' || wire === null) return undefined;
  const { receiptRoot, ...header } = scalarFields(wire);
  const height = Number(toQuantity(header.number, 64));
  const parentHash = toData(header.parentHash, 32);
  const hash = toData(header.hash, 32);
  if (!Number.isSafeInteger(height) || parentHash === undefined) return undefined;
  if (hash === undefined && header.hash !== undefined && header.hash !== null) return undefined;
  const number = quantityOf(height);
  const receiptsRoot = header.receiptsRoot ?? receiptRoot;
  const normalised = {
    ...header,
    ...(receiptsRoot !== undefined && { receiptsRoot }),
    ...(hash && { hash }),
    number,
    parentHash,
  };
  return { hash, number, height, parentHash, header: normalised as Partial<RpcHeader> };
}

const scalarFields = (wire: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(wire).filter(([, value]) => typeof value !== 'object' || value === null));

/** Reads a header or a block with its hash; undefined when it is malformed or has no hash. */
export function readHead(wire: unknown): Head | undefined {
  const head = readAnnouncedHead(wire);
  return head?.hash === undefined ? undefined : (head as Head);
}

/** Recent blocks: the canonical blocks, ascending, and up to 256 blocks that reorgs removed, newest last. */
export interface ChainHistory {
  readonly canonical: CanonicalChain | undefined;
  readonly sideBranches: readonly Head[];
}

export const blockInHistory = ({ canonical, sideBranches }: ChainHistory, hash: Data): Head | undefined =>
  (canonical && blockByHash(canonical, hash)) ?? sideBranches.find((head) => head.hash === hash);

/** Whether a reorg has removed a block. A node that still reports it may lag or may have switched back. */
export const isOnSideBranch = ({ sideBranches }: ChainHistory, hash: Data): boolean =>
  sideBranches.some((head) => head.hash === hash);

/** Returns the blocks to remove and to add from one block to another; undefined if a block of the path is unknown. */
export function chainPath(history: ChainHistory, fromHash: Data, toHash: Data): ChainPath | undefined {
  const removed: Head[] = [];
  const added: Head[] = [];
  let [from, to] = [blockInHistory(history, fromHash), blockInHistory(history, toHash)];
  while (from && to && from.hash !== to.hash) {
    if (from.height > to.height) {
      removed.push(from);
      from = blockInHistory(history, from.parentHash);
    } else {
      added.push(to);
      to = blockInHistory(history, to.parentHash);
    }
  }
  return from && to && { removed, added: added.reverse() };
}

/** The newest blocks of the canonical chain: ascending, each block the parent of the next block, never empty. */
export type CanonicalChain = readonly [Head, ...Head[]];

/**
 * One atomic change of the canonical chain: the path from the old to the new head. Apply it in order: remove each block of `removed`, then
 * add each block of `added`.
 */
export interface ChainChange extends ChainPath {
  /**
   * True when the blocks between the old and the new head are unknown. `added` is then the new head alone and `removed` is empty.
   * Subscriptions that promise completeness end with GAP_TOO_LARGE.
   */
  readonly hasGap: boolean;
}

/**
 * Maximum number of blocks in the window. A reorg is reported block by block if its common ancestor is in the window:
 * such a reorg removes at most 255 blocks. A deeper reorg is reported as a gap.
 */
export const WINDOW_BLOCKS = 256;

export const headOf = (canonical: CanonicalChain): Head => canonical.at(-1)!;

/** Returns the block at a height in the window. Falls back to a search because some chains skip heights. */
export const blockAtHeight = (canonical: CanonicalChain, height: number): Head | undefined => {
  // An index outside of a list is slow, because V8 looks for a property with this name.
  if (!(height >= canonical[0].height && height <= headOf(canonical).height)) return undefined;
  const candidate = canonical[height - canonical[0].height];
  return candidate?.height === height ? candidate : canonical.find((head) => head.height === height);
};

export const blockByHash = (canonical: CanonicalChain, hash: Data): Head | undefined =>
  canonical.findLast((head) => head.hash === hash);

/**
 * Replaces all blocks above `ancestor`, a block of the window, with the blocks of a branch, which are ascending and
 * linked by parent hashes. An empty branch only removes blocks.
 */
export function applyBranch(canonical: CanonicalChain, ancestor: Data, branch: readonly Head[]) {
  const end = canonical.findLastIndex(({ hash }) => hash === ancestor) + 1;
  return {
    canonical: [...canonical.slice(0, end), ...branch].slice(-WINDOW_BLOCKS) as [Head, ...Head[]],
    change: { removed: canonical.slice(end).reverse(), added: branch, hasGap: false },
  };
}

/**
 * Returns the median of the last 32 block intervals in milliseconds, without negative intervals; undefined without any
 * interval.
 */
export function medianBlockTimeMs(canonical: CanonicalChain): number | undefined {
  const timestamps = canonical.slice(-33).map(({ header }) => Number(header.timestamp));
  const intervals = timestamps.slice(1).map((timestamp, i) => timestamp - timestamps[i]!);
  const sorted = intervals.filter((interval) => interval >= 0).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return median === undefined ? undefined : median * 1000;
}

/**
 * The blocks between two blocks: `removed`, newest first, leads down to their common ancestor; `added`, ascending, leads up from
 * it.
 */
export interface ChainPath {
  readonly removed: readonly Head[];
  readonly added: readonly Head[];
}

export const EMPTY_PATH: ChainPath = { removed: [], added: [] };

/**
 * Joins two paths; the second path starts at the end of the first path. Blocks that one path adds and the other path
 * removes cancel out.
 */
export function joinPaths(first: ChainPath, second: ChainPath): ChainPath {
  const removed = [...first.removed];
  const added = [...first.added];
  for (const head of second.removed) {
    if (added.length > 0) added.pop();
    else removed.push(head);
  }
  for (const head of second.added) {
    if (added.length === 0 && removed.at(-1)?.hash === head.hash) removed.pop();
    else added.push(head);
  }
  return { removed, added };
}

/**
 * The blocks that the fork choice needs from the node, by hash, height or `latest`. The caller sends them as one batch
 * of JSON-RPC calls, so that one backend responds to all calls.
 */
export type ChainQuery = readonly BlockRef[];

/**
 * The blocks that the node returned, in the order of the query; undefined for an unknown block and for a failed or malformed
 * result.
 */
export type ChainQueryResult = readonly (Head | undefined)[];

/** A head with its ancestors, newest first. */
export type Branch = readonly [Head, ...Head[]];

const MAX_CALLS_PER_QUERY = 64;

/**
 * Reads the ancestors of a head until `isEnough` accepts the branch. Only `parentHash` links decide which block is an
 * ancestor: the blocks requested by height save round trips, and their number doubles with each query. `expectedCount`
 * is the number of ancestors that the first query requests. Stops early, with `isParentMissing`, when the node does not
 * have a parent, which happens on a lagging node.
 */
export function* readAncestors(head: Head, isEnough: (branch: Branch) => boolean, expectedCount: number) {
  const branch: [Head, ...Head[]] = [head];
  const blocksByHash = new Map<Data, Head>();
  let heightCount = Math.min(MAX_CALLS_PER_QUERY - 1, Math.max(0, expectedCount - 1));
  while (!isEnough(branch)) {
    const { parentHash, height } = branch.at(-1)!;
    if (!blocksByHash.has(parentHash)) {
      const heights = Array.from({ length: Math.min(heightCount, Math.max(0, height - 1)) }, (_none, i) =>
        quantityOf(height - 2 - i),
      );
      const result: ChainQueryResult = yield [parentHash, ...heights];
      for (const block of result) if (block) blocksByHash.set(block.hash, block);
      heightCount = Math.min(MAX_CALLS_PER_QUERY - 1, 2 * heightCount + 1);
    }
    const parent = blocksByHash.get(parentHash);
    if (!parent || parent.height >= height) return { branch, isParentMissing: true };
    branch.push(parent);
  }
  return { branch, isParentMissing: false };
}
