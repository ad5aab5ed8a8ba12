import type { Transfer } from '../data/transfers.ts';
import { formatAmount, shortDecimal } from './format.ts';
import { AccountLink, TokenLink, WizardLink } from './links.tsx';

/** What a transfer moves: an amount of ether or of a token, a wizard, or the id of another token of its own kind. */
export function TransferAmount({ transfer: { amount, token, isId } }: { readonly transfer: Transfer }) {
  if (!token) return `${shortDecimal(amount)} ether`;
  if (isId && token.symbol === 'Tournament') return <WizardLink id={amount} />;
  return (
    <>
      {isId ? `#${amount} ` : `${formatAmount(amount, token.decimals)} `}
      {isId ? <AccountLink account={{ address: token.address, label: token.symbol }} /> : <TokenLink token={token} />}
    </>
  );
}
