import { shortDecimal } from './format.ts';

interface CallNameProps {
  readonly transaction: { readonly valueIn: string; readonly decoded: { readonly name: string } | null };
}

/** The function that a transaction calls, or else the ether that it transfers. */
export const CallName = ({ transaction: { decoded, valueIn } }: CallNameProps) => (
  <span className="call">{decoded?.name ?? (valueIn === '0' ? 'unknown' : `${shortDecimal(valueIn, 4)} ether`)}</span>
);
