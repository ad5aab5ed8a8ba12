import type { GraphQLResolveInfo } from 'graphql';
import { type Data, type Quantity, toQuantity } from '../../ethereum/hex.ts';
import type { BlockRef } from '../../ethereum/rpc-types.ts';
import type { QueryBlockArgs } from '../../generated/chain.ts';
import { memoizePerSelection, selectionOf } from '../../graphql/selection.ts';
import { GraphError } from '../../lib/errors.ts';
import { BLOCK_REF_FIELDS, blockPlan, countsPlan, HEAD_REF_FIELDS, HEIGHT, headerPlan, TIMED_REF_FIELDS } from './block/plan.ts';
import type { ChainContext, ChainLoaders } from './load.ts';
import { type AccountAtBlock, type BlockLocation, containingBlock, partialBlock, type StateField } from './model.ts';

const STATE_FIELDS: readonly StateField[] = ['balance', 'transactionCount', 'code'];
/** Fields of an account that follow from a state field. */
const FROM_STATE: Readonly<Record<string, StateField>> = { balanceIn: 'balance', isContract: 'code' };
const STATE_OR_ADDRESS: ReadonlySet<string> = new Set([...STATE_FIELDS, ...Object.keys(FROM_STATE), 'id', 'address', '_at']);

/**
 * The state fields to read before an account is returned. Empty when fields that need other calls are selected too, since these fields would wait
 * for the state.
 */
const statePlan = memoizePerSelection((info): readonly StateField[] => {
  const selection = selectionOf(info);
  if (!selection.hasOnly(STATE_OR_ADDRESS)) return [];
  const derived = Object.keys(FROM_STATE).filter((field) => selection.has(field));
  return STATE_FIELDS.filter((field) => selection.has(field) || derived.some((name) => FROM_STATE[name] === field));
});

/** Resolves an account and reads its selected state. Sends no request when only the address is selected. */
export function resolveAccount(account: AccountAtBlock, { chain }: ChainContext, info: GraphQLResolveInfo) {
  const fields = statePlan(info);
  return fields.length === 0 ? account : chain.accounts.withState(account, fields);
}

/** Resolves an account at a height, by default the head; null without an address. */
export const resolveAccountAt = (
  address: Data | null | undefined,
  block: Quantity | null | undefined,
  context: ChainContext,
  info: GraphQLResolveInfo,
) => (address ? resolveAccount({ address, at: block ?? 'latest' }, context, info) : null);

/** Loads a block by hash or height with the selected fields; from its header if the header is known and sufficient. */
export const loadBlock = (ref: BlockRef, chain: ChainLoaders, info: GraphQLResolveInfo) =>
  chain.blocks.fromHeader(ref, headerPlan(info).needs) ?? chain.blocks.load(ref, blockPlan(info));

/** The time of the block of an object, if the node returned it with the object; a response that is verified needs the header. */
const reportedTimestamp = ({ blockTimestamp }: BlockLocation, { snapshot }: ChainLoaders): Quantity | undefined => {
  // Receipts of anvil contain it as a JSON number.
  const time = toQuantity(blockTimestamp, 64);
  return time !== '0x0' && !snapshot.operation.trust ? time : undefined;
};

/**
 * Resolves the block that contains an object: its number and hash without a request, its time if the node returned it with the object, other fields by
 * hash. Null while pending.
 */
export function resolveContainingBlock(location: BlockLocation, { chain }: ChainContext, info: GraphQLResolveInfo) {
  const block = containingBlock(location);
  if (!block || selectionOf(info).hasOnly(BLOCK_REF_FIELDS)) return block;
  const timestamp = selectionOf(info).hasOnly(TIMED_REF_FIELDS) ? reportedTimestamp(location, chain) : undefined;
  if (!timestamp) return loadBlock(block.hash, chain, info);
  return chain.blocks.fromHeader(block.hash, headerPlan(info).needs) ?? { ...block, timestamp };
}

/** Resolves the time of the block of an object; null while pending. */
export function resolveBlockTimestamp(location: BlockLocation, _args: unknown, { chain }: ChainContext) {
  if (!location.blockHash) return null;
  const known = chain.blocks.fromHeader(location.blockHash, ['timestamp'])?.timestamp ?? reportedTimestamp(location, chain);
  return known ?? chain.blocks.loader.load(location.blockHash, false).then((block) => block?.timestamp ?? null);
}

/** Resolves the block of a height that exists; without a request if only the height is selected. */
export const resolveBlockAt = (number: Quantity, { chain }: ChainContext, info: GraphQLResolveInfo) =>
  selectionOf(info).hasOnly(HEIGHT) ? partialBlock({ number }) : findBlock({ number }, chain, info);

/** Finds a block by number, hash, tag, time or distance from the head, with the cheapest calls that return the selected fields; null when there is none. */
export function findBlock(args: QueryBlockArgs, chain: ChainLoaders, info: GraphQLResolveInfo) {
  const { number, hash, tag, timestamp, offset } = args;
  const given = [number, hash, tag, timestamp, offset].filter((argument) => argument !== null && argument !== undefined);
  if (given.length > 1) {
    const message = 'More than one of number, hash, tag, timestamp and offset is given. Pass at most one of them.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  if (timestamp) return loadBlockAt(chain.ranges.heightAtTime(timestamp), chain, info);
  if (offset) return loadBlockAt(chain.ranges.heightAtOffset(offset), chain, info);
  const ref = number ?? hash ?? (tag ?? 'latest').toLowerCase();
  if (ref === 'latest' && selectionOf(info).hasOnly(HEAD_REF_FIELDS)) return chain.blocks.headRef();
  const fromHeader = chain.blocks.fromHeader(ref, headerPlan(info).needs);
  if (fromHeader) return fromHeader;
  if (ref === 'latest') return chain.blocks.latest(blockPlan(info));
  if (ref === 'safe' || ref === 'finalized') return chain.blocks.byFinality(ref, blockPlan(info));
  const counts = (number || hash) && countsPlan(info, number ? 'number' : 'hash');
  return counts ? chain.blocks.loader.counts(ref, counts) : chain.blocks.load(ref, blockPlan(info));
}

/** Loads the block of a height that is computed first; null without a height. */
async function loadBlockAt(height: Promise<Quantity | null>, chain: ChainLoaders, info: GraphQLResolveInfo) {
  const found = await height;
  return found === null ? null : loadBlock(found, chain, info);
}
