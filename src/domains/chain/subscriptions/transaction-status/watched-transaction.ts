import type { GraphError } from '../../../../errors.ts';
import type { Data } from '../../../../ethereum/hex.ts';
import type { Head } from '../../../../sync/head/follower.ts';
import { adrift, conclude, type Evidence, type Fate, UNSEEN } from './status.ts';

/** How a transaction stands under a head. */
export interface Standing {
  readonly fate: Fate;
  readonly head: Head;
}

export interface StandingListener {
  /** Under each new head, and whenever something is found out. */
  next(standing: Standing): void;
  end(error: GraphError): void;
}

/** A transaction that is watched: what is known of it, what was told of it, and who is to be told. */
export class WatchedTransaction {
  readonly hash: Data;
  readonly listeners = new Set<StandingListener>();
  fate: Fate = UNSEEN;
  /** The head under which it was there last. */
  seenAt: Data | undefined;
  /** What was told last. */
  standing: Standing | undefined;
  /** Looks in a row that could not tell, under one head. */
  misses = 0;
  /** When it is looked for again under the same head. */
  again: NodeJS.Timeout | undefined;
  /** Who asks how it stands before that is known. */
  readonly #waiting: { resolve(standing: Standing): void; reject(error: GraphError): void }[] = [];

  constructor(hash: Data) {
    this.hash = hash;
  }

  /** Whether it lies in a block of the chain, when these have just left it; if it lay in one of them, it is adrift from now on. */
  isPlaced(left: ReadonlySet<Data>): boolean {
    const { status, transaction } = this.fate;
    if (status === 'MINED' && !left.has(transaction!.blockHash!.toLowerCase())) return true;
    this.drift();
    return false;
  }

  /** Where it lay is in doubt, which is told only once it has been looked for. */
  drift(): void {
    this.misses = 0;
    this.fate = adrift(this.fate);
  }

  /** How it stands, as soon as that is known. Rejects with what keeps it from being found out. */
  settled(): Promise<Standing> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  /** Takes in what was found out under a head. */
  conclude(evidence: Evidence, { hash }: Head): void {
    this.misses = 0;
    if (evidence.kind === 'mined' || evidence.kind === 'pending') this.seenAt = hash;
    this.fate = conclude(this.fate, evidence);
  }

  tell(head: Head): void {
    const standing = { fate: this.fate, head };
    this.standing = standing;
    for (const { resolve } of this.#waiting.splice(0)) resolve(standing);
    for (const listener of [...this.listeners]) listener.next(standing);
  }

  /** Nothing could be found out under this head; that a block was taken away is told all the same. */
  fail(error: GraphError, head: Head | undefined): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    if (head && this.standing && this.standing.fate !== this.fate) this.tell(head);
  }

  end(error: GraphError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    for (const listener of [...this.listeners]) listener.end(error);
    this.listeners.clear();
  }
}
