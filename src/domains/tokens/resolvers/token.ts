import type { TokenMetadata } from '../../../ethereum/token-metadata.ts';
import { formatUnits } from '../../../ethereum/units.ts';
import type { TokenAmountResolvers, TokenBalanceResolvers, TokenResolvers } from '../../../generated/tokens.ts';
import type { TokensContext } from '../context.ts';
import { type TokenKey, toRawTokenAmount } from '../model.ts';
import { resolveTokenAllowance, resolveTokenBalance } from './reads.ts';

const metadataOf =
  <Field extends keyof TokenMetadata>(field: Field) =>
  async ({ address }: TokenKey, _args: unknown, { tokens }: TokensContext): Promise<TokenMetadata[Field] | null> =>
    (await tokens.metadata(address))?.[field] ?? null;

export const tokensTokenResolvers: TokenResolvers = {
  __resolveReference: ({ address }) => ({ address }),
  name: metadataOf('name'),
  symbol: metadataOf('symbol'),
  decimals: metadataOf('decimals'),
  logo: metadataOf('logo'),
  account: ({ address }) => ({ address, _at: null }),
  totalSupply: ({ address }, { block }, { tokens }) => tokens.totalSupply(address, block ?? null),
  balanceOf: ({ address }, { owner, block }, context, info) =>
    resolveTokenBalance({ address: owner, _at: block ?? null }, address, context, info),
  allowance: ({ address }, { owner, spender }, context, info) =>
    resolveTokenAllowance(address, { address: owner, _at: null }, spender, context, info),
};

export const tokensTokenAmountResolvers: TokenAmountResolvers = {
  value: ({ raw }) => BigInt(raw).toString(),
  formatted: async ({ raw, contract }, _args, { tokens }) => {
    const decimals = (await tokens.metadata(contract))?.decimals;
    return decimals === null || decimals === undefined ? null : formatUnits(BigInt(raw), decimals);
  },
  token: ({ contract }) => ({ address: contract }),
};

export const tokensTokenBalanceResolvers: TokenBalanceResolvers = {
  contractAddress: ({ contract }) => contract,
  token: ({ contract }) => ({ address: contract }),
  balance: ({ contract, word }) => toRawTokenAmount(contract, word),
  tokenBalance: ({ word }) => word,
  error: ({ word }) => (word === null ? 'The contract returns no balance.' : null),
};
