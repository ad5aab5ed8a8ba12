import { invalidShape } from '../../../ethereum/decoders.ts';
import { type Data, type Quantity, toBigInt, toData } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';

/** The position of a block in the chain. */
export interface BlockPosition {
  readonly height: number;
  readonly hash: Data;
}

/** A position among the transactions of the chain: at a transaction, or behind the last transaction of a block. */
export interface TransactionPosition extends BlockPosition {
  readonly index: number;
}

/** The index of the position behind all transactions of a block. */
export const BLOCK_END = 2 ** 32 - 1;

/** Byte offsets in a cursor. The cursor of a block has no index. */
const BYTES = { height: 0, hash: 8, index: 40, end: 44 };

/** Encodes the position of a block, or of a transaction in it, as opaque, URL-safe text. Throws UPSTREAM_BAD_RESPONSE for an invalid block. */
export function encodeCursor({ number, hash }: { readonly number: Quantity; readonly hash: Data }, index?: number): string {
  const height = toBigInt(number);
  const lower = toData(hash, 32);
  if (lower === undefined || height > Number.MAX_SAFE_INTEGER) throw invalidShape('the height and the hash of a block');
  const bytes = Buffer.alloc(index === undefined ? BYTES.index : BYTES.end);
  bytes.writeBigUInt64BE(height, BYTES.height);
  bytes.write(lower.slice(2), BYTES.hash, 'hex');
  if (index !== undefined) bytes.writeUInt32BE(index, BYTES.index);
  return bytes.toString('base64url');
}

/** Decodes a cursor of this length. Throws BAD_USER_INPUT for any text that `encodeCursor` does not return. */
function bytesOf(text: string, length: number, subject: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips characters that are not base64url; encoding the bytes again detects them.
  const isValid = bytes.length === length && bytes.toString('base64url') === text;
  if (isValid && bytes.readBigUInt64BE(BYTES.height) <= Number.MAX_SAFE_INTEGER) return bytes;
  throw new GraphError('BAD_USER_INPUT', `Invalid cursor of ${subject}. Pass a cursor that this list has returned.`);
}

const positionOf = (bytes: Buffer): BlockPosition => ({
  height: Number(bytes.readBigUInt64BE(BYTES.height)),
  hash: `0x${bytes.toString('hex', BYTES.hash, BYTES.index)}`,
});

/** Decodes the cursor of a block; undefined without one. */
export const decodeBlockCursor = (text: string | undefined): BlockPosition | undefined =>
  text === undefined ? undefined : positionOf(bytesOf(text, BYTES.index, 'a block'));

/** Decodes the cursor of a transaction; undefined without one. */
export function decodeTransactionCursor(text: string | undefined): TransactionPosition | undefined {
  if (text === undefined) return undefined;
  const bytes = bytesOf(text, BYTES.end, 'a transaction');
  return { ...positionOf(bytes), index: bytes.readUInt32BE(BYTES.index) };
}
