import { GraphError } from '../lib/errors.ts';

/** What a request asks to verify; the values of `x-graph-verify` and of `extensions.verify`. */
export const VERIFICATIONS = ['report', 'logs', 'state'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** The verifications that a request asks for. */
export type RequestedVerification = ReadonlySet<Verification>;

/** The verifications as a part of the keys of shared responses; empty if a request asks for none. */
export const verificationKey = (requested: RequestedVerification | undefined): string =>
  requested ? [...requested].sort().join() : '';

/**
 * What a value of a response may depend on, besides the header of its block. A value is unproven if nothing that was checked proves one of
 * the parts on which it depends.
 */
export type Evidence =
  /** Which block the value belongs to, or that there is none. */
  | 'block'
  /** The hashes and the order of the transactions of a block. */
  | 'transactionList'
  /** The signed fields of transactions. */
  | 'transactions'
  /** The block of a transaction and its position there. */
  | 'position'
  /** The senders of transactions. */
  | 'senders'
  | 'receipts'
  /** That no log of a list is missing or added. */
  | 'logs'
  /** The hashes of the ommers of a block. */
  | 'ommerList'
  | 'ommers'
  | 'withdrawals'
  | 'state';

/**
 * The evidence on which a field depends besides the field above it, by `Type.field`; `Type.*` applies to all other fields of the type. A field
 * without an entry depends on values that nothing proves.
 */
export type FieldEvidence = Readonly<Record<string, readonly Evidence[]>>;

/** The checks of one operation that asks for verification, and the parts of its data that nothing proves. Loaders record both. */
export class TrustRecord {
  readonly requested: RequestedVerification;
  /** The checked fields of headers. */
  readonly checks = new Set<string>();
  /** Whether results that contradict their header are accepted (HEADER_CHECKS=report), so that nothing is proven. */
  isUnchecked = false;
  readonly #unproven = new Set<Evidence>();

  constructor(requested: RequestedVerification) {
    this.requested = requested;
  }

  /** Records that the operation has used data that nothing proves. */
  addUnproven(...evidence: readonly Evidence[]): void {
    for (const one of evidence) this.#unproven.add(one);
  }

  /** Whether checks prove all data of this kind that the operation has used. */
  isProven(evidence: Evidence): boolean {
    return !this.#unproven.has(evidence);
  }
}

/**
 * Parses a list of verifications, which `name` sends: text with commas, or a JSON list. Undefined if it is empty or absent. Throws BAD_USER_INPUT for
 * any other value.
 */
export function parseVerification(value: unknown, name: string): RequestedVerification | undefined {
  const items: unknown = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : (value ?? []);
  const requested = new Set<Verification>();
  for (const item of Array.isArray(items) ? items : [items]) {
    if (item === '') continue;
    const known = VERIFICATIONS.find((verification) => verification === item);
    if (!known) throw new GraphError('BAD_USER_INPUT', `Invalid ${name}. Send a list of ${VERIFICATIONS.join(', ')}.`);
    requested.add(known);
  }
  return requested.size > 0 ? requested : undefined;
}
