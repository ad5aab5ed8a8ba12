import type { Transfer } from '../data/transfers.ts';
import { formatAmount, shortDecimal } from './format.ts';
import { AccountLink, TokenLink } from './links.tsx';

/** What a transfer moves: an amount of ether or of a token, or the id of a token of its own kind. */
export const TransferAmount = ({ transfer: { amount, token, isId } }: { readonly transfer: Transfer }) => (
  <>
    {isId && `#${amount}`}
    {!isId && (token ? formatAmount(amount, token.decimals) : shortDecimal(amount))} {!token && 'ether'}
    {token && (isId ? <AccountLink account={{ address: token.address, label: token.symbol }} /> : <TokenLink token={token} />)}
  </>
);
