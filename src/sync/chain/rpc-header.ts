import { type Data, type Quantity, quantityOf, toData, toQuantity } from '../../ethereum/hex.ts';
import type { RpcBlock } from '../../ethereum/rpc-types.ts';

/**
 * The header of a block as a node tells it, with its own strings; the lists of a block are not of its header. Beyond the first
 * three fields nothing is certain: an announcement has no `size`, and the dialects leave out what they like.
 */
export type RpcHeader = Pick<RpcBlock, 'number' | 'hash' | 'parentHash'> &
  Partial<Omit<RpcBlock, 'transactions' | 'uncles' | 'withdrawals'>>;

/** A block of the chain, known by its hash. */
export interface Head {
  /** In lower case. */
  readonly hash: Data;
  readonly number: Quantity;
  /** The number to reckon with. */
  readonly height: number;
  readonly parentHash: Data;
  /** The node's own object, with these three as they are here. */
  readonly header: RpcHeader;
}

/** A header as it was told, perhaps without a hash. */
export type AnnouncedHead = Omit<Head, 'hash' | 'header'> & {
  readonly hash: Data | undefined;
  readonly header: Partial<RpcHeader>;
};

/** A header in any dialect, or a block; undefined when it is neither. `receiptRoot` is read as what all others call `receiptsRoot`. */
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
  const own = { ...header, ...(receiptsRoot !== undefined && { receiptsRoot }), ...(hash && { hash }), number, parentHash };
  return { hash, number, height, parentHash, header: own as Partial<RpcHeader> };
}

const scalarFields = (wire: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(wire).filter(([, value]) => typeof value !== 'object' || value === null));

/** Whether a block has a later timestamp than another, as none of its ancestors has; false when a timestamp is missing. */
export const hasLaterTimestamp = (head: Head, other: Head): boolean =>
  Number(head.header.timestamp) > Number(other.header.timestamp);

/** The same under a hash that the header did not tell itself. */
export const withHash = (told: AnnouncedHead, hash: Data): Head => ({
  ...told,
  hash,
  header: { ...(told.header as RpcHeader), hash },
});

/** A block or a header that tells its hash; undefined when it is anything else. */
export function readHead(wire: unknown): Head | undefined {
  const told = readAnnouncedHead(wire);
  return told?.hash === undefined ? undefined : (told as Head);
}
