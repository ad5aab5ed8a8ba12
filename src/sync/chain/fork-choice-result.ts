import type { Data } from '../../ethereum/hex.ts';
import type { Answer, Question } from './ancestors.ts';
import { type Canonical, type ChainChange, WINDOW } from './canonical-chain.ts';
import type { Told } from './rpc-header.ts';

/** All that the follower knows of the chain; each verdict makes a new one. */
export interface Known {
  readonly canonical: Canonical | undefined;
  /** Blocks that reorgs have removed, newest last: a node that still shows them lags. */
  readonly left: readonly Data[];
  /** A branch that is not higher than our head, and how often in a row it was shown. */
  readonly rival: { readonly root: Data; readonly times: number } | undefined;
  /** The form of header whose reckoned hash the node has confirmed. */
  readonly proven: string | undefined;
  /** The form of header whose hash is known to be computed from the header: a block of the node has shown it. */
  readonly sealed: string | undefined;
  /** Announced heads that the node did not prove, newest last: they are not examined a second time. */
  readonly unproven: readonly string[];
}

export const NOTHING: Known = {
  canonical: undefined,
  left: [],
  rival: undefined,
  proven: undefined,
  sealed: undefined,
  unproven: [],
};

/** Who speaks: the connection that has shown us our head, another connection, or whichever backend answers a poll. */
export type Speaker = 'witness' | 'connection' | 'poll';

/** What there is to be judged: a header that a subscription announced, or whatever the node calls its head when asked. */
export type Evidence =
  | {
      readonly kind: 'announced';
      readonly told: Told;
      readonly by: Speaker;
      /** The node's head is about to be read anyway, which decides about a head beyond the window too. */
      readonly isLookDue?: boolean;
    }
  | {
      readonly kind: 'latest';
      readonly by: Speaker;
      /** Our head has been shown by nobody for so long that the node's word goes before it. */
      readonly overdue: boolean;
    };

/**
 * What comes of it. `confirmed`: it is our head. `stale`: an announcement of what we have. `behind`: the node has not come as far
 * as we have. `lost`: the same, and so that our head is in doubt. `rival`: a lower branch that has to show itself again.
 * `unproven`: not to be had now, look again; with `refused` when the node itself did not confirm its head. `deferred`: an announcement
 * that the next look decides about. `moved`: there is a change.
 */
export type Verdict = { readonly known: Known } & (
  | { readonly outcome: 'confirmed' | 'stale' | 'behind' | 'lost' | 'rival' | 'deferred' }
  | { readonly outcome: 'unproven'; readonly refused?: Told }
  | { readonly outcome: 'moved'; readonly change: ChainChange }
);

export type Judging = Generator<Question, Verdict, Answer>;

/** Maximum number of unproven announcements that are remembered. */
const MAX_UNPROVEN = 64;
export function moved(known: Known, { canonical, change }: { canonical: Canonical; change: ChainChange }): Verdict {
  const { removed, added, gap } = change;
  const came = new Set(added.map(({ hash }) => hash));
  const left = [...known.left.filter((hash) => !came.has(hash)), ...removed.map(({ hash }) => hash).reverse()].slice(-WINDOW);
  // A reckoned hash that was wrong shows as a reorg, so reckoning has to prove itself again.
  const proven = removed.length > 0 || gap ? undefined : known.proven;
  return { outcome: 'moved', change, known: { ...known, canonical, left, rival: undefined, proven } };
}

/** Tells an announcement from all others, also where it has no hash or a wrong one. */
export const idOf = ({ hash, number, parentHash, header }: Told): string =>
  [hash, number, parentHash, header.stateRoot, header.timestamp].join(' ');

export function withUnproven(known: Known, told: Told): Known {
  const id = idOf(told);
  return known.unproven.includes(id) ? known : { ...known, unproven: [...known.unproven, id].slice(-MAX_UNPROVEN) };
}

export const unproven = (known: Known, told: Told): Verdict => ({ outcome: 'unproven', known: withUnproven(known, told) });
export const refused = (known: Known, told: Told): Verdict => ({ ...unproven(known, told), outcome: 'unproven', refused: told });
export const lost = (known: Known): Verdict => ({ outcome: 'lost', known: { ...known, rival: undefined } });
export const behind = (known: Known): Verdict => ({ outcome: 'behind', known: { ...known, rival: undefined } });
export const confirmed = (known: Known): Verdict => ({ outcome: 'confirmed', known: { ...known, rival: undefined } });
