import { readGraph } from './graph.ts';

/** Number of blocks among which one with transactions is searched. */
const SEARCHED_BLOCKS = 32;
/** Time for which a block counts as recent, in milliseconds. */
const MAX_AGE_MS = 10_000;
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const BLOCKS = `query PlaygroundBlocks { blocks(last: ${SEARCHED_BLOCKS}) { number transactionCount } }`;

const CONTENTS = `query PlaygroundBlock($number: Long!) {
  block(number: $number) {
    transactions { hash status from { address } }
    logs(filter: { topics: [["${TRANSFER_TOPIC}"]] }) { topics account { address } }
  }
}`;

interface BlockTransaction {
  readonly hash: string;
  /** Null before Byzantium. */
  readonly status: string | null;
  readonly from: { readonly address: string };
}

/** A block of the last 32 that has transactions, and its contents. */
export interface RecentBlock {
  readonly number: number;
  readonly transactions: readonly BlockTransaction[];
  /** Contracts of its ERC-20 transfers, without duplicates. */
  readonly tokens: readonly string[];
}

interface Blocks {
  readonly blocks: readonly { readonly number: string; readonly transactionCount: string | null }[];
}

/** A log with the topic of a transfer. */
export interface TransferLog {
  readonly topics: readonly string[];
  readonly account: { readonly address: string };
}

interface Contents {
  readonly block: {
    readonly transactions: readonly BlockTransaction[];
    readonly logs: readonly TransferLog[];
  } | null;
}

/** The contracts of ERC-20 transfers, without duplicates. A transfer of an ERC-721 token has a fourth topic. */
export const tokensOf = (logs: readonly TransferLog[]): readonly string[] => [
  ...new Set(logs.filter(({ topics }) => topics.length === 3).map(({ account }) => account.address)),
];

async function readRecentBlock(): Promise<RecentBlock | undefined> {
  const blocks = (await readGraph<Blocks>(BLOCKS))?.blocks ?? [];
  const found = blocks.findLast(({ transactionCount }) => Number(transactionCount) > 0) ?? blocks.at(-1);
  if (!found) return undefined;
  const number = Number(found.number);
  const block = (await readGraph<Contents>(CONTENTS, { number }))?.block;
  return { number, transactions: block?.transactions ?? [], tokens: tokensOf(block?.logs ?? []) };
}

let cached: { readonly block: Promise<RecentBlock | undefined>; readonly readAt: number } | undefined;

/** The most recent block with transactions, at most ten seconds after it was read. Undefined when the chain cannot be read. */
export function recentBlock(): Promise<RecentBlock | undefined> {
  if (!cached || performance.now() - cached.readAt > MAX_AGE_MS) {
    cached = { block: readRecentBlock(), readAt: performance.now() };
  }
  return cached.block;
}
