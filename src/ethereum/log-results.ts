import { GraphError } from '../lib/errors.ts';
import { isAddressOrNullish, isHash, isHashOrNullish, isNullish, isNumberOrNullish, sameNumber } from './block-results.ts';
import { asObject, invalidShape } from './decoders.ts';
import { type Data, isBlockHash, isHeight, type Quantity, sameData } from './hex.ts';
import { MAX_TOPICS, matchesAnyOf, type RpcLogFilter } from './log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt } from './rpc-types.ts';

/**
 * Reads a result of `eth_getLogs`: logs that match the filter, in chain order, none of them removed or duplicate. `expectsLogs`: the block
 * is known to have logs, so an empty list is invalid. `block`: the block that the filter names by its hash, if its number is known. Throws
 * UPSTREAM_BAD_RESPONSE, and BLOCK_NOT_AVAILABLE for null by block hash.
 */
export function readLogs(
  value: unknown,
  filter: RpcLogFilter,
  expectsLogs = false,
  block?: Pick<RpcBlock, 'number'>,
): readonly RpcLog[] {
  if (isNullish(value) && 'blockHash' in filter) throw logsNotAvailableError();
  if (!Array.isArray(value)) throw invalidShape('a list of logs');
  if (expectsLogs && value.length === 0) throw invalidShape('at least one log of the requested block');
  const matches = logMatcher(filter, block?.number);
  let previous: RpcLog | undefined;
  for (let i = 0; i < value.length; i++) {
    const log = decodeLog(value[i]);
    if (!matches(log)) throw invalidShape('logs that match the filter');
    if (previous && !isAfter(previous, log)) throw invalidShape('logs in chain order without duplicates');
    previous = log;
  }
  return value;
}

/** The error for logs of a block that the node does not have. */
export const logsNotAvailableError = () =>
  new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have the logs of that block.', { method: 'eth_getLogs' });

/**
 * Prepares a filter of `eth_getLogs` for a loop over logs: returns whether a log matches. `known`: the number of the block that the
 * filter names by its hash; by default the block number of the first log.
 */
function logMatcher(filter: RpcLogFilter, known: Quantity | undefined): (log: RpcLog) => boolean {
  const [from, to] = 'blockHash' in filter ? ['', ''] : [filter.fromBlock, filter.toBlock];
  const hash = 'blockHash' in filter ? filter.blockHash : undefined;
  const first = from.startsWith('0x') ? Number(from) : 0;
  const last = to.startsWith('0x') ? Number(to) : Number.POSITIVE_INFINITY;
  const addresses = toArray(filter.address);
  const positions = (filter.topics ?? []).map(toArray);
  let number = known;
  return ({ address, topics, blockHash, blockNumber, removed }) => {
    if (removed === true || !matchesAnyOf(addresses, address)) return false;
    for (let i = 0; i < positions.length; i++) if (!matchesAnyOf(positions[i], topics[i])) return false;
    if (hash !== undefined) {
      number ??= blockNumber ?? undefined;
      return sameData(blockHash, hash) && sameNumber(blockNumber, number);
    }
    if (isNullish(blockNumber) || isNullish(blockHash)) return to === 'pending';
    const height = Number(blockNumber);
    return height >= first && height <= last;
  };
}

const toArray = (value: Data | null | undefined | readonly Data[]): readonly Data[] =>
  isNullish(value) ? [] : typeof value === 'string' ? [value] : value;

/** Whether `log` is after `previous` in the chain. Compares transactions first: some nodes restart the log index at each transaction. */
function isAfter(previous: RpcLog, log: RpcLog): boolean {
  if (isNullish(log.blockNumber) !== isNullish(previous.blockNumber)) return isNullish(log.blockNumber);
  const blocks = Number(log.blockNumber ?? Number.NaN) - Number(previous.blockNumber ?? Number.NaN);
  if (blocks > 0) return true;
  if (blocks < 0 || (blocks === 0 && !sameData(previous.blockHash, log.blockHash))) return false;
  const transactions = Number(log.transactionIndex ?? Number.NaN) - Number(previous.transactionIndex ?? Number.NaN);
  return transactions > 0 || (!(transactions < 0) && Number(log.logIndex) > Number(previous.logIndex));
}

function decodeLog(value: unknown): RpcLog {
  const log = asObject<RpcLog>(value, 'a log');
  const { address, topics, logIndex, blockHash, blockNumber, transactionHash, transactionIndex } = log;
  const isPending = isNullish(blockHash);
  if (!isHashOrNullish(blockHash) || !(isHash(transactionHash) || (isPending && isNullish(transactionHash)))) {
    throw invalidShape('a log with hashes');
  }
  if (!isNumberOrNullish(blockNumber) || !isNumberOrNullish(transactionIndex) || !isNumberOrNullish(logIndex)) {
    throw invalidShape('a log with a position');
  }
  if (isNullish(address) || !isAddressOrNullish(address) || !Array.isArray(topics) || topics.length > MAX_TOPICS)
    throw invalidShape('a log with an address and topics');
  if ((isNullish(logIndex) || isNullish(transactionIndex)) && !isPending) throw invalidShape('a log with a position');
  return log;
}

/** Reads the receipt of a transaction: null, or the receipt with its hash. */
export function readReceipt(value: unknown, hash: Data): RpcReceipt | null {
  if (isNullish(value)) return null;
  const receipt = decodeReceipt(value);
  if (!sameData(receipt.transactionHash, hash)) throw invalidShape('the requested receipt');
  return receipt;
}

/**
 * Reads the receipts of a block by height, tag or hash: null, or the receipts of the requested block in transaction order. `hashes` are the
 * transactions of the block; with them, the receipts must match them one by one.
 */
export function readReceipts(value: unknown, ref: BlockRef, hashes?: readonly Data[]): readonly RpcReceipt[] | null {
  if (isNullish(value)) return null;
  if (!Array.isArray(value) || (hashes !== undefined && hashes.length !== value.length)) throw invalidShape('a list of receipts');
  const hash = isBlockHash(ref) ? ref : (value[0] as Partial<RpcReceipt> | null | undefined)?.blockHash;
  const height = isHeight(ref) ? ref : undefined;
  for (let i = 0; i < value.length; i++) {
    const receipt = decodeReceipt(value[i]);
    const { blockHash, blockNumber, transactionIndex, transactionHash } = receipt;
    const isInBlock = ref === 'pending' || sameData(blockHash, hash);
    const isAtHeight = height === undefined || sameNumber(blockNumber, height);
    if (!isInBlock || !isAtHeight || (hashes && !sameData(transactionHash, hashes[i]))) {
      throw invalidShape('the receipts of the requested block');
    }
    if (Number(transactionIndex ?? Number.NaN) !== i) throw invalidShape('receipts in transaction order');
  }
  return value;
}

function decodeReceipt(value: unknown): RpcReceipt {
  const receipt = asObject<RpcReceipt>(value, 'a receipt');
  const { transactionHash, blockHash, blockNumber, transactionIndex, from, to, contractAddress, logs } = receipt;
  if (!isHash(transactionHash) || !isHashOrNullish(blockHash)) throw invalidShape('a receipt with hashes');
  if (!isNumberOrNullish(blockNumber) || !isNumberOrNullish(transactionIndex)) throw invalidShape('a receipt with a position');
  if (!isAddressOrNullish(from) || !isAddressOrNullish(to) || !isAddressOrNullish(contractAddress))
    throw invalidShape('a receipt with addresses');
  if (!Array.isArray(logs)) throw invalidShape('a receipt with logs');
  let previousIndex = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logs.length; i++) {
    const log = decodeLog(logs[i]);
    const isOwn =
      sameData(log.transactionHash, transactionHash) &&
      (isNullish(blockHash) || sameData(log.blockHash, blockHash)) &&
      (isNullish(blockNumber) || sameNumber(log.blockNumber, blockNumber)) &&
      (isNullish(transactionIndex) || sameNumber(log.transactionIndex, transactionIndex));
    const index = Number(log.logIndex);
    if (!isOwn || log.removed === true || !(index > previousIndex))
      throw invalidShape('a receipt with the logs of its transaction, in order and without duplicates');
    previousIndex = index;
  }
  return receipt;
}
