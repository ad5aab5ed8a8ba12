import { sameData } from '../../ethereum/hex.ts';
import type { TransactionFilter } from '../../generated/chain.ts';
import type { PartialTransaction } from './model.ts';

/** Whether a full transaction matches every given field of a filter. */
export function matchesTransactionFilter({ from, to, input }: PartialTransaction, filter: TransactionFilter): boolean {
  const { participant, contractCreation, withInput } = filter;
  return (
    (!filter.from || sameData(from, filter.from)) &&
    (!filter.to || sameData(to, filter.to)) &&
    (!participant || sameData(from, participant) || sameData(to, participant)) &&
    isMet(contractCreation, !to) &&
    isMet(withInput, input !== undefined && input !== '0x')
  );
}

/** Whether a fact is as a filter demands, if it demands anything. */
const isMet = (expected: boolean | null | undefined, actual: boolean): boolean =>
  expected === null || expected === undefined || expected === actual;
