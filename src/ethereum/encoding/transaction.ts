import { invalidShape } from '../decoders.ts';
import { type Data, sameData, toQuantity } from '../hex.ts';
import type { RpcReceipt, RpcTransaction } from '../rpc-types.ts';
import { listRoot } from './list-root.ts';
import { asData, asFields, asList, asOptionalData, asQuantity, type FieldTable, type RlpDigits } from './rlp.ts';

const AMOUNTS_AND_LOGS: FieldTable = [
  ['cumulativeGasUsed', asQuantity],
  ['logsBloom', asData],
  [
    'logs',
    asList(
      asFields([
        ['address', asData],
        ['topics', asList(asData)],
        ['data', asData],
      ]),
    ),
  ],
];
/** Deposit transactions of OP Stack chains have two more fields, since Canyon. */
const DEPOSIT_FIELDS: FieldTable = [
  ['depositNonce', asQuantity],
  ['depositReceiptVersion', asQuantity],
];

const withStatus = asFields([['status', asQuantity], ...AMOUNTS_AND_LOGS]);
const withRoot = asFields([['root', asData], ...AMOUNTS_AND_LOGS]);
const ofDeposit = asFields([['status', asQuantity], ...AMOUNTS_AND_LOGS, ...DEPOSIT_FIELDS]);

type ReceiptOfAnyChain = RpcReceipt & { readonly depositReceiptVersion?: unknown };

/**
 * Encodes a receipt as the receipts root commits to it (EIP-2718). Undefined when a field is missing or malformed. A type that this server does
 * not know is encoded like the known ones: check the result against the receipts root.
 */
export function encodeReceipt(receipt: ReceiptOfAnyChain): RlpDigits | undefined {
  const type = typeNumber(receipt.type);
  const encode = receipt.depositReceiptVersion ? ofDeposit : receipt.status ? withStatus : withRoot;
  const encoded = encode(receipt);
  return encoded === undefined || Number.isNaN(type) ? undefined : withTypeByte(type, encoded);
}

/**
 * Encodes the receipts of a block and checks them against the receipts root in its header. Throws UPSTREAM_BAD_RESPONSE when they do not have that
 * root. A generator that pauses at each receipt, because encoding the receipts of a large block takes long.
 */
export function* checkedReceipts(receipts: readonly RpcReceipt[], root: unknown): Generator<void, readonly Data[]> {
  const encoded: RlpDigits[] = [];
  for (const receipt of receipts) {
    const one = encodeReceipt(receipt);
    if (one === undefined) throw invalidShape('receipts with all values');
    encoded.push(one);
    yield;
  }
  if (!sameData(yield* listRoot(encoded), root)) throw invalidShape('receipts with the receipts root of their block');
  return encoded.map((one) => `0x${one}`);
}

const CALL_FIELDS: FieldTable = [
  ['gas', asQuantity],
  ['to', asOptionalData],
  ['value', asQuantity],
  ['input', asData],
];

const LEGACY_FIELDS: FieldTable = [
  ['nonce', asQuantity],
  ['gasPrice', asQuantity],
  ...CALL_FIELDS,
  ['v', asQuantity],
  ['r', asQuantity],
  ['s', asQuantity],
];

const ACCESS_LIST: FieldTable = [
  [
    'accessList',
    asList(
      asFields([
        ['address', asData],
        ['storageKeys', asList(asData)],
      ]),
    ),
  ],
];
const SIGNATURE: FieldTable = [
  ['yParity', asQuantity],
  ['r', asQuantity],
  ['s', asQuantity],
];
const FEE_MARKET_FIELDS: FieldTable = [
  ['chainId', asQuantity],
  ['nonce', asQuantity],
  ['maxPriorityFeePerGas', asQuantity],
  ['maxFeePerGas', asQuantity],
  ...CALL_FIELDS,
  ...ACCESS_LIST,
];
const AUTHORIZATION_FIELDS: FieldTable = [['chainId', asQuantity], ['address', asData], ['nonce', asQuantity], ...SIGNATURE];

/** The fields of each transaction type, by type. Type 0 has no type byte; the blobs of type 3 are not part of a block. */
const TYPES = [
  LEGACY_FIELDS,
  [['chainId', asQuantity], ['nonce', asQuantity], ['gasPrice', asQuantity], ...CALL_FIELDS, ...ACCESS_LIST, ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ['maxFeePerBlobGas', asQuantity], ['blobVersionedHashes', asList(asData)], ...SIGNATURE],
  [...FEE_MARKET_FIELDS, ['authorizationList', asList(asFields(AUTHORIZATION_FIELDS))], ...SIGNATURE],
] satisfies FieldTable[];

const ENCODERS = TYPES.map((fields) => asFields(fields as FieldTable));

/** The type of a transaction or receipt, 0 where the node returns none; NaN when it is malformed. */
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
