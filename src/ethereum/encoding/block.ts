import { invalidShape, listOrNull } from '../decoders.ts';
import { type Data, sameData } from '../hex.ts';
import type { RpcBlock } from '../rpc-types.ts';
import { keccakOfDigits } from './keccak.ts';
import { listRoot } from './list-root.ts';
import { asFields, dataFields, type FieldTable, quantityFields, type RlpDigits, rlpBytes, rlpList } from './rlp.ts';

/** The header fields before the London fork, in RLP order. */
const BASE_FIELDS: FieldTable = [
  ...dataFields('parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'),
  ...quantityFields('difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'),
  ...dataFields('extraData', 'mixHash', 'nonce'),
];

/**
 * Header fields added by forks, in RLP order: London, Shanghai, Cancun (three), Prague, Amsterdam (two). A header of Ethereum with one of these
 * fields has all previous ones; the first block of anvil has some of them.
 */
const FORK_FIELDS: FieldTable = [
  ...quantityFields('baseFeePerGas'),
  ...dataFields('withdrawalsRoot'),
  ...quantityFields('blobGasUsed', 'excessBlobGas'),
  ...dataFields('parentBeaconBlockRoot', 'requestsHash', 'blockAccessListHash'),
  ...quantityFields('slotNumber'),
];

/** Names of all header fields, in RLP order. */
export const HEADER_FIELD_NAMES: readonly string[] = [...BASE_FIELDS, ...FORK_FIELDS].map(([name]) => name);

const forkFieldsOf = (header: object): FieldTable =>
  FORK_FIELDS.filter(([name]) => {
    const value = (header as Readonly<Record<string, unknown>>)[name];
    return value !== undefined && value !== null;
  });

/** Returns the form of a header: the name of its newest fork field, or an empty string before London. */
export const headerForm = (header: object): string => forkFieldsOf(header).at(-1)?.[0] ?? '';

/** Whether a header lacks a fork field before one that it has: its encoding then equals the encoding of a header with the values in other fields. */
export const hasForkGap = (header: object): boolean => forkFieldsOf(header).some(([name], i) => name !== FORK_FIELDS[i]![0]);

/**
 * Encodes a header in RLP, with the fork fields that it has. Undefined when another field is missing, a field is malformed, and for a gap in the fork fields of
 * any block but the first.
 */
export const encodeHeader = (header: object): RlpDigits | undefined =>
  hasForkGap(header) && Number((header as { readonly number?: unknown }).number) !== 0
    ? undefined
    : asFields([...BASE_FIELDS, ...forkFieldsOf(header)])(header);

/** Encodes a withdrawal (EIP-4895). */
export const encodeWithdrawal = asFields([
  ...quantityFields('index', 'validatorIndex'),
  ...dataFields('address'),
  ...quantityFields('amount'),
]);

const digitsOf = (encoded: readonly Data[]): RlpDigits[] => encoded.map((data) => data.slice(2));

/**
 * A transaction inside a block: a legacy transaction is a list; a typed transaction is bytes that start with its type.
 */
const inBlock = (transaction: RlpDigits): RlpDigits => (transaction < 'c0' ? rlpBytes(transaction) : transaction);

/**
 * Encodes a block as nodes exchange it, from its encoded header, transactions and ommers, and checks them against the
 * roots in the header. Throws UPSTREAM_BAD_RESPONSE when a root does not match. A generator that pauses at each
 * transaction.
 */
export function* checkedBlock(block: RpcBlock, header: Data, rawTransactions: readonly Data[], rawOmmers: readonly Data[]) {
  const transactions = digitsOf(rawTransactions);
  if (!sameData(yield* listRoot(transactions), block.transactionsRoot)) {
    throw invalidShape('transactions with the transactions root of their block');
  }
  const ommers = rlpList(digitsOf(rawOmmers));
  if (!sameData(keccakOfDigits(ommers), block.sha3Uncles)) throw invalidShape('ommers with the ommer hash of their block');
  // A malformed withdrawal makes the list miss its root.
  const withdrawals = listOrNull(block.withdrawals)?.map((withdrawal) => encodeWithdrawal(withdrawal) ?? '');
  const withdrawalsRoot = withdrawals && (yield* listRoot(withdrawals));
  // The OP Stack stores another root in this field of the header. Its blocks have no withdrawals, and its first
  // transaction is a deposit.
  const isOtherRoot = withdrawals?.length === 0 && transactions[0]?.startsWith('7e');
  if (!isOtherRoot && (withdrawalsRoot ?? null) !== (block.withdrawalsRoot?.toLowerCase() ?? null)) {
    throw invalidShape('withdrawals with the withdrawals root of their block');
  }
  const lists = [rlpList(transactions.map(inBlock)), ommers, ...(withdrawals ? [rlpList(withdrawals)] : [])];
  return `0x${rlpList([header.slice(2), ...lists])}`;
}
