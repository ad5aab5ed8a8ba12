import { memoizePerObject } from '../lib/memoize.ts';
import { isNullish, sameNumber } from './block-results.ts';
import { bloomShowsLogs, LogsBloom } from './bloom.ts';
import { listOrNull } from './decoders.ts';
import { encodeHeader, encodeWithdrawal } from './encoding/block.ts';
import { keccakOfDigits } from './encoding/keccak.ts';
import { EMPTY_TRIE_ROOT, finishSteps, listRoot } from './encoding/list-root.ts';
import { isKnownType } from './encoding/transaction.ts';
import { sameData } from './hex.ts';
import type { RpcLogFilter } from './log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from './rpc-types.ts';

// These checks compare a result with commitments in the header of its block, without a request. Each check returns
// undefined if the result contradicts nothing. HEADER_CHECKS decides on the consequence.

/** The fields that are compared with the commitments of a header; labels of the metrics. */
export const CHECKED_FIELDS = [
  'hash',
  'stateRoot',
  'transactionsRoot',
  'sha3Uncles',
  'withdrawalsRoot',
  'receiptsRoot',
  'logsBloom',
  'logIndex',
  'transactionHash',
] as const;

/** A part of a result that contradicts the header of its block. */
export interface Contradiction {
  readonly check: (typeof CHECKED_FIELDS)[number];
  /** What is contradicted, as a part of a sentence. */
  readonly text: string;
}

/** The transactions root of the first block of Hardhat, which has no transactions: the hash of nothing. */
export const HASH_OF_NOTHING = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

/** The hash of an empty list of ommers: of blocks on chains without ommers. */
export const EMPTY_LIST_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

/** Properties of a block that its logs are compared with. */
export type BlockOfLogs = Pick<RpcBlock, 'number'> & Partial<Pick<RpcBlock, 'logsBloom' | 'transactions'>>;

/** The bloom of a list of logs. Computed once: a cached list is read many times. */
export const bloomOfLogs = memoizePerObject((logs: readonly RpcLog[]) => {
  const bloom = new LogsBloom();
  bloom.addLogs(logs);
  return bloom;
});

/** Compares the logs of one block with its list of transactions and with its bloom, which has exactly their bits if the filter matches every log. */
export function logsContradiction(
  logs: readonly RpcLog[],
  { address, topics }: RpcLogFilter,
  _expectsLogs?: boolean,
  block?: BlockOfLogs,
): Contradiction | undefined {
  if (!block) return undefined;
  const { number, logsBloom, transactions } = block;
  if (Array.isArray(transactions)) {
    const isListed = ({ transactionIndex, transactionHash }: RpcLog): boolean => {
      const listed = transactions[Number(transactionIndex)] as string | RpcTransaction | undefined;
      return sameData(typeof listed === 'string' ? listed : listed?.hash, transactionHash);
    };
    if (!logs.every(isListed))
      return {
        check: 'transactionHash',
        text: `a log of block ${Number(number)} has another transaction than the block at its index`,
      };
  }
  if (address !== undefined || topics !== undefined)
    return bloomOfLogs(logs).isWithin(logsBloom) ? undefined : bloomContradiction(number);
  const indexes = indexContradiction(logs, number);
  if (indexes) return indexes;
  // The first condition prevents needless work: the bloom of a block with very many logs has every bit set.
  return bloomShowsLogs(logsBloom) && !bloomOfLogs(logs).agreesWith(logsBloom) ? bloomContradiction(number) : undefined;
}

/** The indexes of all logs of a block count from 0: in the block, or on some nodes in each transaction. */
export function indexContradiction(logs: readonly RpcLog[], number: unknown): Contradiction | undefined {
  let [countsInBlock, countsInTransaction] = [true, true];
  let position = 0;
  for (const [i, { logIndex, transactionIndex }] of logs.entries()) {
    position = i > 0 && sameNumber(logs[i - 1]!.transactionIndex, transactionIndex) ? position + 1 : 0;
    countsInBlock &&= Number(logIndex) === i;
    countsInTransaction &&= Number(logIndex) === position;
  }
  return countsInBlock || countsInTransaction
    ? undefined
    : { check: 'logIndex', text: `the indexes of the logs of block ${Number(number)} do not count from 0` };
}

export const logsIn = (receipts: readonly RpcReceipt[]): readonly RpcLog[] => receipts.flatMap(({ logs }) => logs);

/** The contradiction of a list of a block, such as its logs, whose commitment is the field `check` of the header. */
export const listContradiction = (items: string, number: unknown, check: Contradiction['check']): Contradiction => ({
  check,
  text: `the ${items} of block ${Number(number)} do not have its ${check}`,
});

const bloomContradiction = (number: unknown): Contradiction => listContradiction('logs', number, 'logsBloom');

/** Compares the logs of a receipt with its own bloom. */
export function receiptContradiction(receipt: RpcReceipt | null): Contradiction | undefined {
  if (!receipt) return undefined;
  const { logs, logsBloom, blockNumber, transactionIndex } = receipt;
  ownBloom.clear();
  ownBloom.addLogs(logs);
  if (ownBloom.agreesWith(logsBloom)) return undefined;
  const text = `the logs of transaction ${Number(transactionIndex)} of block ${Number(blockNumber)} do not have the logsBloom of its receipt`;
  return { check: 'logsBloom', text };
}

/** Reused, because a block has hundreds of receipts. */
const ownBloom = new LogsBloom();

/** The bloom of all logs of a list of receipts, and the contradiction of a receipt, if there is one. */
const bloomsOfReceipts = memoizePerObject((receipts: readonly RpcReceipt[]) => {
  const all = new LogsBloom();
  let ownContradiction: Contradiction | undefined;
  for (const receipt of receipts) {
    ownContradiction ??= receiptContradiction(receipt);
    all.addBloom(ownBloom);
  }
  return { all, ownContradiction: ownContradiction ?? indexContradiction(logsIn(receipts), receipts[0]?.blockNumber) };
});

/** Compares the logs of each receipt of a block with the receipt's bloom, and all logs together with the bloom of the block, if it is known. */
export function receiptsContradiction(receipts: readonly RpcReceipt[] | null, block?: BlockOfLogs): Contradiction | undefined {
  if (!receipts) return undefined;
  const { all, ownContradiction } = bloomsOfReceipts(receipts);
  if (ownContradiction) return ownContradiction;
  return block && !all.agreesWith(block.logsBloom) ? bloomContradiction(block.number) : undefined;
}

/**
 * Compares a block with the commitments of its header: recomputes the hash of the header and the root of the withdrawals. Of transactions
 * and ommers, compares only whether there are some.
 */
export function blockContradiction(block: RpcBlock | null, ref: BlockRef): Contradiction | undefined {
  if (!block || ref === 'pending') return undefined;
  return headerContradiction(block) ?? transactionsContradiction(block) ?? bodyContradiction(block);
}

/** Recomputes the hash of a block, or of an ommer, from its header. A header whose fields differ from the fields of Ethereum has another hash. */
export function headerContradiction(block: RpcBlock | null): Contradiction | undefined {
  if (!block) return undefined;
  const header = encodeHeader(block);
  return header !== undefined && sameData(keccakOfDigits(header), block.hash)
    ? undefined
    : { check: 'hash', text: `the header of block ${Number(block.number)} does not have its hash` };
}

function transactionsContradiction({ number, transactions, transactionsRoot }: RpcBlock): Contradiction | undefined {
  const list = listOrNull(transactions);
  if (!list) return undefined;
  const isEmptyRoot = sameData(transactionsRoot, EMPTY_TRIE_ROOT) || sameData(transactionsRoot, HASH_OF_NOTHING);
  if ((list.length === 0) === isEmptyRoot) return undefined;
  const text = `block ${Number(number)} has ${list.length} transactions, but the transactionsRoot of ${isEmptyRoot ? 'none' : 'some'}`;
  return { check: 'transactionsRoot', text };
}

function bodyContradiction(block: RpcBlock): Contradiction | undefined {
  const { number, uncles, sha3Uncles, withdrawals, withdrawalsRoot, transactions } = block;
  const ommers = listOrNull(uncles);
  if (ommers && (ommers.length === 0) !== sameData(sha3Uncles, EMPTY_LIST_HASH))
    return {
      check: 'sha3Uncles',
      text: `block ${Number(number)} has ${ommers.length} ommers, but the sha3Uncles of another list`,
    };
  const list = listOrNull(withdrawals);
  if (!list || isNullish(withdrawalsRoot)) return undefined;
  // The OP Stack stores another root in this field. Its blocks have no withdrawals, and begin with a transaction of a type that is not known here.
  const [first] = listOrNull<string | RpcTransaction>(transactions) ?? [];
  if (list.length === 0 && first !== undefined && (typeof first === 'string' || !isKnownType(first.type))) return undefined;
  const root = finishSteps(listRoot(list.map((withdrawal) => encodeWithdrawal(withdrawal) ?? '')));
  return sameData(root, withdrawalsRoot) ? undefined : listContradiction('withdrawals', number, 'withdrawalsRoot');
}
