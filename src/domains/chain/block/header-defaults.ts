import { EMPTY_LIST_HASH } from '../../../ethereum/header-checks.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';

export const NO_HASH = `0x${'0'.repeat(64)}`;
const NO_NONCE = `0x${'0'.repeat(16)}`;

/**
 * Resolvers of header fields of mined and simulated blocks that a node may omit. Zero if the node has no value, as geth
 * returns for headers without a seal.
 */
export const headerDefaults = {
  ommerHash: ({ sha3Uncles }: Partial<RpcBlock>) => sha3Uncles ?? EMPTY_LIST_HASH,
  ommerHashes: ({ uncles }: Partial<RpcBlock>) => uncles ?? null,
  nonce: ({ nonce }: Partial<RpcBlock>) => nonce ?? NO_NONCE,
  mixHash: ({ mixHash }: Partial<RpcBlock>) => mixHash ?? NO_HASH,
  difficulty: ({ difficulty }: Partial<RpcBlock>) => difficulty ?? '0x0',
  extraData: ({ extraData }: Partial<RpcBlock>) => extraData ?? '0x',
};
