import type { AnvilRequest } from '../anvil-connection.ts';
import type { LogFilterParam } from '../rpc/params.ts';
import { headerNotFound, NodeRpcError } from '../rpc/rpc-error.ts';

/** A node's JSON object, of which the names used here are known. */
export interface RpcJsonObject {
  readonly [field: string]: unknown;
}

/** Where anvil answers differently from the seed: each of these makes of anvil's answer the seed's. */

/** A transaction: r and s are 32 bytes, where anvil leaves leading zeros out; nothing of a block before there is one. */
export function fixTransaction(wire: RpcJsonObject, pending = wire.blockHash === null): RpcJsonObject {
  const { blockTimestamp: _never, ...rest } = wire;
  const mended = { ...(pending ? rest : wire), r: padTo32Bytes(wire.r), s: padTo32Bytes(wire.s) };
  return pending ? { ...mended, blockHash: null, blockNumber: null, transactionIndex: null } : mended;
}

/** A block; the pending one has no number, hash, nonce and bloom, and its transactions are pending. */
export function fixBlock(wire: RpcJsonObject | null, pending: boolean): RpcJsonObject | null {
  if (wire === null) return null;
  const transactions = (wire.transactions as readonly (string | RpcJsonObject)[]).map((one) =>
    typeof one === 'string' ? one : fixTransaction(one, pending),
  );
  const mended = { ...wire, transactions };
  return pending ? { ...mended, number: null, hash: null, nonce: null, logsBloom: null } : mended;
}

/** A receipt, without anvil's timestamp: it is a decimal number there. */
export function fixReceipt(wire: RpcJsonObject | null): RpcJsonObject | null {
  if (wire === null) return null;
  const { blockTimestamp: _number, ...rest } = wire;
  return rest;
}

/** A proof; the key of each entry is a QUANTITY, where anvil pads it. */
export function fixProof(wire: RpcJsonObject): RpcJsonObject {
  const storageProof = (wire.storageProof as readonly RpcJsonObject[]).map((entry) => ({ ...entry, key: minimalHex(entry.key) }));
  return { ...wire, storageProof };
}

/** Null instead of an error where a lookup meets a block that is not there. Anvil does so for some methods only. */
export const nullIfMissingBlock = <Result>(answer: Promise<Result>): Promise<Result | null> =>
  answer.catch((error: unknown) => {
    if (isMissingBlock(error)) return null;
    throw error;
  });

/** State of a block that is not there: geth's error instead of anvil's. */
export const fixStateError = <Result>(answer: Promise<Result>): Promise<Result> =>
  answer.catch((error: unknown) => {
    throw isMissingBlock(error) ? headerNotFound() : error;
  });

/** Blocks beyond the head have no logs; anvil calls that an error, but only when the range begins there. */
export const logsOrEmpty = async (request: AnvilRequest, filter: LogFilterParam): Promise<unknown> =>
  (await nullIfMissingBlock(request('eth_getLogs', filter))) ?? [];

const isMissingBlock = (error: unknown) =>
  error instanceof NodeRpcError && /BlockOutOfRange|Resource not found|header not found/.test(error.message);

const padTo32Bytes = (hex: unknown) => `0x${String(hex).slice(2).padStart(64, '0')}`;
const minimalHex = (hex: unknown) => `0x${BigInt(String(hex)).toString(16)}`;
