import { invalidShape, listOrNull } from '../decoders.ts';
import { type Data, sameData } from '../hex.ts';
import type { RpcBlock } from '../rpc-types.ts';
import { keccakOfDigits } from './keccak.ts';
import { listRoot } from './list-root.ts';
import { asData, asFields, asQuantity, type RlpDigits, rlpBytes, rlpList } from './rlp.ts';

/** Encodes a withdrawal (EIP-4895). */
const encodeWithdrawal = asFields([
  ['index', asQuantity],
  ['validatorIndex', asQuantity],
  ['address', asData],
  ['amount', asQuantity],
]);

/** Encodes the withdrawals of a block; undefined where the node returns none. A malformed one makes the list miss its root. */
function encodeWithdrawals({ withdrawals }: RpcBlock): readonly RlpDigits[] | undefined {
  return listOrNull(withdrawals)?.map((withdrawal) => encodeWithdrawal(withdrawal) ?? '');
}

const digitsOf = (encoded: readonly Data[]): RlpDigits[] => encoded.map((data) => data.slice(2));

/** A transaction inside a block: a legacy one is a list, a typed one, which starts with its type byte, is bytes. */
const inBlock = (transaction: RlpDigits): RlpDigits => (transaction < 'c0' ? rlpBytes(transaction) : transaction);

/**
 * Encodes a block as nodes exchange it, from its encoded header, transactions and ommers, and checks them against the roots in the header. Throws
 * UPSTREAM_BAD_RESPONSE when one does not match. A generator that pauses at each transaction.
 */
export function* checkedBlock(
  block: RpcBlock,
  header: Data,
  rawTransactions: readonly Data[],
  rawOmmers: readonly Data[],
): Generator<void, Data> {
  const transactions = digitsOf(rawTransactions);
  if (!sameData(yield* listRoot(transactions), block.transactionsRoot)) {
    throw invalidShape('transactions with the transactions root of their block');
  }
  const ommers = rlpList(digitsOf(rawOmmers));
  if (!sameData(keccakOfDigits(ommers), block.sha3Uncles)) throw invalidShape('ommers with the ommer hash of their block');
  const withdrawals = encodeWithdrawals(block);
  const withdrawalsRoot = withdrawals && (yield* listRoot(withdrawals));
  // The OP Stack has another root in this field of the header. It has no withdrawals, and its first transaction is a deposit.
  const isOtherRoot = withdrawals?.length === 0 && transactions[0]?.startsWith('7e');
  if (!isOtherRoot && (withdrawalsRoot ?? null) !== (block.withdrawalsRoot?.toLowerCase() ?? null)) {
    throw invalidShape('withdrawals with the withdrawals root of their block');
  }
  const lists = [rlpList(transactions.map(inBlock)), ommers, ...(withdrawals ? [rlpList(withdrawals)] : [])];
  return `0x${rlpList([header.slice(2), ...lists])}`;
}
