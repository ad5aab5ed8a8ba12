import { once, type Selection, selectionOf } from '../../graphql/selection.ts';

/** The selection decides the calls: what is called by name is asked together with what it is selected with. */

const METADATA: ReadonlySet<string> = new Set(['name', 'symbol', 'decimals', 'logo']);
const KEY: ReadonlySet<string> = new Set(['address', 'account']);

const ofToken = (token: Selection): boolean => token.hasAny(METADATA);
const ofAmount = (amount: Selection): boolean => amount.has('formatted') || ofToken(amount.below('token'));
const ofBalance = (balance: Selection): boolean => ofToken(balance.below('token')) || ofAmount(balance.below('balance'));

/** Whether a token's metadata is selected below an amount. */
export const amountWantsMetadata = once((info) => ofAmount(selectionOf(info)));
/** Whether a token's metadata is selected below a balance. */
export const balanceWantsMetadata = once((info) => ofBalance(selectionOf(info)));
/** Whether all that there is of a token is selected, at the operation's block. */
export const wantsSupply = once((info) =>
  selectionOf(info)
    .nodes('totalSupply')
    .some(({ arguments: given = [] }) => given.length === 0),
);
/** Whether a token's address is all that is selected of it, for which nothing has to be known. */
export const isKeyAlone = once((info) => selectionOf(info).within(KEY));
