import type { ChainQuery, ChainQueryResult } from './ancestors.ts';
import { blockAtHeight, blockByHash, type CanonicalChain, headOf } from './canonical-chain.ts';
import { type ForkChoiceResult, type ForkChoiceState, headConfirmed, refused } from './fork-choice-result.ts';
import { headerForm, headerHash, isSameHeader } from './header-hash.ts';
import { type AnnouncedHead, type Head, withHash } from './rpc-header.ts';

/** The block of the window that a header is about, as far as the header itself shows it. */
export function findAnnouncedBlock(canonical: CanonicalChain, told: AnnouncedHead): Head | undefined {
  if (told.hash !== undefined) return blockByHash(canonical, told.hash);
  const ours = blockAtHeight(canonical, told.height);
  return ours && isSameHeader(ours.header, told.header) ? ours : undefined;
}

/**
 * The block that a header without a hash is about. Where the header is complete its hash is reckoned, once the node has
 * confirmed a hash reckoned from a header of this form. Else the node is asked for its block of that height: should that be
 * another one, then there was a reorg in between, and the other is the newer evidence.
 */
export function* identifyAnnouncedHead(
  { proven }: ForkChoiceState,
  told: AnnouncedHead,
): Generator<ChainQuery, { readonly head: Head | undefined; readonly proven: string | undefined }, ChainQueryResult> {
  if (told.hash !== undefined) return { head: told as Head, proven };
  const hash = headerHash(told.header);
  const form = headerForm(told.header);
  if (hash !== undefined && proven === form) return { head: withHash(told, hash), proven };
  const [head] = yield { kind: 'height', height: told.height };
  return { head, proven: head && head.hash === hash ? form : proven };
}

/** Whether a header has another hash than its fields make, on a chain where they are known to make it. */
export function hasHashMismatch({ verifiedHashForm }: ForkChoiceState, { hash, header }: Head): boolean {
  return verifiedHashForm !== undefined && headerForm(header) === verifiedHashForm && (headerHash(header) ?? hash) !== hash;
}

/** A header with the hash of a block of the window; one with another number than that block's is not believed. */
export function evaluateKnownBlock(state: ForkChoiceState, ours: Head, told: AnnouncedHead): ForkChoiceResult {
  if (told.height !== ours.height) return refused(state, told);
  return ours === headOf(state.canonical!) ? headConfirmed(state) : { outcome: 'stale', state };
}
