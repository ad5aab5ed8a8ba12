import { RLP } from '@ethereumjs/rlp';
import { keccak256 } from 'ethers/crypto';
import { type Data, isQuantity, sameData, toData } from '../../ethereum/hex.ts';

type HeaderFieldKind = 'data' | 'quantity';

/** The header fields before the London fork, in RLP order. */
const BASE_FIELDS: readonly (readonly [name: string, kind: HeaderFieldKind])[] = [
  ['parentHash', 'data'],
  ['sha3Uncles', 'data'],
  ['miner', 'data'],
  ['stateRoot', 'data'],
  ['transactionsRoot', 'data'],
  ['receiptsRoot', 'data'],
  ['logsBloom', 'data'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'data'],
  ['mixHash', 'data'],
  ['nonce', 'data'],
];

/**
 * Header fields added by forks, in RLP order: London, Shanghai, Cancun (three), Prague, Amsterdam (two). Each requires all before
 * it.
 */
const FORK_FIELDS: readonly (readonly [name: string, kind: HeaderFieldKind])[] = [
  ['baseFeePerGas', 'quantity'],
  ['withdrawalsRoot', 'data'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'data'],
  ['requestsHash', 'data'],
  ['blockAccessListHash', 'data'],
  ['slotNumber', 'quantity'],
];

type HeaderFields = Readonly<Record<string, unknown>>;

const hasField = (header: HeaderFields, name: string): boolean => header[name] !== undefined && header[name] !== null;

/** Returns the form of a header: the name of its newest fork field, or an empty string before London. */
export const headerForm = (header: object): string =>
  FORK_FIELDS.findLast(([name]) => hasField(header as HeaderFields, name))?.[0] ?? '';

/**
 * Computes the hash of a header: keccak256 of its RLP encoding, as Ethereum does. Undefined when a field is missing or malformed.
 * The node must confirm the hash before it is used: some nodes omit fork fields from announcements, and some chains hash
 * differently.
 */
export function headerHash(header: object): Data | undefined {
  const fields = header as HeaderFields;
  const newestIndex = FORK_FIELDS.findLastIndex(([name]) => hasField(fields, name));
  const encoded = [...BASE_FIELDS, ...FORK_FIELDS.slice(0, newestIndex + 1)].map(([name, kind]) =>
    encodeField(fields[name], kind),
  );
  if (encoded.includes(undefined)) return undefined;
  // Not `encodeRlp` of ethers, which takes longer than the hash.
  return keccak256(RLP.encode(encoded as (Data | bigint)[]));
}

/** Returns a field as RLP takes it: data as bytes, a quantity as an integer, which has no leading zeros. */
const encodeField = (value: unknown, kind: HeaderFieldKind): Data | bigint | undefined => {
  if (kind === 'data') return toData(value);
  return isQuantity(value, 256) ? BigInt(value) : undefined;
};

/** Fields that identify a header together: no two siblings agree in all of them. */
const IDENTIFYING_FIELDS = ['parentHash', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'timestamp', 'extraData'];

/**
 * Returns whether two objects describe the same header: both have the identifying fields, and all fields that both have are
 * equal.
 */
export function isSameHeader(one: object, other: object): boolean {
  const [a, b] = [one as HeaderFields, other as HeaderFields];
  const sharedFields = [...BASE_FIELDS, ...FORK_FIELDS].filter(([name]) => hasField(a, name) && hasField(b, name));
  return (
    IDENTIFYING_FIELDS.every((name) => hasField(a, name) && hasField(b, name)) &&
    sharedFields.every(([name]) => sameData(a[name], b[name]))
  );
}
