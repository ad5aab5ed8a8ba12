import type { AbiInput } from '../ethereum/abi/writer.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { TokensAccountKey, TokenKey, RawTokenAmount, RawTokenBalance } from '../domains/tokens/model.ts';
import type { TokensContext } from '../domains/tokens/loaders/index.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * An argument of a contract function, only as input. Integers: a JSON integer, a decimal string with a minus sign when negative, or a 0x-prefixed hex
   * string; `bool`: a boolean; addresses, bytes and strings: a string; an array: a list; a tuple: a list of its members in order.
   */
  AbiValue: { input: AbiInput; output: AbiInput; }
  /** A 20-byte account address as 0x-prefixed hex. Input: either case; mixed case must be a correct EIP-55 checksum. Output: lower case. */
  Address: { input: string; output: string; }
  /**
   * An unsigned integer of up to 256 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  BigInt: { input: string; output: string; }
  /** Bytes of any length as 0x-prefixed hex with an even number of digits; empty is `0x`. Output: lower case. */
  Bytes: { input: string; output: string; }
  /** Exactly 32 bytes as 0x-prefixed hex. Input: 64 digits in either case. Output: lower case, always 66 characters. */
  Bytes32: { input: string; output: string; }
  /** Id of a chain (EIP-155). Input: a JSON integer, a decimal string or a 0x-prefixed hex string. Output: 0x-prefixed hex without leading zeros. */
  ChainId: { input: string; output: string; }
  /** An instant in UTC as ISO 8601, for example `2026-01-01T00:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /**
   * An integer of any size as a decimal string, without loss of precision. Input: a JSON integer or a decimal string, with a minus sign when negative;
   * at most 1,000 digits.
   */
  Decimal: { input: string; output: string; }
  /**
   * An unsigned integer of up to 64 bits. Input: a JSON integer, a decimal string or a 0x-prefixed hex string.
   * Output: 0x-prefixed hex without leading zeros (`0x0` for zero).
   */
  Long: { input: string; output: string; }
  _FieldSet: { input: string; output: string; }
};

export type Account = {
  readonly _at?: Maybe<Scalars['String']['output']>;
  readonly address: Scalars['Address']['output'];
  /**
   * Name of the account: the name of a token in `TOKEN_LISTS` or of the embedded network, else the contract name of its file in `ABI_DIR` or of the embedded network;
   * null without either. Sends no request.
   */
  readonly label?: Maybe<Scalars['String']['output']>;
  /** The token whose contract has this address; null as in `Query.token`. */
  readonly token?: Maybe<Token>;
  /** Amount of a token that a spender may transfer from this account, at the account's block; null if the contract returns none. */
  readonly tokenAllowance?: Maybe<TokenAmount>;
  /** Balance of this account in one token, at the account's block. */
  readonly tokenBalance?: Maybe<TokenBalance>;
  /**
   * Balances of this account in several tokens, in the order of the contracts, at the account's block. A contract that returns no balance has an
   * entry with an error. Without `contracts`, those of all tokens that TOKEN_LISTS has on this chain, in the order of the lists; RESULT_TOO_LARGE
   * if they are more than 500.
   */
  readonly tokenBalances?: Maybe<ReadonlyArray<TokenBalance>>;
};


export type AccountTokenAllowanceArgs = {
  contract: Scalars['Address']['input'];
  spender: Scalars['Address']['input'];
};


export type AccountTokenBalanceArgs = {
  contract: Scalars['Address']['input'];
};


export type AccountTokenBalancesArgs = {
  contracts?: InputMaybe<ReadonlyArray<Scalars['Address']['input']>>;
  nonZero?: InputMaybe<Scalars['Boolean']['input']>;
};

export type Query = {
  /** The token at a contract address; null if no source has its name, symbol, decimals, logo or total supply. */
  readonly token?: Maybe<Token>;
  /** Amount of a token that a spender may transfer from its owner, at the operation's block; null if the contract returns none. */
  readonly tokenAllowance?: Maybe<TokenAmount>;
  /** The tokens at several contract addresses, in the order of the addresses, each as in `token`; at most 100. */
  readonly tokens: ReadonlyArray<Maybe<Token>>;
};


export type QueryTokenArgs = {
  address: Scalars['Address']['input'];
};


export type QueryTokenAllowanceArgs = {
  contract: Scalars['Address']['input'];
  owner: Scalars['Address']['input'];
  spender: Scalars['Address']['input'];
};


export type QueryTokensArgs = {
  addresses: ReadonlyArray<Scalars['Address']['input']>;
};

/**
 * A fungible token (ERC-20), identified by its contract. Its metadata is merged field by field from the configured token lists, the node
 * service's database and the contract, in this order of precedence.
 */
export type Token = {
  /** The contract as an account, at the operation's block. */
  readonly account?: Maybe<Account>;
  /** Address of the contract. Costs no request if it is the only selected field. */
  readonly address: Scalars['Address']['output'];
  /** Amount that a spender may transfer from an owner, at the operation's block; null if the contract returns none. */
  readonly allowance?: Maybe<TokenAmount>;
  /** Balance of an account in this token. */
  readonly balanceOf?: Maybe<TokenBalance>;
  /** Number of decimal places of an amount; null if no source has it. */
  readonly decimals?: Maybe<Scalars['Int']['output']>;
  /** URL of an image: http, https, ipfs or data; null if no source has one. */
  readonly logo?: Maybe<Scalars['String']['output']>;
  /** Null if no source has one. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** Null if no source has one. */
  readonly symbol?: Maybe<Scalars['String']['output']>;
  /** Total supply; null if the contract returns none. */
  readonly totalSupply?: Maybe<TokenAmount>;
};


/**
 * A fungible token (ERC-20), identified by its contract. Its metadata is merged field by field from the configured token lists, the node
 * service's database and the contract, in this order of precedence.
 */
export type TokenAllowanceArgs = {
  owner: Scalars['Address']['input'];
  spender: Scalars['Address']['input'];
};


/**
 * A fungible token (ERC-20), identified by its contract. Its metadata is merged field by field from the configured token lists, the node
 * service's database and the contract, in this order of precedence.
 */
export type TokenBalanceOfArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
  owner: Scalars['Address']['input'];
};


/**
 * A fungible token (ERC-20), identified by its contract. Its metadata is merged field by field from the configured token lists, the node
 * service's database and the contract, in this order of precedence.
 */
export type TokenTotalSupplyArgs = {
  block?: InputMaybe<Scalars['Long']['input']>;
};

/** An amount of a token. */
export type TokenAmount = {
  /** Amount in whole tokens, exact, without trailing zeros: `1.5`. Null if the decimals are unknown. */
  readonly formatted?: Maybe<Scalars['String']['output']>;
  /** Amount in the token's smallest unit, as 0x-hex. */
  readonly raw: Scalars['BigInt']['output'];
  /** Never null; its metadata fields are null if no source has them. */
  readonly token: Token;
  /** Amount in the token's smallest unit, as an exact decimal integer. */
  readonly value: Scalars['Decimal']['output'];
};

/** Balance of an account in one token. Exactly one of `balance` and `error` is null. */
export type TokenBalance = {
  /** Null if the contract returns none. */
  readonly balance?: Maybe<TokenAmount>;
  /** Address of the token's contract. */
  readonly contractAddress: Scalars['Address']['output'];
  /** Reason why there is no balance; null if there is one. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** Account that holds the balance. */
  readonly owner?: Maybe<Account>;
  /** Never null; its metadata fields are null if no source has them. */
  readonly token: Token;
  /** Balance as the 32 bytes that the contract returned; null if it returned none. */
  readonly tokenBalance?: Maybe<Scalars['Bytes32']['output']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  Account: Account;
  Token: Token;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Account:
    ( { __typename: 'Account' }
    & GraphQLRecursivePick<FederationTypes['Account'], {"address":true,"_at":true}> );
  Token:
    ( { __typename: 'Token' }
    & GraphQLRecursivePick<FederationTypes['Token'], {"address":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AbiValue: ResolverTypeWrapper<Scalars['AbiValue']['output']>;
  Account: ResolverTypeWrapper<TokensAccountKey>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  ChainId: ResolverTypeWrapper<Scalars['ChainId']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Token: ResolverTypeWrapper<TokenKey>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  TokenAmount: ResolverTypeWrapper<RawTokenAmount>;
  TokenBalance: ResolverTypeWrapper<RawTokenBalance>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AbiValue: Scalars['AbiValue']['output'];
  Account: TokensAccountKey;
  String: Scalars['String']['output'];
  Boolean: Scalars['Boolean']['output'];
  Address: Scalars['Address']['output'];
  BigInt: Scalars['BigInt']['output'];
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  ChainId: Scalars['ChainId']['output'];
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  Long: Scalars['Long']['output'];
  Query: Record<PropertyKey, never>;
  Token: TokenKey;
  Int: Scalars['Int']['output'];
  TokenAmount: RawTokenAmount;
  TokenBalance: RawTokenBalance;
};

export interface AbiValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AbiValue'], any> {
  name: 'AbiValue';
}

export type AccountResolvers<ContextType = TokensContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  token?: Resolver<Maybe<ResolversTypes['Token']>, ParentType, ContextType>;
  tokenAllowance?: Resolver<Maybe<ResolversTypes['TokenAmount']>, ParentType, ContextType, RequireFields<AccountTokenAllowanceArgs, 'contract' | 'spender'>>;
  tokenBalance?: Resolver<Maybe<ResolversTypes['TokenBalance']>, ParentType, ContextType, RequireFields<AccountTokenBalanceArgs, 'contract'>>;
  tokenBalances?: Resolver<Maybe<ReadonlyArray<ResolversTypes['TokenBalance']>>, ParentType, ContextType, RequireFields<AccountTokenBalancesArgs, 'nonZero'>>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface Bytes32ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes32'], any> {
  name: 'Bytes32';
}

export interface ChainIdScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ChainId'], any> {
  name: 'ChainId';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export type QueryResolvers<ContextType = TokensContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  token?: Resolver<Maybe<ResolversTypes['Token']>, ParentType, ContextType, RequireFields<QueryTokenArgs, 'address'>>;
  tokenAllowance?: Resolver<Maybe<ResolversTypes['TokenAmount']>, ParentType, ContextType, RequireFields<QueryTokenAllowanceArgs, 'contract' | 'owner' | 'spender'>>;
  tokens?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Token']>>, ParentType, ContextType, RequireFields<QueryTokensArgs, 'addresses'>>;
};

export type TokenResolvers<ContextType = TokensContext, ParentType extends ResolversParentTypes['Token'] = ResolversParentTypes['Token'], FederationReferenceType extends FederationReferenceTypes['Token'] = FederationReferenceTypes['Token']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Token']> | FederationReferenceType, FederationReferenceType, ContextType>;
  account?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  allowance?: Resolver<Maybe<ResolversTypes['TokenAmount']>, ParentType, ContextType, RequireFields<TokenAllowanceArgs, 'owner' | 'spender'>>;
  balanceOf?: Resolver<Maybe<ResolversTypes['TokenBalance']>, ParentType, ContextType, RequireFields<TokenBalanceOfArgs, 'owner'>>;
  decimals?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  logo?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  totalSupply?: Resolver<Maybe<ResolversTypes['TokenAmount']>, ParentType, ContextType, Partial<TokenTotalSupplyArgs>>;
};

export type TokenAmountResolvers<ContextType = TokensContext, ParentType extends ResolversParentTypes['TokenAmount'] = ResolversParentTypes['TokenAmount']> = {
  formatted?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['Token'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type TokenBalanceResolvers<ContextType = TokensContext, ParentType extends ResolversParentTypes['TokenBalance'] = ResolversParentTypes['TokenBalance']> = {
  balance?: Resolver<Maybe<ResolversTypes['TokenAmount']>, ParentType, ContextType>;
  contractAddress?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  token?: Resolver<ResolversTypes['Token'], ParentType, ContextType>;
  tokenBalance?: Resolver<Maybe<ResolversTypes['Bytes32']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = TokensContext> = {
  AbiValue?: GraphQLScalarType;
  Account?: AccountResolvers<ContextType>;
  Address?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  ChainId?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  Long?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Token?: TokenResolvers<ContextType>;
  TokenAmount?: TokenAmountResolvers<ContextType>;
  TokenBalance?: TokenBalanceResolvers<ContextType>;
};

