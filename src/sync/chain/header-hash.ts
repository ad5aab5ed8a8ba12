import { encodeHeader, HEADER_FIELD_NAMES } from '../../ethereum/encoding/header.ts';
import { keccakOfDigits } from '../../ethereum/encoding/keccak.ts';
import { type Data, sameData } from '../../ethereum/hex.ts';

type HeaderFields = Readonly<Record<string, unknown>>;

const hasField = (header: HeaderFields, name: string): boolean => header[name] !== undefined && header[name] !== null;

/**
 * Computes the hash of a header: keccak256 of its RLP encoding, as Ethereum does. Undefined when a field is missing or malformed.
 * The node must confirm the hash before it is used: some nodes omit fork fields from announcements, and some chains hash
 * differently.
 */
export function headerHash(header: object): Data | undefined {
  const encoded = encodeHeader(header);
  return encoded && keccakOfDigits(encoded);
}

/** Fields that identify a header together: no two siblings agree in all of them. */
const IDENTIFYING_FIELDS = ['parentHash', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'timestamp', 'extraData'];

/**
 * Returns whether two objects describe the same header: both have the identifying fields, and all fields that both have are
 * equal.
 */
export function isSameHeader(one: object, other: object): boolean {
  const [a, b] = [one as HeaderFields, other as HeaderFields];
  const sharedFields = HEADER_FIELD_NAMES.filter((name) => hasField(a, name) && hasField(b, name));
  return (
    IDENTIFYING_FIELDS.every((name) => hasField(a, name) && hasField(b, name)) &&
    sharedFields.every((name) => sameData(a[name], b[name]))
  );
}
