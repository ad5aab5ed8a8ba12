import type { Resolvers } from '../../../generated/wizards.ts';
import { wizardsDuelResolvers, wizardsDuelRoundResolvers } from './duel.ts';
import { wizardsQueryResolvers } from './query.ts';
import { wizardsAccountResolvers, wizardsBlockResolvers } from './references.ts';
import { wizardsSubscriptionResolvers } from './subscription.ts';
import { wizardsWizardResolvers } from './wizard.ts';

/** Subscription resolvers return a `SourceStream`, which the generated types do not know. */
type WizardsResolvers = Omit<Resolvers, 'Subscription'> & {
  readonly Subscription: Record<keyof NonNullable<Resolvers['Subscription']>, object>;
};

/** Resolvers of this domain. Other fields are properties of the same name on the types of model.ts. */
export const wizardsResolvers: WizardsResolvers = {
  Account: wizardsAccountResolvers,
  Block: wizardsBlockResolvers,
  Duel: wizardsDuelResolvers,
  DuelRound: wizardsDuelRoundResolvers,
  Query: wizardsQueryResolvers,
  Subscription: wizardsSubscriptionResolvers,
  Wizard: wizardsWizardResolvers,
};
