import { GraphError } from '../../errors.ts';
import { isBlockHash, quantityOf, toQuantity } from '../../ethereum/hex.ts';

/** The blocks that the headers of a request name; see `RequestOptions`. */
interface RequestedBlock {
  readonly block?: string | undefined;
  readonly minBlock?: bigint | undefined;
}

/** Parses a minimum height, which `name` sends. Throws BAD_USER_INPUT unless it is an integer of 64 bits in a form of the scalar `Long`. */
export function parseMinBlock(value: unknown, name: string): bigint {
  const quantity = toQuantity(value, 64);
  if (quantity !== undefined) return BigInt(quantity);
  throw new GraphError(
    'BAD_USER_INPUT',
    `Invalid ${name}. Send a block number below 2^64 in decimal or 0x-hex, for example 42, "42" or "0x2a"; above 2^53 as a string.`,
  );
}

/**
 * Returns the minimum height that a request requires: the higher one of the header's and that of `extensions.minBlock`; undefined without both.
 * Throws BAD_USER_INPUT if it is invalid or above the height that the request pins.
 */
export function requiredMinBlock({ minBlock: fromHeader, block }: RequestedBlock, extensions: unknown): bigint | undefined {
  const { minBlock: value } = (extensions ?? {}) as { readonly minBlock?: unknown };
  const fromExtensions = value === undefined || value === null ? undefined : parseMinBlock(value, '`extensions.minBlock`');
  const minBlock = higher(fromHeader, fromExtensions);
  if (minBlock !== undefined && block !== undefined && !isBlockHash(block) && BigInt(block) < minBlock)
    throw belowMinBlockError(minBlock, block);
  return minBlock;
}

const higher = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The error of a request that pins a block below its own minimum. */
export const belowMinBlockError = (minBlock: bigint, height: string): GraphError =>
  new GraphError(
    'BAD_USER_INPUT',
    'The block of x-graph-block is below x-graph-min-block. Name a block of at least this height, or send one of the two.',
    { minBlock: quantityOf(minBlock), height },
  );
