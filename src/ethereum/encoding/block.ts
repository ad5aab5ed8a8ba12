import { asData, asFields, asQuantity, type RlpDigits, rlpBytes, rlpList } from './rlp.ts';

/** Encodes a withdrawal (EIP-4895). Undefined when a field is missing or malformed. */
export const encodeWithdrawal = asFields([
  ['index', asQuantity],
  ['validatorIndex', asQuantity],
  ['address', asData],
  ['amount', asQuantity],
]);

/** The encoded parts of a block. */
export interface EncodedBlock {
  readonly header: RlpDigits;
  readonly transactions: readonly RlpDigits[];
  readonly ommers: readonly RlpDigits[];
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly RlpDigits[] | undefined;
}

/** A transaction inside a block: a legacy one as the list that it is, a typed one, which starts with its type byte, as bytes. */
const inBlock = (transaction: RlpDigits): RlpDigits => (transaction < 'c0' ? rlpBytes(transaction) : transaction);

/** Encodes a block from its encoded parts, as nodes exchange it. */
export const encodeBlock = ({ header, transactions, ommers, withdrawals }: EncodedBlock): RlpDigits =>
  rlpList([
    header,
    rlpList(transactions.map(inBlock)),
    rlpList(ommers),
    ...(withdrawals ? [rlpList(withdrawals)] : []),
  ]);
