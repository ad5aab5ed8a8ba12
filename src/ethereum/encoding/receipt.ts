import { invalidShape } from '../decoders.ts';
import { type Data, sameData } from '../hex.ts';
import type { RpcReceipt } from '../rpc-types.ts';
import { listRoot } from './list-root.ts';
import { asData, asFields, asList, asQuantity, type FieldTable, type RlpDigits } from './rlp.ts';
import { typeNumber, withTypeByte } from './transaction.ts';

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
