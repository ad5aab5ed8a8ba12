import { hex } from '../simulator/chain.ts';
import type { SimTransactions } from '../simulator/transactions.ts';
import type { SimBlock } from '../simulator/view.ts';

/** A part of a selection, and what it must give: `undefined` where any value will do. */
export interface EventSelection<Of> {
  readonly text: string;
  readonly of: (about: Of, transactions: SimTransactions) => unknown;
  /** Whether the part may be null because the node no longer has it. */
  readonly isNullable?: boolean;
  /** Whether it reads state at the head, which can fail at any time. */
  readonly readsState?: boolean;
}

/** A log's block and transaction. */
export interface LogLocation {
  readonly block: SimBlock;
  readonly hash: string;
  readonly removed: boolean;
}

const HEADER = (block: SimBlock) => ({ hash: block.hash, timestamp: block.header.timestamp, stateRoot: block.header.stateRoot });
const TRANSACTION = 'hash nonce from { address } index blockHash gasPrice';
const transactionIn = (hash: string, block: SimBlock, transactions: SimTransactions) => {
  const { nonce, from, transactionIndex, blockHash, gasPrice } = transactions.transactionIn(hash, block);
  return { hash, nonce, from: { address: from }, index: transactionIndex, blockHash, gasPrice };
};
const receiptIn = (hash: string, block: SimBlock, transactions: SimTransactions) => ({
  blockHash: block.hash,
  status: transactions.statusOf(hash),
  logs: block.logs.filter(({ transactionHash }) => transactionHash === hash).map(({ data }) => ({ data })),
});

/** Parts of a block; each part has a key of its own, so that any of them may stand beside each other. */
const BLOCK_SELECTIONS: readonly EventSelection<SimBlock>[] = [
  { text: 'header: block { hash timestamp stateRoot }', of: HEADER },
  {
    text: `block { size transactions { ${TRANSACTION} } }`,
    of: (block, transactions) => ({
      size: '0x220',
      transactions: block.transactions.map((hash) => transactionIn(hash, block, transactions)),
    }),
    isNullable: true,
  },
  {
    text: 'receipts: block { hash receipts { blockHash status logs { data } } }',
    of: (block, transactions) => ({
      hash: block.hash,
      receipts: block.transactions.map((hash) => receiptIn(hash, block, transactions)),
    }),
    isNullable: true,
  },
  {
    text: 'parent: block { parent { hash timestamp } }',
    of: ({ parent }) => ({ parent: { hash: parent!.hash, timestamp: parent!.header.timestamp } }),
    isNullable: true,
  },
];

/** Parts of a log. */
export const LOG_SELECTIONS: readonly EventSelection<LogLocation>[] = [
  ...BLOCK_SELECTIONS.map((part) => ({
    ...part,
    of: ({ block }: LogLocation, transactions: SimTransactions) => part.of(block, transactions),
  })),
  { text: `transaction { ${TRANSACTION} }`, of: ({ hash, block }, transactions) => transactionIn(hash, block, transactions) },
  {
    text: 'outcome: transaction { hash status }',
    of: ({ hash }, transactions) => ({ hash, status: transactions.statusOf(hash) }),
    isNullable: true,
  },
  {
    text: 'receipt: transaction { receipt { blockHash status logs { data } } }',
    of: ({ hash, block }, transactions) => ({ receipt: receiptIn(hash, block, transactions) }),
    isNullable: true,
  },
  {
    text: 'depth: transaction { blockNumber confirmations }',
    of: ({ block, removed }) => (removed ? { blockNumber: hex(block.height), confirmations: null } : undefined),
  },
  { text: 'rich: account { balance }', of: () => undefined, readsState: true },
];

/** Parts of an announced header. */
export const HEADER_SELECTIONS: readonly EventSelection<SimBlock>[] = [
  ...BLOCK_SELECTIONS,
  { text: 'miner { balance }', of: () => undefined, readsState: true, isNullable: true },
];

const keyOf = ({ text }: Pick<EventSelection<never>, 'text'>): string => /^\w+/.exec(text)![0];

/** Whether an event has all of a part; an optional one is null, or has nulls, where the node no longer has it. */
export const isSelectionComplete = (event: Record<string, unknown>, part: EventSelection<never>): boolean => {
  const found = event[keyOf(part)];
  return found !== null && Object.values(found as object).every((value) => value !== null);
};

/** Where a value is not what its part must give. `isNullAllowed`: whether the optional part may be null. */
export function selectionMismatches<Of>(
  event: Record<string, unknown>,
  parts: readonly EventSelection<Of>[],
  about: Of,
  transactions: SimTransactions,
  isNullAllowed: (part: EventSelection<Of>) => boolean,
): string[] {
  return parts.flatMap((part) => {
    const found = event[keyOf(part)];
    const right = part.of(about, transactions);
    if (right === undefined || JSON.stringify(found) === JSON.stringify(right)) return [];
    if (!isSelectionComplete(event, part) && part.isNullable && isNullAllowed(part)) return [];
    return [`${part.text}: ${JSON.stringify(found)}, not ${JSON.stringify(right)}`];
  });
}

/** One or more of the parts. */
export function randomSelections<Of>(parts: readonly EventSelection<Of>[], draw: () => number): readonly EventSelection<Of>[] {
  const chosen = parts.filter(() => draw() < 0.4);
  return chosen.length > 0 ? chosen : [parts[Math.floor(draw() * parts.length)]!];
}
