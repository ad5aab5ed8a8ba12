import { GraphError } from '../errors.ts';
import { fieldsOf, isAddressOrNone, isHash, isHashOrNone, isNone, isNumberOrNone, sameNumber } from './block-results.ts';
import { wrong } from './decoders.ts';
import { type Data, isBlockHash, sameData } from './hex.ts';
import { isAmong, type WireFilter } from './log-filters.ts';
import type { BlockRef, RpcLog, RpcReceipt } from './rpc-types.ts';

/**
 * Reads the logs that pass a filter: each one of the requested blocks, with the requested address and topics, none removed, none twice, in the
 * order of the chain. `isSome`: it is certain that there are logs, so an empty list is no result. Null for a block by hash is BLOCK_NOT_AVAILABLE.
 */
export function readLogs(value: unknown, filter: WireFilter, isSome = false): readonly RpcLog[] {
  if (isNone(value) && 'blockHash' in filter) throw lacking();
  if (!Array.isArray(value)) throw wrong('a list of logs');
  if (isSome && value.length === 0) throw wrong('the logs of the requested block, which has some');
  const test = new FilterTest(filter);
  let before: RpcLog | undefined;
  for (let i = 0; i < value.length; i++) {
    const log = logIn(value[i]);
    if (!test.passes(log)) throw wrong('logs that pass the filter');
    if (before && !follows(before, log)) throw wrong('logs in their order, each once');
    before = log;
  }
  return value;
}

const lacking = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the logs of that block.', { method: 'eth_getLogs' });

/** A filter of the wire, prepared for a loop over logs. */
class FilterTest {
  readonly #hash: Data | undefined;
  readonly #from: number;
  readonly #to: number;
  readonly #isPending: boolean;
  readonly #addresses: readonly Data[];
  readonly #topics: readonly (readonly Data[])[];

  constructor(filter: WireFilter) {
    const [from, to] = 'blockHash' in filter ? ['', ''] : [filter.fromBlock, filter.toBlock];
    this.#hash = 'blockHash' in filter ? filter.blockHash : undefined;
    this.#from = from.startsWith('0x') ? Number(from) : 0;
    this.#to = to.startsWith('0x') ? Number(to) : Number.POSITIVE_INFINITY;
    this.#isPending = to === 'pending';
    this.#addresses = listOf(filter.address);
    this.#topics = (filter.topics ?? []).map(listOf);
  }

  passes({ address, topics, blockHash, blockNumber, removed }: RpcLog): boolean {
    if (removed === true || !isAmong(this.#addresses, address)) return false;
    for (let i = 0; i < this.#topics.length; i++) if (!isAmong(this.#topics[i], topics[i])) return false;
    if (this.#hash !== undefined) return sameData(blockHash, this.#hash);
    if (isNone(blockNumber) || isNone(blockHash)) return this.#isPending;
    const height = Number(blockNumber);
    return height >= this.#from && height <= this.#to;
  }
}

const listOf = (value: Data | null | undefined | readonly Data[]): readonly Data[] =>
  isNone(value) ? [] : typeof value === 'string' ? [value] : value;

/** Whether a log comes after another. Some nodes count the logs of each transaction from zero. */
function follows(before: RpcLog, log: RpcLog): boolean {
  const blocks = Number(log.blockNumber ?? Number.NaN) - Number(before.blockNumber ?? Number.NaN);
  if (blocks > 0) return true;
  if (blocks < 0 || (blocks === 0 && !sameData(before.blockHash, log.blockHash))) return false;
  const transactions = Number(log.transactionIndex ?? Number.NaN) - Number(before.transactionIndex ?? Number.NaN);
  return transactions > 0 || (!(transactions < 0) && Number(log.logIndex) > Number(before.logIndex));
}

function logIn(value: unknown): RpcLog {
  const log = fieldsOf<RpcLog>(value, 'a log');
  const { address, topics, logIndex, blockHash, blockNumber, transactionHash, transactionIndex } = log;
  const isPending = isNone(blockHash);
  if (!isHashOrNone(blockHash) || !(isHash(transactionHash) || (isPending && isNone(transactionHash)))) {
    throw wrong('a log with hashes');
  }
  if (!isNumberOrNone(blockNumber) || !isNumberOrNone(transactionIndex) || !isNumberOrNone(logIndex)) {
    throw wrong('a log with a position');
  }
  if (isNone(address) || !isAddressOrNone(address) || !Array.isArray(topics)) throw wrong('a log with an address and topics');
  if (isNone(logIndex) && !isPending) throw wrong('a log with a position');
  return log;
}

/** Reads the receipt of a transaction: null, or the one that has its hash. */
export function readReceipt(value: unknown, hash: Data): RpcReceipt | null {
  if (isNone(value)) return null;
  const receipt = receiptIn(value);
  if (!sameData(receipt.transactionHash, hash)) throw wrong('the requested receipt');
  return receipt;
}

/**
 * Reads the receipts of a block: null, or those of one block with the requested height or hash, in order. With the hashes of its transactions
 * given, one for each of them.
 */
export function readReceipts(value: unknown, ref: BlockRef, hashes?: readonly Data[]): readonly RpcReceipt[] | null {
  if (isNone(value)) return null;
  if (!Array.isArray(value) || (hashes !== undefined && hashes.length !== value.length)) throw wrong('a list of receipts');
  const hash = isBlockHash(ref) ? ref : (value[0] as Partial<RpcReceipt> | null | undefined)?.blockHash;
  const height = ref.startsWith('0x') && !isBlockHash(ref) ? ref : undefined;
  for (let i = 0; i < value.length; i++) {
    const receipt = receiptIn(value[i]);
    const { blockHash, blockNumber, transactionIndex, transactionHash } = receipt;
    if (ref !== 'pending' && !sameData(blockHash, hash)) throw wrong('the receipts of the requested block');
    if (height !== undefined && !sameNumber(blockNumber, height)) throw wrong('the receipts of the requested block');
    if (Number(transactionIndex ?? Number.NaN) !== i) throw wrong('receipts in their order');
    if (hashes && !sameData(transactionHash, hashes[i])) throw wrong('the receipts of the requested block');
  }
  return value;
}

function receiptIn(value: unknown): RpcReceipt {
  const receipt = fieldsOf<RpcReceipt>(value, 'a receipt');
  const { transactionHash, blockHash, blockNumber, transactionIndex, from, to, contractAddress, logs } = receipt;
  if (!isHash(transactionHash) || !isHashOrNone(blockHash)) throw wrong('a receipt with hashes');
  if (!isNumberOrNone(blockNumber) || !isNumberOrNone(transactionIndex)) throw wrong('a receipt with a position');
  if (!isAddressOrNone(from) || !isAddressOrNone(to) || !isAddressOrNone(contractAddress))
    throw wrong('a receipt with addresses');
  if (!Array.isArray(logs)) throw wrong('a receipt with logs');
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logs.length; i++) {
    const log = logIn(logs[i]);
    const isOwn = sameData(log.transactionHash, transactionHash) && (isNone(blockHash) || sameData(log.blockHash, blockHash));
    const index = Number(log.logIndex);
    if (!isOwn || log.removed === true || !(index > before)) throw wrong('a receipt with its own logs, each once');
    before = index;
  }
  return receipt;
}
