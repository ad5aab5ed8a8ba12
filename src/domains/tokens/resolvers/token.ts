import type { TokenAmountResolvers, TokenBalanceResolvers, TokenResolvers } from '../../../generated/tokens.ts';
import type { TokensContext } from '../context.ts';
import type { TokenMetadata } from '../metadata.ts';
import type { TokenAt } from '../model.ts';
import { amountOf } from '../rpc-methods.ts';
import { allowance, balance } from './reads.ts';

const metadataOf =
  <Field extends keyof TokenMetadata>(field: Field) =>
  async ({ address }: TokenAt, _args: unknown, { tokens }: TokensContext): Promise<TokenMetadata[Field] | null> =>
    (await tokens.metadata(address))?.[field] ?? null;

export const Token: TokenResolvers = {
  __resolveReference: ({ address }) => ({ address }),
  name: metadataOf('name'),
  symbol: metadataOf('symbol'),
  decimals: metadataOf('decimals'),
  logo: metadataOf('logo'),
  account: ({ address }) => ({ address, _at: null }),
  totalSupply: ({ address }, { block }, { tokens }) => tokens.totalSupply(address, block ?? null),
  balanceOf: ({ address }, { owner, block }, context, info) =>
    balance({ address: owner, _at: block ?? null }, address, context, info),
  allowance: ({ address }, { owner, spender }, context, info) =>
    allowance(address, { address: owner, _at: null }, spender, context, info),
};

/** An amount shifted by decimals: 150 by 2 is 1.5, and 100 by 2 is 1. */
function shifted(raw: string, decimals: number): string {
  const digits = BigInt(raw)
    .toString()
    .padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}

export const TokenAmount: TokenAmountResolvers = {
  value: ({ raw }) => BigInt(raw).toString(),
  formatted: async ({ raw, contract }, _args, { tokens }) => {
    const decimals = (await tokens.metadata(contract))?.decimals;
    return decimals === null || decimals === undefined ? null : shifted(raw, decimals);
  },
  token: ({ contract }) => ({ address: contract }),
};

export const TokenBalance: TokenBalanceResolvers = {
  contractAddress: ({ contract }) => contract,
  token: ({ contract }) => ({ address: contract }),
  balance: ({ contract, word }) => amountOf(contract, word),
  tokenBalance: ({ word }) => word,
  error: ({ word }) => (word === null ? 'The contract does not tell a balance.' : null),
};
