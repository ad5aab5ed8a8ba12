import { GraphError } from '../errors.ts';
import { toData, toQuantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';

/** Positions other than the head that state can be read at. */
const TAGS: ReadonlySet<string> = new Set(['earliest', 'pending']);

/** The block of an account's state as it crosses borders, in the key `_at`: null for the head of whoever answers. */
export const encodeAtKey = (at: BlockRef): string | null => (at === 'latest' ? null : at);

/** The block that such a key names: a hash, a height or a tag. BAD_USER_INPUT for anything else. */
export function decodeAtKey(key: string | null | undefined): BlockRef {
  if (key === null || key === undefined) return 'latest';
  const ref = TAGS.has(key) ? key : (toData(key, 32) ?? toQuantity(key, 64));
  if (ref !== undefined) return ref;
  throw new GraphError('BAD_USER_INPUT', "A reference's `_at` is the hash or the height of a block, as 0x-hex.");
}
