import type { GraphQLResolveInfo } from 'graphql';
import { GraphError } from '../../../errors.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { QueryBlockArgs } from '../../../generated/chain.ts';
import { selectionOf } from '../../../graphql/selection.ts';
import type { ChainContext } from '../context.ts';
import type { ChainLoaders } from '../loaders/index.ts';
import { type AccountAtBlock, type BlockLocation, type ChainBlock, containingBlock } from '../model.ts';
import { BLOCK_REF_FIELDS, blockPlan, countsPlan, headerPlan, selectsOnlyHeadRef, statePlan } from '../plan.ts';

/** An account with what is selected of its state. Its address alone costs nothing. */
export function resolveAccount(
  account: AccountAtBlock,
  { chain }: ChainContext,
  info: GraphQLResolveInfo,
): AccountAtBlock | Promise<AccountAtBlock> {
  const fields = statePlan(info);
  return fields.length === 0 ? account : chain.withState(account, fields);
}

/** An account that something names, at the height asked for; null where nothing is named. */
export const resolveAccountAt = (
  address: Data | null | undefined,
  block: Quantity | null | undefined,
  context: ChainContext,
  info: GraphQLResolveInfo,
): AccountAtBlock | Promise<AccountAtBlock> | null =>
  address ? resolveAccount({ address, at: block ?? 'latest' }, context, info) : null;

/** The block that something lies in. Its number and hash are known already; anything more is asked by hash. */
export function resolveContainingBlock(
  inBlock: BlockLocation,
  { chain }: ChainContext,
  info: GraphQLResolveInfo,
): ChainBlock | null | Promise<ChainBlock | null> {
  const known = containingBlock(inBlock);
  if (!known || selectionOf(info).hasOnly(BLOCK_REF_FIELDS)) return known;
  return chain.fromHeader(known.hash, headerPlan(info).needs) ?? chain.block(known.hash, blockPlan(info));
}

/** A block by number, hash or tag, at the price of what is selected of it; null when there is none. */
export function findBlock({ number, hash, tag }: QueryBlockArgs, chain: ChainLoaders, info: GraphQLResolveInfo) {
  const given = [number, hash, tag].filter((name) => name !== null && name !== undefined);
  if (given.length > 1) throw new GraphError('BAD_USER_INPUT', 'Name a block by one of number, hash and tag.');
  const ref = number ?? hash ?? (tag ?? 'latest').toLowerCase();
  if (ref === 'latest' && selectsOnlyHeadRef(info)) return chain.headRef();
  const known = chain.fromHeader(ref, headerPlan(info).needs);
  if (known) return known;
  if (ref === 'latest') return chain.latest(blockPlan(info));
  if (ref === 'safe' || ref === 'finalized') return chain.finalityBlock(ref, blockPlan(info));
  const counts = (number || hash) && countsPlan(info, number ? 'number' : 'hash');
  return counts ? chain.counts(ref, counts) : chain.block(ref, blockPlan(info));
}
