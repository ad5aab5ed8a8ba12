import { invalidShape } from '../../ethereum/decoders.ts';
import { type Data, isBlockHash, toData, toQuantity } from '../../ethereum/hex.ts';
import type { BlockRef, RpcLog } from '../../ethereum/rpc-types.ts';

/** Returns bytes of a node in lower case, so that equal objects have equal ids. Throws UPSTREAM_BAD_RESPONSE for anything else. */
function canonicalData(value: unknown, length: number): Data {
  const data = toData(value, length);
  if (data === undefined) throw invalidShape(length === 32 ? 'a hash' : 'an address');
  return data;
}

/** The id of a block or of a transaction: its hash. */
export const hashId = (hash: unknown): string => canonicalData(hash, 32);

/** The id of a log: the hash of its block and its index; while pending, the hash of its transaction and its index. */
export function logId({ blockHash, transactionHash, logIndex }: RpcLog): string {
  const index = toQuantity(logIndex, 64);
  if (index === undefined) throw invalidShape('the index of a log');
  return blockHash ? `${hashId(blockHash)}-${index}` : `pending-${hashId(transactionHash)}-${index}`;
}

/** The id of an account with its state at a block, which is a hash, a height, or `pending-` and the hash of the head. */
export const accountId = (address: Data, block: BlockRef): string =>
  `${canonicalData(address, 20)}-${isBlockHash(block) ? hashId(block) : block}`;
