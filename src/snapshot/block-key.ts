import { GraphError } from '../errors.ts';
import { toData, toQuantity } from '../ethereum/hex.ts';
import type { BlockRef } from '../ethereum/rpc-types.ts';

/** Tags other than `latest` at which state can be read. */
const TAGS: ReadonlySet<string> = new Set(['earliest', 'pending']);

/** Encodes the block of an account's state as the federation key field `_at`; null for the head of the subgraph that resolves the key. */
export const encodeAtKey = (at: BlockRef): string | null => (at === 'latest' ? null : at);

/** Decodes the key field `_at` to a hash, a height or a tag. Throws BAD_USER_INPUT for any other value. */
export function decodeAtKey(key: string | null | undefined): BlockRef {
  if (key === null || key === undefined) return 'latest';
  const ref = TAGS.has(key) ? key : (toData(key, 32) ?? toQuantity(key, 64));
  if (ref !== undefined) return ref;
  throw new GraphError('BAD_USER_INPUT', 'Invalid `_at` in a reference. Pass the hash or the height of a block as 0x-hex.');
}
