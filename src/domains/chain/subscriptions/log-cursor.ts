import { GraphError } from '../../../errors.ts';
import { invalidShape } from '../../../ethereum/decoders.ts';
import { type Data, toBigInt, toData } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';

/** A place in the logs as they are told: one log, as it came or as it went. */
export interface LogPosition {
  readonly height: number;
  readonly hash: Data;
  readonly index: number;
  readonly removed: boolean;
}

/** The layout of a cursor: whether it went, the height, the index, the hash. Forty-five bytes are sixty characters, without a rest. */
const CURSOR_OFFSETS = { removed: 0, height: 1, index: 9, hash: 13, end: 45 };
const MAX_LOG_INDEX = 2 ** 32 - 1;

/** A position as an opaque text that is safe in URLs. */
export function encodeLogCursor({ height, hash, index, removed }: LogPosition): string {
  const bytes = Buffer.alloc(CURSOR_OFFSETS.end);
  bytes.writeUInt8(removed ? 1 : 0, CURSOR_OFFSETS.removed);
  bytes.writeBigUInt64BE(BigInt(height), CURSOR_OFFSETS.height);
  bytes.writeUInt32BE(index, CURSOR_OFFSETS.index);
  bytes.write(hash.slice(2), CURSOR_OFFSETS.hash, 'hex');
  return bytes.toString('base64url');
}

/** The position that a cursor tells. BAD_USER_INPUT for any text that `writeCursor` does not write. */
export function decodeLogCursor(text: string): LogPosition {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer leaves out what it cannot read, so only what writes the same text again was a cursor.
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
  new GraphError('BAD_USER_INPUT', 'This is no cursor of a log: hand back `Log.cursor` as it came.');

/** The cursor of a log; null while it is pending. UPSTREAM_BAD_RESPONSE when what the node says of its place is no place. */
export function logCursorOf({ blockNumber, blockHash, logIndex, removed }: RpcLog): string | null {
  if (!blockNumber || !blockHash) return null;
  const hash = toData(blockHash, 32);
  if (hash === undefined) throw invalidShape('the hash of a block');
  return encodeLogCursor({
    height: checkedPosition(blockNumber, Number.MAX_SAFE_INTEGER),
    hash,
    index: checkedPosition(logIndex, MAX_LOG_INDEX),
    removed: removed === true,
  });
}

function checkedPosition(quantity: unknown, most: number): number {
  const value = toBigInt(quantity);
  if (value > most) throw invalidShape('a position in the chain');
  return Number(value);
}
