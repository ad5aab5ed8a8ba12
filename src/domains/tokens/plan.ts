import { memoizePerSelection, type Selection, selectionOf } from '../../graphql/selection.ts';

/** The selection decides the calls: what is called by name is asked together with what it is selected with. */

const METADATA_FIELDS: ReadonlySet<string> = new Set(['name', 'symbol', 'decimals', 'logo']);
const KEY_FIELDS: ReadonlySet<string> = new Set(['address', 'account']);

const selectsTokenMetadata = (token: Selection): boolean => token.hasAny(METADATA_FIELDS);
const selectsAmountMetadata = (amount: Selection): boolean =>
  amount.has('formatted') || selectsTokenMetadata(amount.subselection('token'));
const selectsBalanceMetadata = (balance: Selection): boolean =>
  selectsTokenMetadata(balance.subselection('token')) || selectsAmountMetadata(balance.subselection('balance'));

/** Whether a token's metadata is selected below an amount. */
export const isAmountMetadataSelected = memoizePerSelection((info) => selectsAmountMetadata(selectionOf(info)));
/** Whether a token's metadata is selected below a balance. */
export const isBalanceMetadataSelected = memoizePerSelection((info) => selectsBalanceMetadata(selectionOf(info)));
/** Whether all that there is of a token is selected, at the operation's block. */
export const isTotalSupplySelected = memoizePerSelection((info) =>
  selectionOf(info)
    .nodes('totalSupply')
    .some(({ arguments: given = [] }) => given.length === 0),
);
/** Whether a token's address is all that is selected of it, for which nothing has to be known. */
export const isOnlyTokenKeySelected = memoizePerSelection((info) => selectionOf(info).hasOnly(KEY_FIELDS));
