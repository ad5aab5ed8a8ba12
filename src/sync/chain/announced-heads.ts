import type { Answer, Question } from './ancestors.ts';
import { atHeight, byHash, type Canonical, headOf } from './canonical-chain.ts';
import { confirmed, type Known, refused, type Verdict } from './fork-choice-result.ts';
import { agree, formOf, headerHash } from './header-hash.ts';
import { type Head, named, type Told } from './rpc-header.ts';

/** The block of the window that a header is about, as far as the header itself shows it. */
export function knownBlock(canonical: Canonical, told: Told): Head | undefined {
  if (told.hash !== undefined) return byHash(canonical, told.hash);
  const ours = atHeight(canonical, told.height);
  return ours && agree(ours.header, told.header) ? ours : undefined;
}

/**
 * The block that a header without a hash is about. Where the header is complete its hash is reckoned, once the node has
 * confirmed a hash reckoned from a header of this form. Else the node is asked for its block of that height: should that be
 * another one, then there was a reorg in between, and the other is the newer evidence.
 */
export function* identify(
  { proven }: Known,
  told: Told,
): Generator<Question, { readonly head: Head | undefined; readonly proven: string | undefined }, Answer> {
  if (told.hash !== undefined) return { head: told as Head, proven };
  const hash = headerHash(told.header);
  const form = formOf(told.header);
  if (hash !== undefined && proven === form) return { head: named(told, hash), proven };
  const [head] = yield { ask: 'height', height: told.height };
  return { head, proven: head && head.hash === hash ? form : proven };
}

/** Whether a header has another hash than its fields make, on a chain where they are known to make it. */
export function contradictsItself({ sealed }: Known, { hash, header }: Head): boolean {
  return sealed !== undefined && formOf(header) === sealed && (headerHash(header) ?? hash) !== hash;
}

/** A header with the hash of a block of the window; one with another number than that block's is not believed. */
export function judgeKnown(known: Known, ours: Head, told: Told): Verdict {
  if (told.height !== ours.height) return refused(known, told);
  return ours === headOf(known.canonical!) ? confirmed(known) : { outcome: 'stale', known };
}
