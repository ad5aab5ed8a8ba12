import { isNullish } from './block-results.ts';
import { asObject, invalidShape, list } from './decoders.ts';
import { keccakOfDigits } from './encoding/keccak.ts';
import { asData, asFields, asList, asQuantity, dataFields, quantityFields } from './encoding/rlp.ts';
import { type Data, type Quantity, sameData } from './hex.ts';

interface Change<T> {
  readonly index: Quantity;
  readonly value: T;
}

/** The changes of a storage slot in a block. */
export interface RpcSlotChanges {
  readonly key: Data;
  readonly changes: readonly Change<Data>[];
}

/** What the transactions of a block read and changed of one account (EIP-7928). Source: `eth_getBlockAccessList`. */
export interface RpcAccountAccess {
  readonly address: Data;
  readonly storageChanges: readonly RpcSlotChanges[];
  readonly storageReads: readonly Data[];
  readonly balanceChanges: readonly Change<Quantity>[];
  readonly nonceChanges: readonly Change<Quantity>[];
  readonly codeChanges: readonly { readonly index: Quantity; readonly code: Data }[];
}

const asValueChanges = asList(asFields(quantityFields('index', 'value')));

/** The list of a block in RLP. Slots and their values are integers. */
const asAccessList = asList(
  asFields([
    ...dataFields('address'),
    ['storageChanges', asList(asFields([...quantityFields('key'), ['changes', asValueChanges]]))],
    ['storageReads', asList(asQuantity)],
    ['balanceChanges', asValueChanges],
    ['nonceChanges', asValueChanges],
    ['codeChanges', asList(asFields([...quantityFields('index'), ['code', asData]]))],
  ]),
);

/** Nodes omit lists that are empty. */
const EMPTY_LISTS = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] };

const readAccess = (value: unknown): RpcAccountAccess => ({
  ...EMPTY_LISTS,
  ...asObject<RpcAccountAccess>(value, 'the accesses of an account'),
});

/** Reads the access list of a block, which must have the hash that the header contains; null if the node no longer has the list. */
export function readBlockAccessList(value: unknown, hash: Data): readonly RpcAccountAccess[] | null {
  if (isNullish(value)) return null;
  const accesses = list(readAccess)(value);
  const encoded = asAccessList(accesses);
  if (encoded === undefined || !sameData(keccakOfDigits(encoded), hash))
    throw invalidShape('an access list with the hash in the header');
  return accesses;
}
