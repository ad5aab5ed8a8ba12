import { GraphError } from '../lib/errors.ts';
import { isNullish, isObject } from './block-results.ts';
import { toCall } from './call-frames.ts';
import { asObject, boolean, invalidShape, listOrNull, type RawObject } from './decoders.ts';
import { isKnownType } from './encoding/transaction.ts';
import { type Data, type Quantity, sameData, toBigInt } from './hex.ts';
import { readTraceObject } from './revert-error.ts';
import type { RpcBlock, RpcTransaction } from './rpc-types.ts';

/** A mined transaction to trace. Its signed fields are compared with the outermost call where they are known. */
export type MinedTransaction = Partial<RpcTransaction> & {
  readonly hash: Data;
  readonly blockHash: Data;
  readonly blockNumber: Quantity;
};

/** A block to trace, with its transactions or their hashes. */
export type TracedBlock = Pick<RpcBlock, 'hash' | 'number'> & { readonly transactions: readonly (Data | RpcTransaction)[] };

/** Throws UPSTREAM_BAD_RESPONSE if the outermost call is not that of the transaction. Types of rollups move value in other ways. */
function assertOwn(top: RawObject, { from, to, value, type }: MinedTransaction): void {
  if (from === undefined || !isKnownType(type)) return;
  const isCreation = top.type === 'CREATE';
  const isOwn = sameData(top.from, from) && (to ? sameData(top.to, to) && !isCreation : isCreation);
  if (!isOwn || toBigInt(top.value ?? '0x0') !== toBigInt(value)) throw invalidShape('the trace of the requested transaction');
}

/** Maximum depth of calls inside each other, which the protocol sets. */
const MAX_CALL_DEPTH = 1_024;

/** Throws UPSTREAM_BAD_RESPONSE for a tree that no transaction has: the cache could not measure an arbitrarily deep one. */
function assertDepth(tree: RawObject): void {
  let level: unknown[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_CALL_DEPTH) throw invalidShape('calls of at most 1,024 levels');
    level = level.flatMap((call) => listOrNull(asObject(call, 'a call').calls) ?? []);
  }
}

/** Reads the call tree of a transaction. Throws METHOD_NOT_SUPPORTED for a node that ignores the tracer. */
export function readCallTree(value: unknown, transaction: MinedTransaction): RawObject {
  const tree = readTraceObject(value);
  assertDepth(tree);
  assertOwn(tree, transaction);
  return tree;
}

/** Reads a list; null means that the node does not have the known block or transaction. */
function readList(value: unknown, expected: string): readonly RawObject[] {
  if (isNullish(value))
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node does not have that transaction.', { source: 'node' });
  if (!Array.isArray(value)) throw invalidShape(expected);
  return value.map((entry) => asObject(entry, expected));
}

/** Reads the call list of a transaction, whose entries name the transaction and its block. */
export function readCallList(value: unknown, transaction: MinedTransaction): readonly RawObject[] {
  const entries = readList(Array.isArray(value) && value.length === 0 ? null : value, 'a list of calls');
  const isOwn = ({ transactionHash, blockHash }: RawObject) =>
    sameData(transactionHash, transaction.hash) && sameData(blockHash, transaction.blockHash);
  if (!entries.every(isOwn)) throw invalidShape('the trace of the requested transaction in its block');
  assertOwn(toCall(entries[0]!), transaction);
  return entries;
}

/** The transaction of a block at an index, or what its block determines. */
const transactionIn = ({ hash, number, transactions }: TracedBlock, index: number): MinedTransaction => {
  const listed = transactions[index]!;
  return { ...(typeof listed === 'string' ? { hash: listed } : listed), blockHash: hash, blockNumber: number };
};

/** Reads a result of `debug_traceBlockByHash`: one entry for each transaction of the block, in order. */
export function readTracedBlock<T>(
  value: unknown,
  block: TracedBlock,
  read: (result: unknown, transaction: MinedTransaction) => T,
): readonly T[] {
  const entries = readList(value, 'a list of traces');
  if (entries.length !== block.transactions.length) throw invalidShape('a trace of each transaction of the block');
  return entries.map(({ txHash, result }, i) => {
    const transaction = transactionIn(block, i);
    // geth before 1.11 sends no hashes.
    if (!isNullish(txHash) && !sameData(txHash, transaction.hash)) throw invalidShape('the traces of the block in order');
    return read(result, transaction);
  });
}

export const readCallTrees = (value: unknown, block: TracedBlock) => readTracedBlock(value, block, readCallTree);

/** Reads a result of `trace_block`: the call lists of all transactions of the block, in order, and rewards, which belong to none. */
export function readCallLists(value: unknown, block: TracedBlock): readonly (readonly RawObject[])[] {
  const lists: RawObject[][] = [];
  for (const entry of readList(value, 'a list of calls')) {
    if (entry.type === 'reward') continue;
    const last = lists.at(-1);
    if (last?.[0]?.transactionHash === entry.transactionHash) last!.push(entry);
    else lists.push([entry]);
  }
  if (lists.length !== block.transactions.length) throw invalidShape('the calls of each transaction of the block');
  return lists.map((list, i) => readCallList(list, transactionIn(block, i)));
}

/** Bytes in hex, to which older nodes add no prefix. */
export const prefixedHex = (value: unknown): unknown =>
  typeof value === 'string' && !value.startsWith('0x') ? `0x${value}` : value;

/** An executed transaction with each of its steps. */
export type RpcExecutionTrace = ReturnType<typeof readExecutionTrace>;

/** Reads the trace of an execution. The scalars check the values of its steps, of which there can be a million. */
export function readExecutionTrace(value: unknown) {
  const { gas, failed, returnValue, structLogs } = asObject(value, 'the trace of an execution');
  if (!Array.isArray(structLogs) || !structLogs.every(isObject)) throw invalidShape('the steps of an execution');
  return { gas: gas as Quantity, failed: boolean(failed), returnValue: prefixedHex(returnValue ?? '0x') as Data, structLogs };
}
