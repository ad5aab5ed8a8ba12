import { encodeRlp, keccak256, toBeArray } from 'ethers';
import { type Data, isQuantity, sameData, toData } from '../../ethereum/hex.ts';

type HeaderFieldKind = 'data' | 'quantity';

/** The fields of a header in the order of its encoding. */
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

/** What forks have added since, in order: London, Shanghai, Cancun (three), Prague, Amsterdam (two). A later one needs all before it. */
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

/** The newest field that a fork added and that the header has; empty before London. It tells headers of one form from another. */
export const headerForm = (header: object): string =>
  FORK_FIELDS.findLast(([name]) => hasField(header as HeaderFields, name))?.[0] ?? '';

/**
 * The hash of a header: keccak of its RLP, as Ethereum and all forks of it have it. Undefined when a field is missing or
 * malformed. It is a claim and no fact: a dialect may leave out what a fork has added, and some chains hash otherwise.
 */
export function headerHash(header: object): Data | undefined {
  const fields = header as HeaderFields;
  const newest = FORK_FIELDS.findLastIndex(([name]) => hasField(fields, name));
  const encoded = [...BASE_FIELDS, ...FORK_FIELDS.slice(0, newest + 1)].map(([name, kind]) => encodeField(fields[name], kind));
  return encoded.includes(undefined) ? undefined : keccak256(encodeRlp(encoded as (string | Uint8Array)[]));
}

const encodeField = (value: unknown, kind: HeaderFieldKind): string | Uint8Array | undefined => {
  if (kind === 'data') return toData(value);
  return isQuantity(value, 256) ? toBeArray(value) : undefined;
};

/** What no two blocks of one parent have in common all at once, as far as a node tells it. */
const IDENTIFYING_FIELDS = ['parentHash', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'timestamp', 'extraData'];

/** Whether two tellings are of one header: each field that both of them have is the same, and the telling ones both have. */
export function isSameHeader(one: object, other: object): boolean {
  const [a, b] = [one as HeaderFields, other as HeaderFields];
  const both = [...BASE_FIELDS, ...FORK_FIELDS].filter(([name]) => hasField(a, name) && hasField(b, name));
  return (
    IDENTIFYING_FIELDS.every((name) => hasField(a, name) && hasField(b, name)) &&
    both.every(([name]) => sameData(a[name], b[name]))
  );
}
