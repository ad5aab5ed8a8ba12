import { invalidShape } from '../../../ethereum/decoders.ts';
import { toBigInt, toData } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { TransactionPosition } from '../block/cursors.ts';

/** CURSOR_EXPIRED: the events after a cursor cannot be replayed, because a reorg has removed `block` and the node no longer has it. */
export const cursorExpiredError = (block: string) =>
  new GraphError(
    'CURSOR_EXPIRED',
    `${block} is neither on the chain nor in the node any more, so the missed events cannot be replayed. Query the current state, then subscribe without \`after\`.`,
  );

/** BLOCK_NOT_AVAILABLE: the node lags behind the server that returned the cursor. */
export const cursorAheadError = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The block of this cursor is above the head of the server. Subscribe again in a moment.');

/** UPSTREAM_UNAVAILABLE: no head is known yet, so missed events cannot be determined. */
export const unknownHeadError = () =>
  new GraphError('UPSTREAM_UNAVAILABLE', 'The head of the chain is not known yet. Subscribe again in a moment.');

/** Position in the stream of log events: one log, added or removed. */
export interface LogPosition extends TransactionPosition {
  readonly removed: boolean;
}

/** Byte offsets in a cursor. 45 bytes are 60 characters of base64url, without padding bits. */
const CURSOR_OFFSETS = { removed: 0, height: 1, index: 9, hash: 13, end: 45 };
/** Maximum index of a log in a cursor. */
export const MAX_LOG_INDEX = 2 ** 32 - 1;

/** Encodes a position as opaque, URL-safe text. */
export function encodeLogCursor({ height, hash, index, removed }: LogPosition): string {
  const bytes = Buffer.alloc(CURSOR_OFFSETS.end);
  bytes.writeUInt8(removed ? 1 : 0, CURSOR_OFFSETS.removed);
  bytes.writeBigUInt64BE(BigInt(height), CURSOR_OFFSETS.height);
  bytes.writeUInt32BE(index, CURSOR_OFFSETS.index);
  bytes.write(hash.slice(2), CURSOR_OFFSETS.hash, 'hex');
  return bytes.toString('base64url');
}

/** Decodes a cursor. Throws BAD_USER_INPUT for any text that `encodeLogCursor` does not return. */
export function decodeLogCursor(text: string): LogPosition {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips characters that are not base64url; encoding the bytes again detects them.
  if (bytes.length !== CURSOR_OFFSETS.end || bytes.toString('base64url') !== text) throw invalidCursorError();
  const removed = bytes.readUInt8(CURSOR_OFFSETS.removed);
  const height = bytes.readBigUInt64BE(CURSOR_OFFSETS.height);
  if (removed > 1 || height > Number.MAX_SAFE_INTEGER) throw invalidCursorError();
  return {
    height: Number(height),
    hash: `0x${bytes.toString('hex', CURSOR_OFFSETS.hash)}`,
    index: bytes.readUInt32BE(CURSOR_OFFSETS.index),
    removed: removed === 1,
  };
}

const invalidCursorError = () =>
  new GraphError('BAD_USER_INPUT', 'Invalid log cursor. Pass a `Log.cursor` that this server returned.');

/** The cursor of a log; null while it is pending. Throws UPSTREAM_BAD_RESPONSE when the node returned an invalid hash, height or index. */
export function logCursorOf({ blockNumber, blockHash, logIndex, removed }: RpcLog): string | null {
  if (!blockNumber || !blockHash) return null;
  const hash = toData(blockHash, 32);
  if (hash === undefined) throw invalidShape('the hash of a block');
  return encodeLogCursor({
    height: toSafeNumber(blockNumber, Number.MAX_SAFE_INTEGER),
    hash,
    index: toSafeNumber(logIndex, MAX_LOG_INDEX),
    removed: removed === true,
  });
}

function toSafeNumber(quantity: unknown, max: number): number {
  const value = toBigInt(quantity);
  if (value > max) throw invalidShape('a position in the chain');
  return Number(value);
}
