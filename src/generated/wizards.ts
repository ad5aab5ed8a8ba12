import type { AbiInput } from '../ethereum/abi/writer.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { WizardsAccountKey, BlockKey, Wizard as WizardModel, Duel as DuelModel, WizardPage, DuelPage, WizardEdge as WizardEdgeModel, DuelEdge as DuelEdgeModel } from '../domains/wizards/model.ts';
import type { DuelRoundModel } from '../domains/wizards/rounds.ts';
import type { WizardsContext } from '../domains/wizards/resolvers.ts';
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
   * Wizards that this account owns now, whatever the block of the account: the wizard service has no past state. Null, with an error, if the
   * service fails.
   */
  readonly wizards?: Maybe<WizardConnection>;
};


export type AccountWizardsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  duels?: InputMaybe<DuelFilter>;
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
  /** A missing code, or one that this server does not know. Not accepted in a filter. */
  | 'UNKNOWN'
  /** Beats fire: code 4. */
  | 'WATER'
  /** Beats water: code 3. */
  | 'WIND';

export type Block = {
  /** Duels that ended at this height. Null, with an error, if the wizard service fails. */
  readonly duelsEnded?: Maybe<DuelConnection>;
  /** Duels that started at this height. Null, with an error, if the wizard service fails. */
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

/** A duel of two wizards, in its current state. */
export type Duel = {
  /** Element of the first wizard. */
  readonly affinity1: Affinity;
  /** Element of the second wizard. */
  readonly affinity2: Affinity;
  /** Block in which it ended. Null while in progress. */
  readonly endBlock?: Maybe<Block>;
  /** Height of the block in which it ended. Null while in progress. */
  readonly endBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** Power of the first wizard after the duel, in the unit of `Wizard.power`. Null while in progress. */
  readonly endPower1?: Maybe<Scalars['Decimal']['output']>;
  /** Power of the second wizard after the duel, in the unit of `Wizard.power`. Null while in progress. */
  readonly endPower2?: Maybe<Scalars['Decimal']['output']>;
  /** Id of the duel: 32 bytes as 0x-hex. */
  readonly id: Scalars['ID']['output'];
  /** Whether an ascending wizard takes part. Null if the service omits it. */
  readonly isAscensionBattle?: Maybe<Scalars['Boolean']['output']>;
  /** Moves of the first wizard, one byte per move: 2 fire, 3 wind, 4 water. Null while in progress. */
  readonly moveSet1?: Maybe<Scalars['Bytes']['output']>;
  /** Moves of the second wizard, one byte per move: 2 fire, 3 wind, 4 water. Null while in progress. */
  readonly moveSet2?: Maybe<Scalars['Bytes']['output']>;
  /** `endPower1` minus `startPower1`. Null if one of them is null. */
  readonly powerChange1?: Maybe<Scalars['Decimal']['output']>;
  /** `endPower2` minus `startPower2`. Null if one of them is null. */
  readonly powerChange2?: Maybe<Scalars['Decimal']['output']>;
  /** The five rounds, decoded from the move sets. Empty while in progress, after a timeout, and if a move set is null. */
  readonly rounds: ReadonlyArray<DuelRound>;
  /** Block in which it started. Null if the node does not have it. */
  readonly startBlock?: Maybe<Block>;
  /** Height of the block in which it started. */
  readonly startBlockNumber: Scalars['Long']['output'];
  /** Power of the first wizard before the duel, in the unit of `Wizard.power`. Null if the service omits it, for instance while in progress. */
  readonly startPower1?: Maybe<Scalars['Decimal']['output']>;
  /** Power of the second wizard before the duel, in the unit of `Wizard.power`. Null if the service omits it, for instance while in progress. */
  readonly startPower2?: Maybe<Scalars['Decimal']['output']>;
  /** In progress or finished. */
  readonly status: DuelStatus;
  /** Whether it timed out. Null if the service omits it. */
  readonly timedOut?: Maybe<Scalars['Boolean']['output']>;
  /** Block at which it times out. Null while its height is above the operation's block. */
  readonly timeoutBlock?: Maybe<Block>;
  /** Height of the block at which it times out. Null if the service omits it. */
  readonly timeoutBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** The wizard with the greater power change. Null while in progress, for a draw, and if a power is null. */
  readonly winner?: Maybe<Wizard>;
  /** The first wizard in its current state. Costs no request if only its id is selected. */
  readonly wizard1?: Maybe<Wizard>;
  /** Id of the first wizard. */
  readonly wizard1Id: Scalars['ID']['output'];
  /** The second wizard in its current state. Costs no request if only its id is selected. */
  readonly wizard2?: Maybe<Wizard>;
  /** Id of the second wizard. */
  readonly wizard2Id: Scalars['ID']['output'];
};

/** A page of duels. */
export type DuelConnection = {
  /** The duels of the page with their cursors. */
  readonly edges: ReadonlyArray<DuelEdge>;
  /** The duels of the page; null, with an error, for an invalid entry of the service. */
  readonly nodes: ReadonlyArray<Maybe<Duel>>;
  /** Position of the page in the list. */
  readonly pageInfo: PageInfo;
  /** Number of duels in the whole list. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A duel in a page. */
export type DuelEdge = {
  /** Cursor of this duel, for `after`. */
  readonly cursor: Scalars['String']['output'];
  /** Null, with an error, for an invalid entry of the service. */
  readonly node?: Maybe<Duel>;
};

/** Selects the duels that meet all given conditions. Heights are inclusive. */
export type DuelFilter = {
  /** Minimum end height; excludes duels in progress. */
  readonly endBlockFrom?: InputMaybe<Scalars['Long']['input']>;
  /** Maximum end height; excludes duels in progress. */
  readonly endBlockTo?: InputMaybe<Scalars['Long']['input']>;
  /** True excludes finished duels. */
  readonly excludeFinished?: InputMaybe<Scalars['Boolean']['input']>;
  /** True excludes duels in progress. */
  readonly excludeInProgress?: InputMaybe<Scalars['Boolean']['input']>;
  /** Minimum start height. */
  readonly startBlockFrom?: InputMaybe<Scalars['Long']['input']>;
  /** Maximum start height. */
  readonly startBlockTo?: InputMaybe<Scalars['Long']['input']>;
  /** At least one of these wizards takes part. An empty list does not filter. */
  readonly wizardIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
};

/** Order of duels. */
export type DuelOrder =
  /** By start height, the lowest first, then by id. */
  | 'START_BLOCK_ASC'
  /** By start height, the highest first, then by id, the largest first. */
  | 'START_BLOCK_DESC';

/** One round of a duel: a move of each wizard. */
export type DuelRound = {
  /** Position in the duel, starting at 0. */
  readonly index: Scalars['Int']['output'];
  /** Move of the first wizard; UNKNOWN for an invalid byte. */
  readonly move1: Affinity;
  /** Move of the second wizard; UNKNOWN for an invalid byte. */
  readonly move2: Affinity;
  /** The wizard whose move beats the other move. Null for equal moves, and if one is UNKNOWN. */
  readonly winner?: Maybe<Wizard>;
};

/** Whether a duel has ended. */
export type DuelStatus =
  /** It ended in `endBlock`. */
  | 'FINISHED'
  /** It has not ended. */
  | 'IN_PROGRESS';

/** Position of a page in its list. */
export type PageInfo = {
  /** Cursor of the last entry of the page. Null if the page is empty. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are entries after the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether there are entries before the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first entry of the page. Null if the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

export type Query = {
  /** One duel. Null if the wizard service does not know the id. */
  readonly duel?: Maybe<Duel>;
  /** Duels of the tournament in their current state. Null, with an error, if the wizard service fails. */
  readonly duels?: Maybe<DuelConnection>;
  /** One wizard of the tournament. Null if the wizard service does not know the id. */
  readonly wizard?: Maybe<Wizard>;
  /** Wizards of the tournament in their current state. Null, with an error, if the wizard service fails. */
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
  duels?: InputMaybe<DuelFilter>;
  filter?: InputMaybe<WizardFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<WizardOrder>;
};

export type Subscription = {
  /**
   * Duels that started, finished or timed out, and duels whose start or end a reorg reverted or changed, in their new state. Best effort, as
   * `wizardUpdates`. Source: `GET /duels` on new heads, once for all clients.
   */
  readonly duelUpdates: Duel;
  /**
   * New wizards, and wizards whose owner, power or eliminated block changed, in their new state. Best effort: states between two heads are missed,
   * and removed wizards are not emitted. Chain fields below an event are read at the head at which the list was read. Source: `GET /wizards` on
   * new heads, once for all clients.
   */
  readonly wizardUpdates: Wizard;
};


export type SubscriptionDuelUpdatesArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  filter?: InputMaybe<DuelFilter>;
};


export type SubscriptionWizardUpdatesArgs = {
  chainId?: InputMaybe<Scalars['ChainId']['input']>;
  ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
};

/** A wizard of the tournament, in its current state. */
export type Wizard = {
  /** The current duel; the most recent one if there are several. Null if there is none. */
  readonly activeDuel?: Maybe<Duel>;
  /** Element of the wizard. */
  readonly affinity: Affinity;
  /** Block in which it was created. Null if the node does not have it. */
  readonly createdBlock?: Maybe<Block>;
  /** Height of the block in which it was created. */
  readonly createdBlockNumber: Scalars['Long']['output'];
  /** Duels in which it takes part. The duels of all wizards of a page cost one request. */
  readonly duels?: Maybe<DuelConnection>;
  /** Block in which it was eliminated. Null while it is alive. */
  readonly eliminatedBlock?: Maybe<Block>;
  /** Height of the block in which it was eliminated. Null while it is alive. */
  readonly eliminatedBlockNumber?: Maybe<Scalars['Long']['output']>;
  /** Id of the wizard. */
  readonly id: Scalars['ID']['output'];
  /** Power at its creation, in the unit of `power`. */
  readonly initialPower: Scalars['Decimal']['output'];
  /** Account that owns the wizard, at the operation's block. Costs no request if only its address is selected. */
  readonly owner?: Maybe<Account>;
  /**
   * Current power, as an exact decimal integer. The tournament defines its unit; powers of the embedded tournament have 18 decimals:
   * 1000000000000000000 is 1.
   */
  readonly power: Scalars['Decimal']['output'];
  /** `power` minus `initialPower`; negative after a loss of power. */
  readonly powerChange: Scalars['Decimal']['output'];
  /** Duels counted by outcome. Null if the outcome of a finished duel is unknown; an error if one of the duels is invalid. */
  readonly record?: Maybe<WizardRecord>;
  /** Whether it is alive. */
  readonly status: WizardStatus;
};


/** A wizard of the tournament, in its current state. */
export type WizardDuelsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<DuelFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<DuelOrder>;
};


/** A wizard of the tournament, in its current state. */
export type WizardRecordArgs = {
  filter?: InputMaybe<DuelFilter>;
};

/** A page of wizards. */
export type WizardConnection = {
  /** The wizards of the page with their cursors. */
  readonly edges: ReadonlyArray<WizardEdge>;
  /** The wizards of the page; null, with an error, for an invalid entry of the service. */
  readonly nodes: ReadonlyArray<Maybe<Wizard>>;
  /** Position of the page in the list. */
  readonly pageInfo: PageInfo;
  /** Number of wizards in the whole list. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A wizard in a page. */
export type WizardEdge = {
  /** Cursor of this wizard, for `after`. */
  readonly cursor: Scalars['String']['output'];
  /** Null, with an error, for an invalid entry of the service. */
  readonly node?: Maybe<Wizard>;
};

/** Selects the wizards that meet all given conditions. */
export type WizardFilter = {
  /** Element; any except UNKNOWN. */
  readonly affinity?: InputMaybe<Affinity>;
  /** Maximum current power, in the unit of `Wizard.power`. */
  readonly maxPower?: InputMaybe<Scalars['Decimal']['input']>;
  /** Minimum current power, in the unit of `Wizard.power`. */
  readonly minPower?: InputMaybe<Scalars['Decimal']['input']>;
  /** Account that owns the wizard. */
  readonly owner?: InputMaybe<Scalars['Address']['input']>;
  /** Alive or eliminated. */
  readonly status?: InputMaybe<WizardStatus>;
};

/** Order of wizards. */
export type WizardOrder =
  /** By id, 2 before 10. */
  | 'ID_ASC'
  /** By id, the largest first. */
  | 'ID_DESC'
  /** By power, the lowest first, then by id. */
  | 'POWER_ASC'
  /** By power, the highest first, then by id, the largest first. */
  | 'POWER_DESC'
  /**
   * By the number of duels won, the most first, then by id, the largest first. `duels` selects the duels that count. A duel with an unknown outcome counts for
   * neither wizard; an error if one of the duels is invalid. One more request for the list of duels.
   */
  | 'WON_DESC';

/** Duels of a wizard, counted by outcome. */
export type WizardRecord = {
  /** Finished duels without a winner. */
  readonly drawn: Scalars['Int']['output'];
  /** Duels in which it takes part, the one in progress included. */
  readonly duels: Scalars['Int']['output'];
  /** Finished duels that it lost. */
  readonly lost: Scalars['Int']['output'];
  /** Finished duels that timed out; each is also counted as won, lost or drawn. */
  readonly timedOut: Scalars['Int']['output'];
  /** Finished duels that it won. */
  readonly won: Scalars['Int']['output'];
};

/** Whether a wizard has been eliminated. */
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
  AbiValue: ResolverTypeWrapper<Scalars['AbiValue']['output']>;
  Account: ResolverTypeWrapper<WizardsAccountKey>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  Affinity: Affinity;
  BigInt: ResolverTypeWrapper<Scalars['BigInt']['output']>;
  Block: ResolverTypeWrapper<BlockKey>;
  Bytes: ResolverTypeWrapper<Scalars['Bytes']['output']>;
  Bytes32: ResolverTypeWrapper<Scalars['Bytes32']['output']>;
  ChainId: ResolverTypeWrapper<Scalars['ChainId']['output']>;
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
  AbiValue: Scalars['AbiValue']['output'];
  Account: WizardsAccountKey;
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Address: Scalars['Address']['output'];
  BigInt: Scalars['BigInt']['output'];
  Block: BlockKey;
  Bytes: Scalars['Bytes']['output'];
  Bytes32: Scalars['Bytes32']['output'];
  ChainId: Scalars['ChainId']['output'];
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

export interface AbiValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AbiValue'], any> {
  name: 'AbiValue';
}

export type AccountResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  _at?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  wizards?: Resolver<Maybe<ResolversTypes['WizardConnection']>, ParentType, ContextType, RequireFields<AccountWizardsArgs, 'first' | 'orderBy'>>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type BlockResolvers<ContextType = WizardsContext, ParentType extends ResolversParentTypes['Block'] = ResolversParentTypes['Block'], FederationReferenceType extends FederationReferenceTypes['Block'] = FederationReferenceTypes['Block']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Block']> | FederationReferenceType, FederationReferenceType, ContextType>;
  duelsEnded?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<BlockDuelsEndedArgs, 'first'>>;
  duelsStarted?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<BlockDuelsStartedArgs, 'first'>>;
  number?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

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
  duels?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<QueryDuelsArgs, 'first' | 'orderBy'>>;
  wizard?: Resolver<Maybe<ResolversTypes['Wizard']>, ParentType, ContextType, RequireFields<QueryWizardArgs, 'id'>>;
  wizards?: Resolver<Maybe<ResolversTypes['WizardConnection']>, ParentType, ContextType, RequireFields<QueryWizardsArgs, 'first' | 'orderBy'>>;
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
  duels?: Resolver<Maybe<ResolversTypes['DuelConnection']>, ParentType, ContextType, RequireFields<WizardDuelsArgs, 'first' | 'orderBy'>>;
  eliminatedBlock?: Resolver<Maybe<ResolversTypes['Block']>, ParentType, ContextType>;
  eliminatedBlockNumber?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  initialPower?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType>;
  power?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  powerChange?: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  record?: Resolver<Maybe<ResolversTypes['WizardRecord']>, ParentType, ContextType, Partial<WizardRecordArgs>>;
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
  AbiValue?: GraphQLScalarType;
  Account?: AccountResolvers<ContextType>;
  Address?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  Block?: BlockResolvers<ContextType>;
  Bytes?: GraphQLScalarType;
  Bytes32?: GraphQLScalarType;
  ChainId?: GraphQLScalarType;
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

