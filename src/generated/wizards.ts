import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { WizardsAccountKey, BlockKey, Wizard as WizardModel, Duel as DuelModel, WizardPage, DuelPage, WizardEdge as WizardEdgeModel, DuelEdge as DuelEdgeModel } from '../domains/wizards/model.ts';
import type { DuelRoundModel } from '../domains/wizards/rounds.ts';
import type { WizardsContext } from '../domains/wizards/context.ts';
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
  /** Wizards that this account owns now, whichever block the account is read at: the wizard service does not tell the past. Null when it cannot be asked. */
  readonly wizards?: Maybe<WizardConnection>;
};


export type AccountWizardsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<WizardFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<WizardOrder>;
};

/** The element of a wizard or of a move. Fire beats wind, wind beats water, water beats fire. */
export type Affinity =
  /** Beats wind: code 2. */
  | 'FIRE'
  /** No element: code 1. */
  | 'NEUTRAL'
  /** Not chosen yet: code 0. */
  | 'NOTSET'
  /** A code that this server does not know, or none. Nobody can ask for it in a filter. */
  | 'UNKNOWN'
  /** Beats fire: code 4. */
  | 'WATER'
  /** Beats water: code 3. */
  | 'WIND';

export type Block = {
  /** Duels that ended at this height. Null when the wizard service cannot be asked. */
  readonly duelsEnded?: Maybe<DuelConnection>;
  /** Duels that began at this height. Null when the wizard service cannot be asked. */
  readonly duelsStarted?: Maybe<DuelConnection>;
  readonly number: Scalars['Long']['output'];
};


export type BlockDuelsEndedArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


export type BlockDuelsStartedArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

/** A duel of two wizards, as the wizard service has it now. */
export type Duel = {
  /** Element of the first wizard. */
  readonly affinity1: Affinity;
  /** Element of the second wizard. */
  readonly affinity2: Affinity;
  /** The block in which it ended. Null while in progress. */
  readonly endBlock?: Maybe<Block>;
  /** Height of the block in which it ended. Null while in progress. */
  readonly endBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** Power of the first wizard after the duel. Null while in progress. */
  readonly endPower1?: Maybe<Scalars['Decimal']['output']>;
  /** Power of the second wizard after the duel. Null while in progress. */
  readonly endPower2?: Maybe<Scalars['Decimal']['output']>;
  /** Id of the duel: 32 bytes as 0x-hex. */
  readonly id: Scalars['ID']['output'];
  /** Whether an ascending wizard takes part. Null where the service does not tell it. */
  readonly isAscensionBattle?: Maybe<Scalars['Boolean']['output']>;
  /** Moves of the first wizard, a byte each: 2 fire, 3 wind, 4 water. Null while in progress. */
  readonly moveSet1?: Maybe<Scalars['Bytes']['output']>;
  /** Moves of the second wizard, a byte each: 2 fire, 3 wind, 4 water. Null while in progress. */
  readonly moveSet2?: Maybe<Scalars['Bytes']['output']>;
  /** `endPower1` less `startPower1`. Null where one of them is. */
  readonly powerChange1?: Maybe<Scalars['Decimal']['output']>;
  /** `endPower2` less `startPower2`. Null where one of them is. */
  readonly powerChange2?: Maybe<Scalars['Decimal']['output']>;
  /** Its five rounds, read from the move sets. Empty while in progress, when it timed out, and where the move sets are not told. */
  readonly rounds: ReadonlyArray<DuelRound>;
  /** The block in which it began. Null where the node does not have it. */
  readonly startBlock?: Maybe<Block>;
  /** Height of the block in which it began. */
  readonly startBlockNumber: Scalars['Long']['output'];
  /** Power of the first wizard before the duel. Null where the service does not tell it, as while in progress. */
  readonly startPower1?: Maybe<Scalars['Decimal']['output']>;
  /** Power of the second wizard before the duel. Null where the service does not tell it, as while in progress. */
  readonly startPower2?: Maybe<Scalars['Decimal']['output']>;
  /** Whether it goes on. */
  readonly status: DuelStatus;
  /** Whether it timed out. Null where the service does not tell it. */
  readonly timedOut?: Maybe<Scalars['Boolean']['output']>;
  /** The block at which it times out. Null while that one is still above the operation's block. */
  readonly timeoutBlock?: Maybe<Block>;
  /** Height of the block at which it times out. Null where the service does not tell it. */
  readonly timeoutBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** The wizard whose power changed for the better. Null while in progress, for a draw, and where the powers are not told. */
  readonly winner?: Maybe<Wizard>;
  /** The first wizard as it is now. Asked for its id or its duels alone it costs nothing. */
  readonly wizard1?: Maybe<Wizard>;
  /** Id of the first wizard. */
  readonly wizard1Id: Scalars['ID']['output'];
  /** The second wizard as it is now. Asked for its id or its duels alone it costs nothing. */
  readonly wizard2?: Maybe<Wizard>;
  /** Id of the second wizard. */
  readonly wizard2Id: Scalars['ID']['output'];
};

/** A page of duels. */
export type DuelConnection = {
  /** The duels of the page with their cursors. */
  readonly edges: ReadonlyArray<DuelEdge>;
  /** The duels of the page; one that the service sends malformed is null, with an error. */
  readonly nodes: ReadonlyArray<Maybe<Duel>>;
  /** Where the page lies in the list. */
  readonly pageInfo: PageInfo;
  /** Duels in the whole list. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A duel in a page. */
export type DuelEdge = {
  /** Its place in the list, for `after`. */
  readonly cursor: Scalars['String']['output'];
  /** Null, with an error, when the service sends it malformed. */
  readonly node?: Maybe<Duel>;
};

/** Duels to which all that is given here applies. Heights are inclusive. */
export type DuelFilter = {
  /** Least height at which they ended; leaves out those in progress. */
  readonly endBlockFrom?: InputMaybe<Scalars['Long']['input']>;
  /** Largest height at which they ended; leaves out those in progress. */
  readonly endBlockTo?: InputMaybe<Scalars['Long']['input']>;
  /** True leaves out those that have ended. */
  readonly excludeFinished?: InputMaybe<Scalars['Boolean']['input']>;
  /** True leaves out those in progress. */
  readonly excludeInProgress?: InputMaybe<Scalars['Boolean']['input']>;
  /** Least height at which they began. */
  readonly startBlockFrom?: InputMaybe<Scalars['Long']['input']>;
  /** Largest height at which they began. */
  readonly startBlockTo?: InputMaybe<Scalars['Long']['input']>;
  /** At least one of these wizards takes part. An empty list does not filter. */
  readonly wizardIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
};

/** Order of duels. */
export type DuelOrder =
  /** By the height at which they began, the first duel first, then by id. */
  | 'START_BLOCK_ASC'
  /** The same, the last duel first. */
  | 'START_BLOCK_DESC';

/** One round of a duel: a move of each wizard. */
export type DuelRound = {
  /** Position in the duel, from 0. */
  readonly index: Scalars['Int']['output'];
  /** Move of the first wizard; UNKNOWN for a byte that is no move. */
  readonly move1: Affinity;
  /** Move of the second wizard; UNKNOWN for a byte that is no move. */
  readonly move2: Affinity;
  /** The wizard whose move beats the other. Null for equal moves, and where one is UNKNOWN. */
  readonly winner?: Maybe<Wizard>;
};

/** Whether a duel goes on. */
export type DuelStatus =
  /** It ended in `endBlock`. */
  | 'FINISHED'
  /** It has not ended. */
  | 'IN_PROGRESS';

/** Where a page lies in its list. */
export type PageInfo = {
  /** Cursor of the last of the page. Null when the page is empty. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether anything comes behind the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether anything comes before the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first of the page. Null when the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

export type Query = {
  /** One duel. Null when the wizard service does not know the id. */
  readonly duel?: Maybe<Duel>;
  /** Duels of the tournament. Null when the wizard service cannot be asked. */
  readonly duels?: Maybe<DuelConnection>;
  /** One wizard of the tournament. Null when the wizard service does not know the id. */
  readonly wizard?: Maybe<Wizard>;
  /** Wizards of the tournament as they are now. Null when the wizard service cannot be asked. */
  readonly wizards?: Maybe<WizardConnection>;
};


export type QueryDuelArgs = {
  id: Scalars['ID']['input'];
};


export type QueryDuelsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<DuelFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<DuelOrder>;
};


export type QueryWizardArgs = {
  id: Scalars['ID']['input'];
};


export type QueryWizardsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<WizardFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<WizardOrder>;
};

export type Subscription = {
  /**
   * Duels that started, finished or timed out, as they are then; and those of which a reorg took the start or the end back, or made it another one. Best effort, as
   * `wizardUpdates`. Source: `GET /duels` on new heads, once for all clients.
   */
  readonly duelUpdates: Duel;
  /**
   * Wizards whose owner, power or eliminated block changed, and new ones, as they are then. Best effort: states between two heads are not seen, and a wizard that
   * vanishes is not told. What is asked below it of the chain is read at the head under which it was seen. Source: `GET /wizards` on new heads, once for all clients.
   */
  readonly wizardUpdates: Wizard;
};


export type SubscriptionDuelUpdatesArgs = {
  filter?: InputMaybe<DuelFilter>;
};


export type SubscriptionWizardUpdatesArgs = {
  ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
};

/** A wizard of the tournament, as the wizard service has it now. */
export type Wizard = {
  /** The duel that it is in; the one that began last, were there several. Null when it is in none. */
  readonly activeDuel?: Maybe<Duel>;
  /** Its element. */
  readonly affinity: Affinity;
  /** The block in which it was created. Null where the node does not have it. */
  readonly createdBlock?: Maybe<Block>;
  /** Height of the block in which it was created. */
  readonly createdBlockNumber: Scalars['Long']['output'];
  /** Duels in which it takes part. Those of all wizards of a page are one request. */
  readonly duels?: Maybe<DuelConnection>;
  /** The block in which it was eliminated. Null while it is alive. */
  readonly eliminatedBlock?: Maybe<Block>;
  /** Height of the block in which it was eliminated. Null while it is alive. */
  readonly eliminatedBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** Id of the wizard. */
  readonly id: Scalars['ID']['output'];
  /** Power at its creation: exact, however large. */
  readonly initialPower: Scalars['Decimal']['output'];
  /** The account that owns it, at the operation's block. Asked for its address alone it costs nothing. */
  readonly owner?: Maybe<Account>;
  /** Power now: exact, however large. */
  readonly power: Scalars['Decimal']['output'];
  /** `power` less `initialPower`; below zero when it has lost some. */
  readonly powerChange: Scalars['Decimal']['output'];
  /** How its duels ended. Null where the service does not tell it of each finished one; a duel that it sends malformed is an error here. */
  readonly record?: Maybe<WizardRecord>;
  /** Whether it is alive. */
  readonly status: WizardStatus;
};


/** A wizard of the tournament, as the wizard service has it now. */
export type WizardDuelsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<DuelFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<DuelOrder>;
};

/** A page of wizards. */
export type WizardConnection = {
  /** The wizards of the page with their cursors. */
  readonly edges: ReadonlyArray<WizardEdge>;
  /** The wizards of the page; one that the service sends malformed is null, with an error. */
  readonly nodes: ReadonlyArray<Maybe<Wizard>>;
  /** Where the page lies in the list. */
  readonly pageInfo: PageInfo;
  /** Wizards in the whole list. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A wizard in a page. */
export type WizardEdge = {
  /** Its place in the list, for `after`. */
  readonly cursor: Scalars['String']['output'];
  /** Null, with an error, when the service sends it malformed. */
  readonly node?: Maybe<Wizard>;
};

/** Wizards to which all that is given here applies. */
export type WizardFilter = {
  /** Their element; any but UNKNOWN. */
  readonly affinity?: InputMaybe<Affinity>;
  /** Most power that they have now. */
  readonly maxPower?: InputMaybe<Scalars['Decimal']['input']>;
  /** Least power that they have now. */
  readonly minPower?: InputMaybe<Scalars['Decimal']['input']>;
  /** Account that owns them. */
  readonly owner?: InputMaybe<Scalars['Address']['input']>;
  /** Whether they are alive. */
  readonly status?: InputMaybe<WizardStatus>;
};

/** Order of wizards. */
export type WizardOrder =
  /** By id, 2 before 10. */
  | 'ID_ASC'
  /** By id, the largest first. */
  | 'ID_DESC'
  /** By power, the weakest first, then by id. */
  | 'POWER_ASC'
  /** By power, the strongest first, then by id, the largest first. */
  | 'POWER_DESC';

/** How the duels of a wizard ended. */
export type WizardRecord = {
  /** Finished duels that nobody won. */
  readonly drawn: Scalars['Int']['output'];
  /** Duels in which it takes part, the one in progress included. */
  readonly duels: Scalars['Int']['output'];
  /** Finished duels that it lost. */
  readonly lost: Scalars['Int']['output'];
  /** Finished duels that timed out; they count as won, lost or drawn as well. */
  readonly timedOut: Scalars['Int']['output'];
  /** Finished duels that it won. */
  readonly won: Scalars['Int']['output'];
};

/** Whether a wizard is still in the tournament. */
export type WizardStatus =
  /** It has not been eliminated. */
  | 'ALIVE'
  /** It was eliminated in `eliminatedBlock`. */
  | 'ELIMINATED';



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
  Block: Block;
  Duel: Duel;
  Wizard: Wizard;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Account:
    ( { __typename: 'Account' }
    & GraphQLRecursivePick<FederationTypes['Account'], {"address":true,"_at":true}> );
  Block:
    ( { __typename: 'Block' }
    & GraphQLRecursivePick<FederationTypes['Block'], {"number":true}> );
  Duel:
    ( { __typename: 'Duel' }
    & GraphQLRecursivePick<FederationTypes['Duel'], {"id":true}> );
  Wizard:
    ( { __typename: 'Wizard' }
    & GraphQLRecursivePick<FederationTypes['Wizard'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Account: ResolverTypeWrapper<WizardsAccountKey>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  Affinity: Affinity;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  Block: ResolverTypeWrapper<BlockKey>;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  Duel: ResolverTypeWrapper<DuelModel>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  DuelConnection: ResolverTypeWrapper<DuelPage>;
  DuelEdge: ResolverTypeWrapper<DuelEdgeModel>;
  DuelFilter: DuelFilter;
  DuelOrder: DuelOrder;
  DuelRound: ResolverTypeWrapper<DuelRoundModel>;
  DuelStatus: DuelStatus;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Wizard: ResolverTypeWrapper<WizardModel>;
  WizardConnection: ResolverTypeWrapper<WizardPage>;
  WizardEdge: ResolverTypeWrapper<WizardEdgeModel>;
  WizardFilter: WizardFilter;
  WizardOrder: WizardOrder;
  WizardRecord: ResolverTypeWrapper<WizardRecord>;
  WizardStatus: WizardStatus;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Account: WizardsAccountKey;
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Address: Scalars['Address']['output'];
  BigInt: Scalars['BigInt']['output'];
  Block: BlockKey;
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  Duel: DuelModel;
  ID: Scalars['ID']['output'];
  Boolean: Scalars['Boolean']['output'];
  DuelConnection: DuelPage;
  DuelEdge: DuelEdgeModel;
  DuelFilter: DuelFilter;
  DuelRound: DuelRoundModel;
  Long: Scalars['Long']['output'];
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  Wizard: WizardModel;
  WizardConnection: WizardPage;
  WizardEdge: WizardEdgeModel;
  WizardFilter: WizardFilter;
  WizardRecord: WizardRecord;
};

export type AccountResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  wizards?: Resolver<Maybe<ResolversTypes['WizardConnection']>, ParentType, ContextType, RequireFields<AccountWizardsArgs, 'orderBy'>>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type BlockResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Block'] = ResolversParentTypes['Block'], FederationReferenceType extends FederationReferenceTypes['Block'] = FederationReferenceTypes['Block']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Block']> | FederationReferenceType, FederationReferenceType, ContextType>;
  duelsEnded?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, Partial<BlockDuelsEndedArgs>>;
  duelsStarted?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, Partial<BlockDuelsStartedArgs>>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export interface BytesScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes'], any> {
  name: 'Bytes';
}

export interface Bytes32ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Bytes32'], any> {
  name: 'Bytes32';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type DuelResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Duel'] = ResolversParentTypes['Duel'], FederationReferenceType extends FederationReferenceTypes['Duel'] = FederationReferenceTypes['Duel']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Duel']> | FederationReferenceType, FederationReferenceType, ContextType>;
  affinity1?: Resolver<ResolversTypes['Affinity'], ParentType, ContextType>;
  affinity2?: Resolver<ResolversTypes['Affinity'], ParentType, ContextType>;
  endBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  endBlockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  endPower1?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  endPower2?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  isAscensionBattle?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  moveSet1?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  moveSet2?: Resolver<Maybe<ResolversTypes['Bytes']>, ParentType, ContextType>;
  powerChange1?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  powerChange2?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  rounds?: Resolver<ReadonlyArray<ResolversTypes['DuelRound']>, ParentType, ContextType>;
  startBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  startBlockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  startPower1?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  startPower2?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DuelStatus'], ParentType, ContextType>;
  timedOut?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  timeoutBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  timeoutBlockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  winner?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType>;
  wizard1?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType>;
  wizard1Id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  wizard2?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType>;
  wizard2Id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type DuelConnectionResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['DuelConnection'] = ResolversParentTypes['DuelConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DuelEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Duel']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DuelEdgeResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['DuelEdge'] = ResolversParentTypes['DuelEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Duel']>, ParentType, ContextType>;
};

export type DuelRoundResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['DuelRound'] = ResolversParentTypes['DuelRound']> = {
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  move1?: Resolver<ResolversTypes['Affinity'], ParentType, ContextType>;
  move2?: Resolver<ResolversTypes['Affinity'], ParentType, ContextType>;
  winner?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType>;
};

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export type PageInfoResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  duel?: Resolver<Maybe<ResolversTypes['Duel']>, ParentType, ContextType, RequireFields<QueryDuelArgs, 'id'>>;
  duels?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<QueryDuelsArgs, 'orderBy'>>;
  wizard?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType, RequireFields<QueryWizardArgs, 'id'>>;
  wizards?: Resolver<Maybe<ResolversTypes['WizardConnection']>, ParentType, ContextType, RequireFields<QueryWizardsArgs, 'orderBy'>>;
};

export type SubscriptionResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  duelUpdates?: SubscriptionResolver<ResolversTypes['Duel'], "duelUpdates", ParentType, ContextType, Partial<SubscriptionDuelUpdatesArgs>>;
  wizardUpdates?: SubscriptionResolver<ResolversTypes['Wizard'], "wizardUpdates", ParentType, ContextType, Partial<SubscriptionWizardUpdatesArgs>>;
};

export type WizardResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Wizard'] = ResolversParentTypes['Wizard'], FederationReferenceType extends FederationReferenceTypes['Wizard'] = FederationReferenceTypes['Wizard']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Wizard']> | FederationReferenceType, FederationReferenceType, ContextType>;
  activeDuel?: Resolver<Maybe<ResolversTypes['Duel']>, ParentType, ContextType>;
  affinity?: Resolver<ResolversTypes['Affinity'], ParentType, ContextType>;
  createdBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  createdBlockNumber?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  duels?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<WizardDuelsArgs, 'orderBy'>>;
  eliminatedBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  eliminatedBlockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  initialPower?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  power?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  powerChange?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  record?: Resolver<Maybe<ResolversTypes['WizardRecord']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['WizardStatus'], ParentType, ContextType>;
};

export type WizardConnectionResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['WizardConnection'] = ResolversParentTypes['WizardConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WizardEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Wizard']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type WizardEdgeResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['WizardEdge'] = ResolversParentTypes['WizardEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType>;
};

export type WizardRecordResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['WizardRecord'] = ResolversParentTypes['WizardRecord']> = {
  drawn?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  duels?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  lost?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  timedOut?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  won?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type Resolvers<ContextType = WizardsContext> = {
  Account?: AccountResolvers<ContextType>;
  Address?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  Block?: BlockResolvers<ContextType>;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  Duel?: DuelResolvers<ContextType>;
  DuelConnection?: DuelConnectionResolvers<ContextType>;
  DuelEdge?: DuelEdgeResolvers<ContextType>;
  DuelRound?: DuelRoundResolvers<ContextType>;
  Long?: GraphQLScalarType;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  Wizard?: WizardResolvers<ContextType>;
  WizardConnection?: WizardConnectionResolvers<ContextType>;
  WizardEdge?: WizardEdgeResolvers<ContextType>;
  WizardRecord?: WizardRecordResolvers<ContextType>;
};

