import type { SeededRandom } from './random.ts';
import { type DevnetToken, thousandths } from './tokens.ts';
import { approve, etherTransfer, type TransactionRequest, transfer } from './transaction-requests.ts';

const MILLIETHER = 10n ** 15n;

/** Accounts and tokens of generated transactions. */
export interface TrafficParticipants {
  /** Addresses of unlocked accounts, at least two. */
  readonly people: readonly string[];
  readonly tokens: readonly DevnetToken[];
}

/** The kinds of transactions, weighted by their number of entries. */
const TRAFFIC_KINDS = ['ether', 'ether', 'ether', 'token', 'token', 'token', 'token', 'approval'] as const;

/**
 * A transaction between two different accounts: up to 2 ether, up to 500 whole tokens, or an approval of up to 500
 * whole tokens.
 */
function randomTransaction({ people, tokens }: TrafficParticipants, random: SeededRandom): TransactionRequest {
  const from = random.pick(people);
  const to = random.pick(people.filter((person) => person !== from));
  const kind = random.pick(TRAFFIC_KINDS);
  if (kind === 'ether') return etherTransfer(from, to, BigInt(1 + random.nextInt(2_000)) * MILLIETHER);
  const token = random.pick(tokens);
  const amount = thousandths(token, 1 + random.nextInt(500_000));
  return kind === 'token' ? transfer(from, token.address, to, amount) : approve(from, token.address, to, amount);
}

/** `count` random transactions. */
export const randomTransactions = (count: number, participants: TrafficParticipants, random: SeededRandom) =>
  Array.from({ length: count }, () => randomTransaction(participants, random));
