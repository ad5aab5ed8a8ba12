import { Link } from 'wouter';
import { columnDecimal, feeTotal } from './format.ts';

interface CallNameProps {
  readonly transaction: {
    readonly hash: string;
    readonly valueIn: string;
    readonly to: object | null;
    readonly decoded: { readonly name: string } | null;
  };
}

/** A link to a transaction with the function that it calls, or else what it does. */
export const CallName = ({ transaction: { hash, decoded, valueIn, to } }: CallNameProps) => (
  <Link href={`/tx/${hash}`} className="call">
    {decoded?.name ?? (to === null ? 'creation' : valueIn === '0' ? 'unknown' : 'send ether')}
  </Link>
);

/** The ether that a transaction transfers. */
export const Value = ({ valueIn }: { readonly valueIn: string }) => (
  <span className={valueIn === '0' ? 'muted' : undefined} title={`${valueIn} ether`}>
    {columnDecimal(valueIn, 3)}
  </span>
);

interface FeeProps {
  readonly transaction: { readonly gasUsed: string | null; readonly effectiveGasPrice: string | null };
}

/** The ether that a transaction has paid for its gas; nothing while pending. */
export const Fee = ({ transaction: { gasUsed, effectiveGasPrice } }: FeeProps) =>
  gasUsed !== null && effectiveGasPrice !== null && columnDecimal(feeTotal(gasUsed, effectiveGasPrice), 8);
