import { headerForm } from '../../ethereum/encoding/header.ts';
import type { ChainQuery, ChainQueryResult } from './ancestors.ts';
import { blockAtHeight, blockByHash, type CanonicalChain, headOf } from './canonical-chain.ts';
import { type ForkChoiceResult, type ForkChoiceState, headConfirmed, headUnconfirmed } from './fork-choice-result.ts';
import { type AnnouncedHead, type Head, headerHash, isSameHeader, withHash } from './rpc-header.ts';

/**
 * Finds the block of the window that an announced header describes: by hash, or by height and equal fields when it has no hash.
 */
export function findAnnouncedBlock(canonical: CanonicalChain, announced: AnnouncedHead): Head | undefined {
  if (announced.hash !== undefined) return blockByHash(canonical, announced.hash);
  const block = blockAtHeight(canonical, announced.height);
  return block && isSameHeader(block.header, announced.header) ? block : undefined;
}

/**
 * Finds the hash of an announced header that has none. Computes it from the header once the node has confirmed a computed hash
 * for a header of the same form; until then reads the node's block at that height. If a reorg has replaced the announced block,
 * the block that was read is the newer evidence and is returned instead. `head` is undefined when the node has no block at that
 * height.
 */
export function* identifyAnnouncedHead(
  { confirmedHashForm }: ForkChoiceState,
  announced: AnnouncedHead,
): Generator<ChainQuery, { readonly head: Head | undefined; readonly confirmedHashForm: string | undefined }, ChainQueryResult> {
  if (announced.hash !== undefined) return { head: announced as Head, confirmedHashForm };
  const hash = headerHash(announced.header);
  const form = headerForm(announced.header);
  if (hash !== undefined && confirmedHashForm === form) return { head: withHash(announced, hash), confirmedHashForm };
  const [head] = yield { kind: 'height', height: announced.height };
  return { head, confirmedHashForm: head && head.hash === hash ? form : confirmedHashForm };
}

/**
 * Returns whether the hash of a header contradicts its fields. False on a chain whose hashes are not known to be computed from
 * the header.
 */
export function hasHashMismatch({ verifiedHashForm }: ForkChoiceState, { hash, header }: Head): boolean {
  return verifiedHashForm !== undefined && headerForm(header) === verifiedHashForm && (headerHash(header) ?? hash) !== hash;
}

/**
 * Evaluates a header that has the hash of a block of the window. Rejects it as unconfirmed when its number differs from that
 * block's.
 */
export function evaluateKnownBlock(state: ForkChoiceState, block: Head, announced: AnnouncedHead): ForkChoiceResult {
  if (announced.height !== block.height) return headUnconfirmed(state, announced);
  return block === headOf(state.canonical!) ? headConfirmed(state) : { outcome: 'stale', state };
}
