import type { Resolvers } from '../../../generated/wizards.ts';
import { wizardsDuelResolvers, wizardsDuelRoundResolvers } from './duel.ts';
import { wizardsQueryResolvers } from './query.ts';
import { wizardsAccountResolvers, wizardsBlockResolvers } from './references.ts';
import { wizardsSubscriptionResolvers } from './subscription.ts';
import { wizardsWizardResolvers } from './wizard.ts';

/** What a subscription gives is a stream, which the generated types know nothing of. */
type OwnResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Fields that are not here are properties of the objects of model.ts under the same name. */
export const wizardsResolvers: OwnResolvers = {
  Account: wizardsAccountResolvers,
  Block: wizardsBlockResolvers,
  Duel: wizardsDuelResolvers,
  DuelRound: wizardsDuelRoundResolvers,
  Query: wizardsQueryResolvers,
  Subscription: wizardsSubscriptionResolvers,
  Wizard: wizardsWizardResolvers,
};
