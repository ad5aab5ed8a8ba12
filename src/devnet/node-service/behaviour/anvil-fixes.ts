import type { Ask } from '../anvil-connection.ts';
import type { Filter } from '../rpc/params.ts';
import { headerNotFound, RpcError } from '../rpc/rpc-error.ts';

/** A node's JSON object, of which the names used here are known. */
export interface Wire {
  readonly [field: string]: unknown;
}

/** Where anvil answers differently from the seed: each of these makes of anvil's answer the seed's. */

/** A transaction: r and s are 32 bytes, where anvil leaves leading zeros out; nothing of a block before there is one. */
export function transaction(wire: Wire, pending = wire.blockHash === null): Wire {
  const { blockTimestamp: _never, ...rest } = wire;
  const mended = { ...(pending ? rest : wire), r: padded(wire.r), s: padded(wire.s) };
  return pending ? { ...mended, blockHash: null, blockNumber: null, transactionIndex: null } : mended;
}

/** A block; the pending one has no number, hash, nonce and bloom, and its transactions are pending. */
export function block(wire: Wire | null, pending: boolean): Wire | null {
  if (wire === null) return null;
  const transactions = (wire.transactions as readonly (string | Wire)[]).map((one) =>
    typeof one === 'string' ? one : transaction(one, pending),
  );
  const mended = { ...wire, transactions };
  return pending ? { ...mended, number: null, hash: null, nonce: null, logsBloom: null } : mended;
}

/** A receipt, without anvil's timestamp: it is a decimal number there. */
export function receipt(wire: Wire | null): Wire | null {
  if (wire === null) return null;
  const { blockTimestamp: _number, ...rest } = wire;
  return rest;
}

/** A proof; the key of each entry is a QUANTITY, where anvil pads it. */
export function proof(wire: Wire): Wire {
  const storageProof = (wire.storageProof as readonly Wire[]).map((entry) => ({ ...entry, key: minimal(entry.key) }));
  return { ...wire, storageProof };
}

/** Null instead of an error where a lookup meets a block that is not there. Anvil does so for some methods only. */
export const orNull = <Result>(answer: Promise<Result>): Promise<Result | null> =>
  answer.catch((error: unknown) => {
    if (isMissingBlock(error)) return null;
    throw error;
  });

/** State of a block that is not there: geth's error instead of anvil's. */
export const stateOf = <Result>(answer: Promise<Result>): Promise<Result> =>
  answer.catch((error: unknown) => {
    throw isMissingBlock(error) ? headerNotFound() : error;
  });

/** Blocks beyond the head have no logs; anvil calls that an error, but only when the range begins there. */
export const logs = async (ask: Ask, filter: Filter): Promise<unknown> => (await orNull(ask('eth_getLogs', filter))) ?? [];

const isMissingBlock = (error: unknown) =>
  error instanceof RpcError && /BlockOutOfRange|Resource not found|header not found/.test(error.message);

const padded = (hex: unknown) => `0x${String(hex).slice(2).padStart(64, '0')}`;
const minimal = (hex: unknown) => `0x${BigInt(String(hex)).toString(16)}`;
