import { memoizePerSelection, type Selection, selectionOf } from '../../graphql/selection.ts';

const METADATA_FIELDS: ReadonlySet<string> = new Set(['name', 'symbol', 'decimals', 'logo']);
/** `transfers` is a field of the chain. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['address', 'account', 'transfers']);

const selectsTokenMetadata = (token: Selection): boolean => token.hasAny(METADATA_FIELDS);
const selectsAmountMetadata = (amount: Selection): boolean =>
  amount.has('formatted') || selectsTokenMetadata(amount.subselection('token'));
const selectsBalanceMetadata = (balance: Selection): boolean =>
  selectsTokenMetadata(balance.subselection('token')) || selectsAmountMetadata(balance.subselection('balance'));

/** Whether a token's metadata is selected below a `TokenAmount`. */
export const isAmountMetadataSelected = memoizePerSelection((info) => selectsAmountMetadata(selectionOf(info)));
/** Whether a token's metadata is selected below a `TokenBalance`. */
export const isBalanceMetadataSelected = memoizePerSelection((info) => selectsBalanceMetadata(selectionOf(info)));
/** Whether `totalSupply` is selected without its `block` argument, hence at the operation's block. */
export const isTotalSupplySelected = memoizePerSelection((info) =>
  selectionOf(info)
    .nodes('totalSupply')
    .some(({ arguments: args = [] }) => args.length === 0),
);
/** Whether only fields that derive from the address are selected, for which nothing is read. */
export const isOnlyTokenKeySelected = memoizePerSelection((info) => selectionOf(info).hasOnly(KEY_FIELDS));
