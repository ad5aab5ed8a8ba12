import { encodeHeader } from '../../ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../ethereum/encoding/keccak.ts';
import { type Data, type Quantity, quantityOf, toData, toQuantity } from '../../ethereum/hex.ts';
import type { RpcBlock } from '../../ethereum/rpc-types.ts';

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
