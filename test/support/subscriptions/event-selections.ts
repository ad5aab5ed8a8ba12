import { hex } from '../simulator/chain.ts';
import type { SimTransactions } from '../simulator/transactions.ts';
import type { SimBlock } from '../simulator/view.ts';

/** A part of a selection, and what it must give: `undefined` where any value will do. */
export interface Part<Of> {
  readonly text: string;
  readonly of: (about: Of, transactions: SimTransactions) => unknown;
  /** Whether the part may be null because the node no longer has it. */
  readonly isOptional?: boolean;
  /** Whether it reads state at the head, which can fail at any time. */
  readonly isState?: boolean;
}

/** A log's block and transaction. */
export interface LogPlace {
  readonly block: SimBlock;
  readonly hash: string;
  readonly removed: boolean;
}

const HEADER = (block: SimBlock) => ({ hash: block.hash, timestamp: block.header.timestamp, stateRoot: block.header.stateRoot });
const TRANSACTION = 'hash nonce from { address } index blockHash gasPrice';
const transactionIn = (hash: string, block: SimBlock, transactions: SimTransactions) => {
  const { nonce, from, transactionIndex, blockHash, gasPrice } = transactions.asIn(hash, block);
  return { hash, nonce, from: { address: from }, index: transactionIndex, blockHash, gasPrice };
};
const receiptIn = (hash: string, block: SimBlock, transactions: SimTransactions) => ({
  blockHash: block.hash,
  status: transactions.statusOf(hash),
  logs: block.logs.filter(({ transactionHash }) => transactionHash === hash).map(({ data }) => ({ data })),
});

/** Parts of a block; each part has a key of its own, so that any of them may stand beside each other. */
const BLOCK: readonly Part<SimBlock>[] = [
  { text: 'header: block { hash timestamp stateRoot }', of: HEADER },
  {
    text: `block { size transactions { ${TRANSACTION} } }`,
    of: (block, transactions) => ({
      size: '0x220',
      transactions: block.transactions.map((hash) => transactionIn(hash, block, transactions)),
    }),
    isOptional: true,
  },
  {
    text: 'receipts: block { hash receipts { blockHash status logs { data } } }',
    of: (block, transactions) => ({
      hash: block.hash,
      receipts: block.transactions.map((hash) => receiptIn(hash, block, transactions)),
    }),
    isOptional: true,
  },
  {
    text: 'parent: block { parent { hash timestamp } }',
    of: ({ parent }) => ({ parent: { hash: parent!.hash, timestamp: parent!.header.timestamp } }),
    isOptional: true,
  },
];

/** Parts of a log. */
export const LOG_PARTS: readonly Part<LogPlace>[] = [
  ...BLOCK.map((part) => ({ ...part, of: ({ block }: LogPlace, transactions: SimTransactions) => part.of(block, transactions) })),
  { text: `transaction { ${TRANSACTION} }`, of: ({ hash, block }, transactions) => transactionIn(hash, block, transactions) },
  {
    text: 'outcome: transaction { hash status }',
    of: ({ hash }, transactions) => ({ hash, status: transactions.statusOf(hash) }),
    isOptional: true,
  },
  {
    text: 'receipt: transaction { receipt { blockHash status logs { data } } }',
    of: ({ hash, block }, transactions) => ({ receipt: receiptIn(hash, block, transactions) }),
    isOptional: true,
  },
  {
    text: 'depth: transaction { blockNumber confirmations }',
    of: ({ block, removed }) => (removed ? { blockNumber: hex(block.height), confirmations: null } : undefined),
  },
  { text: 'rich: account { balance }', of: () => undefined, isState: true },
];

/** Parts of an announced header. */
export const HEADER_PARTS: readonly Part<SimBlock>[] = [
  ...BLOCK,
  { text: 'miner { balance }', of: () => undefined, isState: true, isOptional: true },
];

const keyOf = ({ text }: Pick<Part<never>, 'text'>): string => /^\w+/.exec(text)![0];

/** Whether an event has all of a part; an optional one is null, or has nulls, where the node no longer has it. */
export const hasPart = (event: Record<string, unknown>, part: Part<never>): boolean => {
  const found = event[keyOf(part)];
  return found !== null && Object.values(found as object).every((value) => value !== null);
};

/** Where a value is not what its part must give. `isNullAllowed`: whether the optional part may be null. */
export function mismatches<Of>(
  event: Record<string, unknown>,
  parts: readonly Part<Of>[],
  about: Of,
  transactions: SimTransactions,
  isNullAllowed: (part: Part<Of>) => boolean,
): string[] {
  return parts.flatMap((part) => {
    const found = event[keyOf(part)];
    const right = part.of(about, transactions);
    if (right === undefined || JSON.stringify(found) === JSON.stringify(right)) return [];
    if (!hasPart(event, part) && part.isOptional && isNullAllowed(part)) return [];
    return [`${part.text}: ${JSON.stringify(found)}, not ${JSON.stringify(right)}`];
  });
}

/** One or more of the parts. */
export function drawParts<Of>(parts: readonly Part<Of>[], draw: () => number): readonly Part<Of>[] {
  const chosen = parts.filter(() => draw() < 0.4);
  return chosen.length > 0 ? chosen : [parts[Math.floor(draw() * parts.length)]!];
}
