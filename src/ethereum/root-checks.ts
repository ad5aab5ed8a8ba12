import { isHash, isNullish, sameNumber } from './block-results.ts';
import { listOrNull } from './decoders.ts';
import { encodeHeader } from './encoding/block.ts';
import { keccakOfDigits } from './encoding/keccak.ts';
import { listRoot, mapSteps } from './encoding/list-root.ts';
import { type RlpDigits, rlpList } from './encoding/rlp.ts';
import { encodeReceipt, encodeTransaction, hasKnownReceipt, isKnownType, typeNumber } from './encoding/transaction.ts';
import type { BlockOfLogs, Contradiction } from './header-checks.ts';
import { bloomOfLogs, indexContradiction, listContradiction, logsIn, receiptsContradiction } from './header-checks.ts';
import { type Data, quantityOf, sameData, toData } from './hex.ts';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc-types.ts';

// These checks compare whole lists with the roots of their tries. Each is a generator that pauses at each item, because a root of a large
// list takes several milliseconds.

type Check = Generator<void, Contradiction | undefined>;

/** Properties of a block that its receipts are compared with. */
export type BlockOfReceipts = BlockOfLogs & Partial<Pick<RpcBlock, 'receiptsRoot'>>;

/** Roots that were computed, by their lists: a cached list is compared whenever an operation reads it. */
const roots = new WeakMap<object, readonly Data[]>();

/** Whether the receipts root covers all receipts in an encoding that is known here. */
const haveKnownReceipts = (receipts: readonly RpcReceipt[]): boolean => receipts.every(({ type }) => hasKnownReceipt(type));

/**
 * Whether the root and the order of the receipts of a block determine their values: their types are known, they state their position, and no field has another
 * form than the field that the encoding takes it for, such as a status in the place of a state root.
 */
export const areWhollyEncoded = (receipts: readonly RpcReceipt[], { number }: Pick<RpcBlock, 'number'>): boolean =>
  haveKnownReceipts(receipts) &&
  receipts.every(
    ({ blockNumber, transactionIndex, status, root, logsBloom }, i) =>
      sameNumber(blockNumber, number) &&
      sameNumber(transactionIndex, quantityOf(i)) &&
      (isNullish(status) ? isHash(root) : status === '0x0' || status === '0x1') &&
      (isNullish(logsBloom) || toData(logsBloom, 256) !== undefined),
  );

/**
 * Compares the receipts of a block, with their logs, with its receipts root; with the blooms alone if a receipt has a type that is not
 * known here, because its encoding may differ.
 */
export function* receiptsRootContradiction(receipts: readonly RpcReceipt[] | null, block?: BlockOfReceipts): Check {
  if (!receipts || !block || isNullish(block.receiptsRoot) || !haveKnownReceipts(receipts))
    return receiptsContradiction(receipts, block);
  const indexes = indexContradiction(logsIn(receipts), block.number);
  if (indexes) return indexes;
  const known = roots.get(receipts) ?? (yield* rootsOfReceipts(receipts, block.receiptsRoot));
  roots.set(receipts, known);
  const isKnown = known.some((root) => sameData(root, block.receiptsRoot));
  return isKnown ? undefined : listContradiction('receipts', block.number, 'receiptsRoot');
}

/** The roots of receipts in the encoding of Ethereum and, unless it is the expected root, in the encoding of Ganache, where the status 0 is a zero byte. */
function* rootsOfReceipts(receipts: readonly RpcReceipt[], expected: unknown): Generator<void, readonly Data[]> {
  const root = yield* rootOf(receipts, (receipt) => encodeReceipt(withBloom(receipt)));
  if (sameData(root, expected) || !receipts.some(({ status }) => status === '0x0')) return [root];
  return [root, yield* rootOf(receipts, (receipt) => encodeReceipt(withBloom(receipt), true))];
}

/** The root of the trie of encoded items. Pauses at each item, because encoding takes as long as hashing. */
function* rootOf<T>(items: readonly T[], encode: (item: T) => RlpDigits | undefined): Generator<void, Data> {
  return yield* listRoot(yield* mapSteps(items, (item) => encode(item) ?? ''));
}

/** A receipt with the bloom of its logs, which the receipts root covers, if the node omits the bloom. */
const withBloom = (receipt: RpcReceipt): RpcReceipt =>
  toData(receipt.logsBloom, 256) === undefined ? { ...receipt, logsBloom: bloomOfLogs(receipt.logs).toHex() } : receipt;

/** Compares the gas of each receipt of a block with the cumulative gas, which the receipts root covers. */
export function gasContradiction(receipts: readonly RpcReceipt[]): Contradiction | undefined {
  let before = 0;
  for (const { gasUsed, cumulativeGasUsed, blockNumber, transactionIndex } of receipts) {
    if (Number(cumulativeGasUsed) - before !== Number(gasUsed))
      return {
        check: 'receiptsRoot',
        text: `gasUsed of receipt ${Number(transactionIndex)} of block ${Number(blockNumber)} contradicts cumulativeGasUsed`,
      };
    before = Number(cumulativeGasUsed);
  }
  return undefined;
}

/** Compares a transaction of a known type with its hash. */
export function transactionContradiction(transaction: RpcTransaction | null): Contradiction | undefined {
  return transaction && isKnownType(transaction.type)
    ? hashContradiction(transaction, encodeTransaction(transaction))
    : undefined;
}

const hashContradiction = ({ hash }: RpcTransaction, encoded: RlpDigits | undefined): Contradiction | undefined =>
  encoded !== undefined && sameData(keccakOfDigits(encoded), hash)
    ? undefined
    : { check: 'transactionsRoot', text: `transaction ${hash} does not have its hash` };

/** Compares the whole transactions of a block, if their types are known here, with their hashes and with its transactions root. */
export function* transactionsRootContradiction({ number, transactions, transactionsRoot }: RpcBlock): Check {
  const list = listOrNull<RpcTransaction>(transactions) ?? [];
  if (list.length === 0 || !list.every(({ type }) => isKnownType(type))) return undefined;
  let known = roots.get(list);
  if (!known) {
    const encodings: RlpDigits[] = [];
    for (const transaction of list) {
      const encoded = encodeTransaction(transaction);
      const contradiction = hashContradiction(transaction, encoded);
      if (contradiction) return contradiction;
      encodings.push(encoded!);
      yield;
    }
    known = [yield* listRoot(encodings)];
    roots.set(list, known);
  }
  return sameData(known[0], transactionsRoot) ? undefined : listContradiction('transactions', number, 'transactionsRoot');
}

/** Compares the headers of the ommers of a block, which have their hashes, with the hash of their list. */
export const ommersContradiction = ({ number, sha3Uncles }: RpcBlock, ommers: readonly RpcBlock[]): Contradiction | undefined =>
  sameData(keccakOfDigits(rlpList(ommers.map((ommer) => encodeHeader(ommer) ?? ''))), sha3Uncles)
    ? undefined
    : listContradiction('ommers', number, 'sha3Uncles');

const BLOB_TYPE = 3;

/**
 * Whether a transactions root is contradicted only because it covers blobs, as anvil computes it, which no node returns: the transactions have their hashes,
 * some have blobs, and no other endpoint may have the true transactions.
 */
export function isRootOfBlobs(contradiction: Contradiction | undefined, { transactions }: RpcBlock, endpointCount: number) {
  if (!contradiction || endpointCount > 1) return false;
  const list = listOrNull<RpcTransaction>(transactions) ?? [];
  const hasBlobs = list.some(({ type }) => typeNumber(type) === BLOB_TYPE);
  return hasBlobs && list.every((transaction) => transactionContradiction(transaction) === undefined);
}
