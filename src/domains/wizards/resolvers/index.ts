import type { Resolvers } from '../../../generated/wizards.ts';
import { Duel, DuelRound } from './duel.ts';
import { Query } from './query.ts';
import { Account, Block } from './references.ts';
import { Subscription } from './subscription.ts';
import { Wizard } from './wizard.ts';

/** What a subscription gives is a stream, which the generated types know nothing of. */
type OwnResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Fields that are not here are properties of the objects of model.ts under the same name. */
export const resolvers: OwnResolvers = { Account, Block, Duel, DuelRound, Query, Subscription, Wizard };
