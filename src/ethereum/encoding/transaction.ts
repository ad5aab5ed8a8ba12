import { recoverAddress } from 'ethers/transaction';
import { toBeHex } from 'ethers/utils';
import { invalidShape } from '../decoders.ts';
import { type Data, quantityOf, sameData, toQuantity } from '../hex.ts';
import type { RpcAuthorization, RpcReceipt, RpcTransaction } from '../rpc-types.ts';
import { keccakOfDigits } from './keccak.ts';
import { listRoot, mapSteps } from './list-root.ts';
import {
  asData,
  asFields,
  asList,
  asOptionalData,
  asQuantity,
  dataFields,
  type FieldTable,
  quantityFields,
  type RlpDigits,
} from './rlp.ts';

const encodeLog = asFields([...dataFields('address'), ['topics', asList(asData)], ...dataFields('data')]);
const AMOUNTS_AND_LOGS: FieldTable = [
  ...quantityFields('cumulativeGasUsed'),
  ...dataFields('logsBloom'),
  ['logs', asList(encodeLog)],
];

const withStatus = asFields([...quantityFields('status'), ...AMOUNTS_AND_LOGS]);
/** Ganache encodes the status 0 as a byte. */
const withStatusByte = asFields([['status', (status) => (status === '0x0' ? '00' : asQuantity(status))], ...AMOUNTS_AND_LOGS]);
const withRoot = asFields([...dataFields('root'), ...AMOUNTS_AND_LOGS]);
/** Deposit transactions of OP Stack chains have two more fields, since Canyon. */
const ofDeposit = asFields([
  ...quantityFields('status'),
  ...AMOUNTS_AND_LOGS,
  ...quantityFields('depositNonce', 'depositReceiptVersion'),
]);

type ReceiptOfAnyChain = RpcReceipt & { readonly depositReceiptVersion?: unknown };

/**
 * Encodes a receipt as the receipts root commits to it (EIP-2718). Undefined when a field is missing or malformed. A
 * type that this server does not know is encoded like the known types: check the result against the receipts root. `asGanache`: with the
 * status as Ganache encodes it.
 */
export function encodeReceipt(receipt: ReceiptOfAnyChain, asGanache = false): RlpDigits | undefined {
  const type = typeNumber(receipt.type);
  const encodeStatus = asGanache ? withStatusByte : withStatus;
  const encode = receipt.depositReceiptVersion ? ofDeposit : receipt.status ? encodeStatus : withRoot;
  const encoded = encode(receipt);
  return encoded === undefined || Number.isNaN(type) ? undefined : withTypeByte(type, encoded);
}

/** Whether `encodeReceipt` knows the type of a receipt: a type of Ethereum, or the deposit of the OP Stack. */
export const hasKnownReceipt = (type: unknown): boolean => isKnownType(type) || typeNumber(type) === DEPOSIT_TYPE;

const DEPOSIT_TYPE = 0x7e;

/**
 * Encodes the receipts of a block and checks them against the receipts root in its header. Throws UPSTREAM_BAD_RESPONSE when they do not have that
 * root. A generator that pauses at each receipt, because encoding the receipts of a large block takes long.
 */
export function* checkedReceipts(receipts: readonly RpcReceipt[], root: unknown): Generator<void, readonly Data[]> {
  for (const asGanache of [false, true]) {
    const encoded = yield* mapSteps(receipts, (receipt) => encodeReceipt(receipt, asGanache) ?? '');
    if (encoded.includes('')) throw invalidShape('receipts with all values');
    if (sameData(yield* listRoot(encoded), root)) return encoded.map((one) => `0x${one}`);
  }
  throw invalidShape('receipts with the receipts root of their block');
}

const CALL_FIELDS: FieldTable = [
  ...quantityFields('gas'),
  ['to', asOptionalData],
  ...quantityFields('value'),
  ...dataFields('input'),
];
const encodeAccessTuple = asFields([...dataFields('address'), ['storageKeys', asList(asData)]]);
const ACCESS_LIST: FieldTable = [['accessList', asList(encodeAccessTuple)]];
const SIGNATURE = quantityFields('yParity', 'r', 's');
const FEE_MARKET_FIELDS: FieldTable = [
  ...quantityFields('chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas'),
  ...CALL_FIELDS,
  ...ACCESS_LIST,
];
const SIGNED_AUTHORIZATION: FieldTable = [...quantityFields('chainId'), ...dataFields('address'), ...quantityFields('nonce')];
const encodeAuthorization = asFields([...SIGNED_AUTHORIZATION, ...SIGNATURE]);
const encodeSignedAuthorization = asFields(SIGNED_AUTHORIZATION);

/** The fields of each transaction type, by type. Type 0 has no type byte; the blobs of type 3 are not part of a block. */
const TYPES: readonly FieldTable[] = [
  [...quantityFields('nonce', 'gasPrice'), ...CALL_FIELDS, ...quantityFields('v', 'r', 's')],
  [...quantityFields('chainId', 'nonce', 'gasPrice'), ...CALL_FIELDS, ...ACCESS_LIST, ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ...quantityFields('maxFeePerBlobGas'), ['blobVersionedHashes', asList(asData)], ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ['authorizationList', asList(encodeAuthorization)], ...SIGNATURE],
];

const ENCODERS = TYPES.map(asFields);

/** The type of a transaction or receipt, 0 if the node returns no type; NaN when it is malformed. */
export const typeNumber = (type: unknown): number => (type === null || type === undefined ? 0 : Number(toQuantity(type, 8)));

/** Adds the type byte of EIP-2718 to an encoding; legacy encodings have none. */
export const withTypeByte = (type: number, encoded: RlpDigits): RlpDigits =>
  type === 0 ? encoded : type.toString(16).padStart(2, '0') + encoded;

/** Whether `encodeTransaction` knows the type of a transaction. */
export const isKnownType = (type: unknown): boolean => ENCODERS[typeNumber(type)] !== undefined;

/**
 * Encodes a signed transaction as it is in a block (EIP-2718). Undefined for an unknown type, and when a field is missing or malformed. Not with
 * ethers, which rejects signatures of old blocks (EIP-2) and takes several times as long.
 */
export function encodeTransaction(transaction: RpcTransaction): RlpDigits | undefined {
  const type = typeNumber(transaction.type);
  // Some nodes return only `v`, which equals the parity for every type but legacy.
  const encoded = ENCODERS[type]?.({ ...transaction, yParity: transaction.yParity ?? transaction.v });
  return encoded === undefined ? undefined : withTypeByte(type, encoded);
}

/**
 * Recovers the account that signed an authorization (EIP-7702); null for a signature of no account, and for a malformed value. With ethers, which takes
 * a millisecond.
 */
export function authorityOf(authorization: RpcAuthorization): Data | null {
  const signed = encodeSignedAuthorization(authorization);
  const { r, s, yParity } = authorization;
  if (signed === undefined) return null;
  try {
    const signature = { r: toBeHex(r, 32), s: toBeHex(s, 32), yParity: Number(yParity) as 0 | 1 };
    return recoverAddress(keccakOfDigits(`05${signed}`), signature).toLowerCase();
  } catch {
    return null;
  }
}

/** The fields that only transactions of some types have. */
const TYPED_FIELDS = [
  'maxPriorityFeePerGas',
  'maxFeePerGas',
  'accessList',
  'maxFeePerBlobGas',
  'blobVersionedHashes',
  'authorizationList',
];
const MISSING_FIELDS = TYPES.map((table) => TYPED_FIELDS.filter((field) => table.every(([name]) => name !== field)));

const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

/**
 * Whether the encoding of a transaction covers the fields that its type may have: its type is known, it has no field of another type, and the
 * two forms of the parity of its signature agree.
 */
export function isWhollyEncoded(transaction: RpcTransaction): boolean {
  const type = typeNumber(transaction.type);
  if (!ENCODERS[type]) return false;
  if (MISSING_FIELDS[type]!.some((field) => isPresent((transaction as unknown as Record<string, unknown>)[field]))) return false;
  const { v, yParity } = transaction;
  if (!isPresent(v) || !isPresent(yParity)) return true;
  const value = BigInt(toQuantity(v, 256) ?? -1);
  // A legacy signature adds 27, or 35 and twice the chain id (EIP-155), to the parity.
  const parity = type > 0 ? value : value < 35n ? value - 27n : (value - 35n) % 2n;
  return toQuantity(yParity, 256) === quantityOf(parity);
}
