import type { AnvilRequest } from '../anvil-connection.ts';
import type { LogFilterParam } from '../rpc/params.ts';
import { headerNotFound, NodeRpcError } from '../rpc/rpc-error.ts';

/** A JSON object of a node. */
export interface RpcJsonObject {
  readonly [field: string]: unknown;
}

// The functions below convert responses of anvil where they differ from the service description.

/** Pads r and s to 32 bytes; sets the block fields of a pending transaction to null. */
export function fixTransaction(wire: RpcJsonObject, pending = wire.blockHash === null): RpcJsonObject {
  const { blockTimestamp: _omitted, ...rest } = wire;
  const fixed = { ...(pending ? rest : wire), r: padTo32Bytes(wire.r), s: padTo32Bytes(wire.s) };
  return pending ? { ...fixed, blockHash: null, blockNumber: null, transactionIndex: null } : fixed;
}

/** Fixes the transactions of a block; sets number, hash, nonce and bloom of the pending block to null. */
export function fixBlock(wire: RpcJsonObject | null, pending: boolean): RpcJsonObject | null {
  if (wire === null) return null;
  const transactions = (wire.transactions as readonly (string | RpcJsonObject)[]).map((transaction) =>
    typeof transaction === 'string' ? transaction : fixTransaction(transaction, pending),
  );
  const fixed = { ...wire, transactions };
  return pending ? { ...fixed, number: null, hash: null, nonce: null, logsBloom: null } : fixed;
}

/** Removes the timestamp of a receipt, which anvil returns as a decimal number. */
export function fixReceipt(wire: RpcJsonObject | null): RpcJsonObject | null {
  if (wire === null) return null;
  const { blockTimestamp: _omitted, ...rest } = wire;
  return rest;
}

/** Converts the padded keys of a proof to QUANTITY. */
export function fixProof(wire: RpcJsonObject): RpcJsonObject {
  const storageProof = (wire.storageProof as readonly RpcJsonObject[]).map((entry) => ({ ...entry, key: minimalHex(entry.key) }));
  return { ...wire, storageProof };
}

/** Resolves to null instead of rejecting for an unknown block. Anvil itself resolves to null for some methods only. */
export const nullIfMissingBlock = <Result>(response: Promise<Result>): Promise<Result | null> =>
  response.catch((error: unknown) => {
    if (isMissingBlock(error)) return null;
    throw error;
  });

/** Rejects with geth's error instead of anvil's for state of an unknown block. */
export const fixStateError = <Result>(response: Promise<Result>): Promise<Result> =>
  response.catch((error: unknown) => {
    throw isMissingBlock(error) ? headerNotFound() : error;
  });

/** Reads logs; resolves to an empty list for a range above the head, where anvil returns an error. */
export const logsOrEmpty = async (request: AnvilRequest, filter: LogFilterParam): Promise<unknown> =>
  (await nullIfMissingBlock(request('eth_getLogs', filter))) ?? [];

const isMissingBlock = (error: unknown) =>
  error instanceof NodeRpcError && /BlockOutOfRange|Resource not found|header not found/.test(error.message);

const padTo32Bytes = (hex: unknown) => `0x${String(hex).slice(2).padStart(64, '0')}`;
const minimalHex = (hex: unknown) => `0x${BigInt(String(hex)).toString(16)}`;
