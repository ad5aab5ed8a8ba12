import { invalidShape } from '../../../ethereum/decoders.ts';
import { type Data, type Quantity, toBigInt, toData } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';

/** The position of a block in the chain. */
export interface BlockPosition {
  readonly height: number;
  readonly hash: Data;
}

/** A position among the transactions of the chain: at a transaction, or behind the last one of a block. */
export interface TransactionPosition extends BlockPosition {
  readonly index: number;
}

/** The index of the position behind all transactions of a block. */
export const BLOCK_END = 2 ** 32 - 1;

/** Byte offsets in a cursor. The cursor of a block has no index. */
const BYTES = { height: 0, hash: 8, index: 40, end: 44 };

/** Encodes the position of a block as opaque, URL-safe text. Throws UPSTREAM_BAD_RESPONSE for an invalid height or hash. */
export const encodeBlockCursor = (block: { readonly number: Quantity; readonly hash: Data }): string =>
  positionBytes(block, BYTES.index).toString('base64url');

/** Encodes the position of a transaction. Throws as `encodeBlockCursor`. */
export function encodeTransactionCursor(block: { readonly number: Quantity; readonly hash: Data }, index: number): string {
  const bytes = positionBytes(block, BYTES.end);
  bytes.writeUInt32BE(index, BYTES.index);
  return bytes.toString('base64url');
}

/** Decodes a cursor; undefined without one. Throws BAD_USER_INPUT for any text that `encodeBlockCursor` does not return. */
export const decodeBlockCursor = (text: string | undefined): BlockPosition | undefined =>
  text === undefined ? undefined : positionOf(bytesOf(text, BYTES.index, 'a block'), 'a block');

/** Decodes a cursor; undefined without one. Throws BAD_USER_INPUT for any text that `encodeTransactionCursor` does not return. */
export function decodeTransactionCursor(text: string | undefined): TransactionPosition | undefined {
  if (text === undefined) return undefined;
  const bytes = bytesOf(text, BYTES.end, 'a transaction');
  return { ...positionOf(bytes, 'a transaction'), index: bytes.readUInt32BE(BYTES.index) };
}

function positionBytes({ number, hash }: { readonly number: Quantity; readonly hash: Data }, length: number): Buffer {
  const height = toBigInt(number);
  const lower = toData(hash, 32);
  if (lower === undefined || height > Number.MAX_SAFE_INTEGER) throw invalidShape('the height and the hash of a block');
  const bytes = Buffer.alloc(length);
  bytes.writeBigUInt64BE(height, BYTES.height);
  bytes.write(lower.slice(2), BYTES.hash, 'hex');
  return bytes;
}

function bytesOf(text: string, length: number, subject: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips characters that are not base64url; encoding the bytes again detects them.
  if (bytes.length !== length || bytes.toString('base64url') !== text) throw invalidPositionError(subject);
  return bytes;
}

function positionOf(bytes: Buffer, subject: string): BlockPosition {
  const height = bytes.readBigUInt64BE(BYTES.height);
  if (height > Number.MAX_SAFE_INTEGER) throw invalidPositionError(subject);
  return { height: Number(height), hash: `0x${bytes.toString('hex', BYTES.hash, BYTES.index)}` };
}

const invalidPositionError = (subject: string) =>
  new GraphError('BAD_USER_INPUT', `Invalid cursor of ${subject}. Pass a cursor that this list has returned.`);
